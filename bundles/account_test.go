package bundles

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

// TestAccountNamesTheRulesThatSpoke checks that an account has the title and position of every rule behind a
// judgement, and what an uncovered item lacks.
func TestAccountNamesTheRulesThatSpoke(t *testing.T) {
	snapshot := newEngine(t, Options{FS: policies.FS}).Current()
	in := threeCommands()
	in.Items[1].Verb, in.Items[1].Caveats = "git push", v1.Set{"network"}
	in.Verbs[1] = "git push"
	judgement, err := snapshot.Judge(t.Context(), in)
	require.NoError(t, err)
	said, err := snapshot.Account(t.Context(), in)
	require.NoError(t, err)
	require.NotEmpty(t, judgement.Covered)
	for _, cover := range judgement.Covered {
		assert.Truef(t, spoke(said, "cover", cover.Rule, cover.Item), "%+v", cover)
	}
	for _, rule := range said.Rules {
		assert.NotEmpty(t, rule.Title, rule.Rule)
		assert.Equal(t, rule.Rule+".rego", path.Join(path.Base(path.Dir(rule.File)), path.Base(rule.File)))
		assert.Positive(t, rule.Row)
	}
	assert.Contains(t, said.Missing[1], "git push is not on the list of safe verbs")
	assert.Contains(t, said.Missing[1], "it reaches the network")
}

func spoke(said *v1.Account, says, rule string, item int) bool {
	for _, entry := range said.Rules {
		for _, index := range entry.Items {
			if entry.Says == says && entry.Rule == rule && index == item {
				return true
			}
		}
	}
	return false
}

// TestAccountHasTheClause checks that an account has the clause that applied, of several rules in one file,
// with its remedy, and operators' rules.
func TestAccountHasTheClause(t *testing.T) {
	root := t.TempDir()
	writeTree(t, root, map[string]string{
		".manifest": `{"roots": ["site/mine"]}`,
		"mine.rego": `package site.mine

# METADATA
# title: Never
# custom:
#   id: site/never
#   remedy: ask somebody else
deny contains {"rule": "site/never", "code": "never", "message": "never", "item": -1} if input.messy == false

# METADATA
# title: Only when messy
# custom:
#   id: site/never
deny contains {"rule": "site/never", "code": "never", "message": "messy", "item": -1} if input.messy == true
`,
	})
	snapshot := newEngine(t, Options{FS: policies.FS, Source: root}).Current()
	said, err := snapshot.Account(t.Context(), threeCommands())
	require.NoError(t, err)
	require.NotEmpty(t, said.Rules)
	assert.Equal(t, v1.SpokenRule{
		Rule: "site/never", Says: "deny", Title: "Never", File: path.Join(root, "mine.rego"), Row: 8,
		Items: []int{}, Messages: []string{"never"}, Remedy: "ask somebody else",
	}, said.Rules[0])
}
