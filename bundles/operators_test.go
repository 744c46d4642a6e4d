package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

func partsOf(sources ...string) []part {
	p := part{}
	for _, source := range sources {
		p.Modules = append(p.Modules, bundle.ModuleFile{Path: "x.rego", Parsed: ast.MustParseModule(source)})
	}
	return []part{{}, p}
}

func TestOperatorsArePresentWithAnyPackageOfTheirs(t *testing.T) {
	of := func(source string) []part { return partsOf(source) }
	require.True(t, hasOperators(of("package site.team\n\ndeny contains 1")))
	require.True(t, hasOperators(of("package site\n\nteam.deny contains 1")))
	require.False(t, hasOperators(of("package policyd.site\n\ndeny contains 1")))
	require.False(t, hasOperators(of("package sites\n\ndeny contains 1")))
}

// A set that is overlooked would deny nothing, so whatever is not plain has to be looked for.
func TestOperatorsSetsAreKnownByTheirHeads(t *testing.T) {
	for name, test := range map[string]struct {
		sources []string
		want    string
	}{
		"none":             {nil, `{"present": false, "deny": [], "prompt": [], "cover": []}`},
		"built in":         {[]string{"package policyd.rules\n\ndeny contains 1"}, `{"present": false, "deny": [], "prompt": [], "cover": []}`},
		"nothing read":     {[]string{"package site.a\n\nx := 1"}, `{"present": true, "deny": [], "prompt": [], "cover": []}`},
		"each":             {[]string{"package site.a\n\ndeny contains 1\nprompt contains 1\ncover contains 1"}, `{"present": true, "deny": ["a"], "prompt": ["a"], "cover": ["a"]}`},
		"several packages": {[]string{"package site.b\n\ndeny contains 1\ndeny contains 2", "package site.a\n\ndeny contains 1"}, `{"present": true, "deny": ["a", "b"], "prompt": [], "cover": []}`},
		"by a longer head": {[]string{"package site\n\na.deny contains 1"}, `{"present": true, "deny": ["a"], "prompt": [], "cover": []}`},
		"helper with keys": {[]string{"package site.a\n\nx[y] := 1 if some y in [1]"}, `{"present": true, "deny": [], "prompt": [], "cover": []}`},
		"no set":           {[]string{"package site.a\n\ndeny := {1}"}, `{"present": true, "deny": null, "prompt": null, "cover": null}`},
		"an object":        {[]string{"package site.a\n\ndeny[x] := 1 if some x in [1]"}, `{"present": true, "deny": null, "prompt": null, "cover": null}`},
		"sets by key":      {[]string{"package site.a\n\ndeny[x] contains 1 if some x in [1]"}, `{"present": true, "deny": null, "prompt": null, "cover": null}`},
		"default":          {[]string{"package site.a\n\ndefault deny := false"}, `{"present": true, "deny": null, "prompt": null, "cover": null}`},
		"a function":       {[]string{"package site.a\n\ncover(x) := x"}, `{"present": true, "deny": null, "prompt": null, "cover": null}`},
		"a package's name": {[]string{"package site\n\na[x].deny contains 1 if some x in [1]", "package site\n\nb := {\"deny\": {1}}"}, `{"present": true, "deny": null, "prompt": null, "cover": null}`},
		"a name by rule":   {[]string{"package site\n\nx[y] := {\"deny\": {1}} if some y in [1]"}, `{"present": true, "deny": null, "prompt": null, "cover": null}`},
	} {
		t.Run(name, func(t *testing.T) {
			want := ast.MustParseTerm(`{"policyd": {"config": {"operators": ` + test.want + `}}}`)
			require.Equal(t, want.String(), operatorsData(partsOf(test.sources...)).String())
		})
	}
}

func TestOperatorsTestsAreNoRules(t *testing.T) {
	parts := partsOf("package site.a\n\ndeny contains 1")
	parts[1].Modules[0].Path = "/site/a/a_test.rego"
	found := operatorsOf(parts)
	require.Empty(t, found.deny)
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
