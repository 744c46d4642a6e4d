package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

func TestOperatorsArePresentWithAnyPackageOfTheirs(t *testing.T) {
	of := func(source string) []part {
		p := part{}
		p.Modules = []bundle.ModuleFile{{Parsed: ast.MustParseModule(source)}}
		return []part{{}, p}
	}
	require.True(t, hasOperators(of("package site.team\n\ndeny contains 1")))
	require.True(t, hasOperators(of("package site\n\nteam.deny contains 1")))
	require.False(t, hasOperators(of("package policyd.site\n\ndeny contains 1")))
	require.False(t, hasOperators(of("package sites\n\ndeny contains 1")))
}

// Beside the built-in bundle an operator's package denies, asks and covers.
func TestOperatorsAreAskedBesideTheBuiltInBundle(t *testing.T) {
	finding := `{"rule": "site/team", "code": "frozen", "message": "the tree is frozen", "item": 0}`
	for name, test := range map[string]struct {
		rule   string
		effect v1.Effect
	}{
		"deny":  {"deny contains " + finding, v1.EffectDeny},
		"ask":   {"prompt contains " + finding, v1.EffectPrompt},
		"cover": {`cover contains [i, "site/team"] if { some i, item in input.items; item.verb == "deploy" }`, v1.EffectAllow},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeTree(t, root, map[string]string{
				".manifest":           `{"roots": ["site"]}`,
				"site/team/team.rego": "package site.team\n\n" + test.rule + "\n",
			})
			e := newEngine(t, Options{FS: policies.FS, Source: root})
			in := shortLine(t)
			if test.effect == v1.EffectAllow {
				in.Items[1].Verb = "deploy"
			}
			judgement, err := e.Current().Judge(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, test.effect, judgement.Effect, "%+v", judgement)
		})
	}
}
