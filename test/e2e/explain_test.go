package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestExplainLeavesNoTrace checks that an operator's dry run keeps, records and asks nothing, and that an
// agent can't have one.
func TestExplainLeavesNoTrace(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	call := v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"git push"}`), Cwd: tree.Project, Session: v1.Session{
		ID: "never-seen", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: tree.Project, Interactive: new(true),
	}}
	decision := must[v1.Decision](t, http.StatusOK, s.as(t, "operator", http.MethodPost, "/v1/decide?explain=1&dry_run=1", call))
	assert.Equal(t, v1.EffectPrompt, decision.Effect)
	require.NotNil(t, decision.Explanation)
	assert.Empty(t, decision.Explanation.Fault)
	records, err := os.ReadFile(filepath.Join(s.stateDir, "decisions.jsonl"))
	require.NoError(t, err)
	assert.Empty(t, records)
	refuses(t, s.as(t, "operator", http.MethodGet, "/v1/sessions/never-seen", nil), http.StatusNotFound, "not_found")
	prompts := must[v1.PromptList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts", nil))
	assert.Empty(t, prompts.Prompts)
	refuses(t, s.as(t, "agent", http.MethodPost, "/v1/decide?dry_run=1", call), http.StatusForbidden, "role_not_allowed")
}

// TestExplanationsTellWhatDecided checks the parts of an explanation against the decision that it is of.
func TestExplanationsTellWhatDecided(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	s.register(t, tree, "other", func(session *v1.Session) { session.Agent = "codex" })
	directory := filepath.Join(tree.Project, "src")
	must[v1.ApprovalEntry](t, http.StatusCreated, s.as(t, "operator", http.MethodPost, "/v1/approvals",
		v1.ApprovalRequest{Verb: "git push", Directory: &directory, Agent: "codex"}))
	must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "s", filepath.Dir(tree.Project)+"/other", ""))
	explained := func(role, line string) v1.Decision {
		args, err := json.Marshal(map[string]string{"command": line})
		require.NoError(t, err)
		return must[v1.Decision](t, http.StatusOK, s.as(t, role, http.MethodPost, "/v1/decide?explain=1",
			v1.Call{Tool: "Bash", Args: args, Session: v1.Session{ID: "s"}}))
	}
	for line, want := range map[string]struct {
		effect  v1.Effect
		missing string
		remedy  string
	}{
		"ls":               {v1.EffectAllow, "", ""},
		"git push":         {v1.EffectPrompt, "git push is not on the list of safe verbs", "policyd approvals trust-verb 'git push'"},
		"cat .env":         {v1.EffectDeny, "", "nothing for an agent; an operator takes a name that is none off the list with secrets.except in the settings"},
		"ls $(curl x)":     {v1.EffectPrompt, "", "a person's yes: once"},
		"sort -o x a.txt":  {v1.EffectPrompt, "it writes in the project", "a person's yes: once, this chat, always here, always anywhere"},
		"echo 'unclosed":   {v1.EffectPrompt, "", "a person's yes: once"},
		"cat ../../secret": {v1.EffectPrompt, "it reads outside this session's directories", ""},
	} {
		decision := explained("operator", line)
		told := decision.Explanation
		require.NotNil(t, told, line)
		assert.Equal(t, want.effect, decision.Effect, line)
		assert.Empty(t, told.Fault, line)
		assert.Len(t, told.Items, len(decision.Items), line)
		if want.remedy == "" && want.effect == v1.EffectAllow {
			assert.Empty(t, told.Remedies, line)
		} else if want.remedy != "" {
			assert.Contains(t, told.Remedies, want.remedy, line)
		}
		var missing []string
		for i, item := range told.Items {
			missing = append(missing, item.Missing...)
			if decision.Items[i].CoveredBy != "" {
				assert.Contains(t, item.CoveredBy, decision.Items[i].CoveredBy, line)
			}
		}
		if want.missing != "" {
			assert.Contains(t, missing, want.missing, line)
		}
		for _, reason := range decision.Reasons {
			if reason.Effect == v1.EffectDeny {
				assert.Contains(t, rulesOf(told), "deny "+reason.Rule, line)
			}
		}
	}
	require.Len(t, explained("operator", "git push").Explanation.Near, 1)
	assert.Equal(t, "it is for agent codex; not everything that the command touches lies in "+directory,
		explained("operator", "git push").Explanation.Near[0].Why)
	assert.Empty(t, explained("agent", "git push").Explanation.Near, "another agent's answers are none of its business")
	must[v1.ApprovalEntry](t, http.StatusCreated, s.as(t, "operator", http.MethodPost, "/v1/approvals",
		v1.ApprovalRequest{Verb: "git push", Directory: &directory, Agent: "claude-code", Audience: v1.AudienceTeam}))
	require.Len(t, explained("operator", "git push").Explanation.Near, 2)
	assert.Empty(t, explained("agent", "git push").Explanation.Near, "nor are answers of another audience")
	near := explained("agent", "cat ../../secret").Explanation.Near
	require.NotEmpty(t, near)
	assert.Equal(t, "grant", near[0].Kind)
}

func rulesOf(told *v1.Explanation) []string {
	var found []string
	for _, rule := range told.Rules {
		found = append(found, rule.Says+" "+rule.Rule)
	}
	return found
}
