package bundles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// TestMisspeltFactsAreRefused checks that an operator's rule that reads an unknown fact is refused: otherwise
// it would never apply.
func TestMisspeltFactsAreRefused(t *testing.T) {
	for condition, misspelt := range map[string]bool{
		`item.verb == "scp"`:                              false,
		`input.session.audience == "team"`:                false,
		`input.line.told`:                                 false,
		`some approval in input.approvals; approval.once`: false,
		`item.form["-x"]`:                                 false,
		`item.caveats.network`:                            false,
		`object.get(item, "verb", "") == "scp"`:           false,
		`input.paths[item.path].class.secret`:             false,
		`item.vreb == "scp"`:                              true,
		`input.sesion.audience == "team"`:                 true,
		`input.session.audeince == "team"`:                true,
		`input.tool.kinds == "shell"`:                     true,
		`input.paths[item.path].reel == "/x"`:             true,
		`some approval in input.approvals; approval.onec`: true,
	} {
		t.Run(condition, func(t *testing.T) {
			dir := t.TempDir()
			writeTree(t, dir, map[string]string{
				".manifest": `{"roots": ["site/team"], "rego_version": 1}`,
				"site/team/team.rego": "package site.team\n\ndeny contains {\"rule\": \"site/team\", \"code\": \"c\", \"message\": \"m\", \"item\": i} if {\n" +
					"\tsome i, item in input.items\n\titem.kind == \"fetch\"\n\t" + condition + "\n}\n",
			})
			e, err := New(t.Context(), Options{FS: policies.FS, Schema: policies.Schema, Source: dir})
			if !misspelt {
				require.NoError(t, err)
				e.Close()
				return
			}
			var refused *RefusalError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, CheckCompile, refused.Check)
			require.ErrorContains(t, err, "undefined ref")
			require.ErrorContains(t, err, "want (one of)")
		})
	}
}
