package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/explain"
)

func question() *explain.Question {
	return &explain.Question{
		Input: &v1.Input{Facts: v1.Facts{
			Tool:    v1.ToolFacts{Name: "Read", Kind: v1.ToolRead, Known: true},
			Session: v1.SessionFacts{ID: "s", Agent: "claude-code", Audience: v1.AudiencePersonal, Interactive: true},
			Cwd:     "/srv/proj", Complete: true,
			Items: []v1.Item{{Kind: v1.ItemPath, Verb: "read", Path: 0}},
			Paths: []v1.Path{{Raw: "/srv/other/b/c", Real: "/srv/other/b/c", Op: v1.OpRead, Space: v1.SpaceOutside}},
		}},
		Decision: &v1.Decision{Effect: v1.EffectPrompt, Items: []v1.DecisionItem{{Kind: v1.ItemPath, Verb: "read"}}},
		Account:  &v1.Account{Missing: map[int][]string{0: {"it reads outside"}}},
	}
}

func TestTheNearestGrantIsShown(t *testing.T) {
	q := question()
	q.Grants = []v1.PathGrant{{Root: "/srv/x", Mode: v1.GrantRead}, {Root: "/srv/other/a", Mode: v1.GrantReadWrite}}
	told := explain.Explain(q)
	require.Len(t, told.Near, 1)
	assert.Equal(t, "/srv/other/a (read-write)", told.Near[0].Text)
	assert.Contains(t, told.Near[0].Why, "does not lie below it")
	assert.Equal(t, []string{"it reads outside"}, told.Items[0].Missing)
	assert.Contains(t, strings.Join(told.Remedies, "\n"), "policyd grants add DIR --session s")
}

func TestCommandsInRemediesAreQuotedForAShell(t *testing.T) {
	q := question()
	q.Input.Session.ID = "it's $(id)"
	assert.Contains(t, strings.Join(explain.Explain(q).Remedies, "\n"), `policyd grants add DIR --session 'it'\''s $(id)'`)
	q.Input.Tool.Kind = v1.ToolShell
	q.Input.Items = []v1.Item{{Kind: v1.ItemCommand, Verb: "$(id) `id`", Path: -1}}
	q.Decision.Prompt = &v1.Prompt{Choices: []v1.Choice{{Key: v1.ChoiceAlwaysAnywhere}}}
	assert.Contains(t, explain.Explain(q).Remedies, "policyd approvals trust-verb '$(id) `id`'")
}

func TestADenyIsNotShownAsAnswerable(t *testing.T) {
	q := question()
	q.Decision.Effect = v1.EffectDeny
	q.Account.Rules = []v1.SpokenRule{{Rule: "secrets/file", Says: "deny", Remedy: "nothing"}}
	assert.Equal(t, []string{"nothing"}, explain.Explain(q).Remedies)
}

func TestFewApprovalsAreShownNearestFirst(t *testing.T) {
	q := question()
	q.Input.Tool.Kind = v1.ToolShell
	q.Input.Items = []v1.Item{{Kind: v1.ItemCommand, Verb: "git push", Directory: "/srv/proj", Path: -1}}
	entry := func(agent string, audience v1.Audience) v1.ApprovalEntry {
		return v1.ApprovalEntry{Tool: v1.ToolShell, Verb: "git push", Agent: agent, Audience: audience, CreatedAt: time.Time{}}
	}
	q.Remembered = []v1.ApprovalEntry{
		entry("codex", v1.AudienceTeam), entry("codex", v1.AudiencePublic), entry("codex", v1.AudienceTeam),
		entry("codex", v1.AudienceTeam), entry("*", v1.AudienceTeam),
	}
	told := explain.Explain(q)
	require.Len(t, told.Near, 3)
	assert.Equal(t, "it is for audience team, and this session's is personal", told.Near[0].Why)
}

// FuzzPage checks that whatever an agent names, a page shows no control character and no line of the agent's
// own.
func FuzzPage(f *testing.F) {
	f.Add("/srv/x\x1b[2J", "git\nALLOW", "a\u202eb")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, path, verb, agent string) {
		q := question()
		q.Input.Paths[0].Real, q.Input.Paths[0].Raw = path, path
		q.Input.Session.Agent, q.Input.Session.ID = agent, agent
		q.Input.Items = append(q.Input.Items, v1.Item{Kind: v1.ItemCommand, Verb: verb, Directory: path, Path: -1})
		q.Decision.Items = append(q.Decision.Items, v1.DecisionItem{Kind: v1.ItemCommand, Verb: verb})
		plain := explain.Page("t", decided(question()))
		q.Decision.Explanation = explain.Explain(q)
		page := explain.Page(verb, q.Decision)
		for _, r := range page {
			assert.Falsef(t, r != '\n' && (r < ' ' || r == 0x7f || r == '\u202e' || r == '\u2028'), "%q", r)
		}
		assert.LessOrEqual(t, strings.Count(page, "\n"), strings.Count(plain, "\n")+4)
	})
}

func decided(q *explain.Question) *v1.Decision {
	q.Decision.Explanation = explain.Explain(q)
	return q.Decision
}
