package clients_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// pushes are one call of each client that a person has to approve.
var pushes = []struct{ client, event, payload string }{
	{"claude", "PreToolUse", `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}`},
	{"codex", "PreToolUse", `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}`},
	{"gemini", "BeforeTool", `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"git push"}}`},
	{"copilot", "preToolUse", `{"sessionId":"s","timestamp":1,"cwd":"/home/dev/proj","toolName":"bash","toolArgs":{"command":"git push"}}`},
	{"opencode", "tool.execute.before", `{"hook_event_name":"tool.execute.before","input":{"tool":"bash","sessionID":"s","callID":"c"},"output":{"args":{"command":"git push"}},"directory":"/home/dev/proj"}`},
	{"cursor", "beforeShellExecution", `{"hook_event_name":"beforeShellExecution","conversation_id":"s","workspace_roots":["/home/dev/proj"],"command":"git push","cwd":"/home/dev/proj"}`},
}

// held sends a hook that is held, and returns its prompt once it is open.
func (s *server) held(t *testing.T, client, query, payload string) (v1.Prompt, <-chan answer) {
	t.Helper()
	done := make(chan answer, 1)
	request := s.request(t, client, query, payload)
	go func() { done <- fetch(s.socket, request) }()
	deadline, cancel := time.NewTimer(patience), time.NewTicker(5*time.Millisecond)
	defer deadline.Stop()
	defer cancel.Stop()
	for {
		if open := s.prompts(t, v1.PromptPending); len(open) == 1 {
			return open[0], done
		}
		select {
		case got := <-done:
			require.FailNowf(t, "the hook was not held", "%s", got.body)
		case <-deadline.C:
			require.FailNow(t, "no prompt is opened")
		case <-cancel.C:
		}
	}
}

// TestHeldHooks checks A9: a held hook gets the person's answer in the client's own shape, and nothing that
// could be answered is handed to the client's dialog.
func TestHeldHooks(t *testing.T) {
	s := startServer(t, "")
	for _, push := range pushes {
		t.Run(push.client, func(t *testing.T) {
			prompt, done := s.held(t, push.client, "hold=5m&project=/home/dev/proj", push.payload)
			assert.Equal(t, http.StatusOK, s.operate(t, http.MethodPost, "/v1/prompts/"+prompt.ID+"/answer", `{"choice":"once"}`, nil))
			got := <-done
			got.check(t)
			assert.Equal(t, "allow", got.decision)
			assert.Contains(t, []string{runs, leaves}, outcome(push.client, push.event, got))

			prompt, done = s.held(t, push.client, "hold=5m&project=/home/dev/proj", push.payload)
			assert.Equal(t, http.StatusOK, s.operate(t, http.MethodPost, "/v1/prompts/"+prompt.ID+"/answer", `{"choice":"deny","by":"ada"}`, nil))
			got = <-done
			got.check(t)
			refused(t, push.client, push.event, got, "ada said no")
			assert.Empty(t, s.prompts(t, v1.PromptDelegated))
		})
	}
}

// TestHoldsThatEndUnanswered checks A9: the client gets a deny and how a person answers, the prompt stays,
// and a late yes allows the retry.
func TestHoldsThatEndUnanswered(t *testing.T) {
	s := startServer(t, "")
	for _, push := range pushes {
		t.Run(push.client, func(t *testing.T) {
			got := s.hook(t, push.client, "hold=1ms&project=/home/dev/proj", push.payload)
			assert.Equal(t, "prompt", got.decision)
			assert.Equalf(t, blocks, outcome(push.client, push.event, got), "%s", got.body)
			open := s.prompts(t, v1.PromptPending)
			require.Len(t, open, 1)
			assert.Contains(t, string(got.body), "policyd prompts answer "+open[0].ID)
			assert.Equal(t, http.StatusOK, s.operate(t, http.MethodPost, "/v1/prompts/"+open[0].ID+"/answer", `{"choice":"once"}`, nil))
			got = s.hook(t, push.client, "hold=1ms&project=/home/dev/proj", push.payload)
			assert.Equal(t, "allow", got.decision)
			assert.NotEqual(t, blocks, outcome(push.client, push.event, got))
		})
	}
}

// TestUnheldPrompts checks which clients ask in their own dialog: their prompts are delegated and can't be
// answered here (A9). The others get a deny, and their prompts stay open. The record has the prompt in both
// cases.
func TestUnheldPrompts(t *testing.T) {
	s := startServer(t, "")
	for _, push := range pushes {
		for name, query := range map[string]string{"plain": "project=/home/dev/proj", "auto_approve": "project=/home/dev/proj&auto_approve=true"} {
			t.Run(push.client+"/"+name, func(t *testing.T) {
				got := s.hook(t, push.client, query, strings.Replace(push.payload, `"s"`, `"`+name+`"`, 1))
				assert.Equal(t, "prompt", got.decision)
				state, does := v1.PromptDelegated, asks
				if push.client == "codex" || push.client == "cursor" {
					state, does = v1.PromptPending, blocks
				}
				assert.Equalf(t, does, outcome(push.client, push.event, got), "%s", got.body)
				found := slices.DeleteFunc(s.prompts(t, state), func(prompt v1.Prompt) bool {
					agent, session, _ := strings.Cut(prompt.Call.SessionID, ":")
					return session != name || !strings.HasPrefix(agent, push.client)
				})
				require.Len(t, found, 1)
				status := s.operate(t, http.MethodPost, "/v1/prompts/"+found[0].ID+"/answer", `{"choice":"once"}`, nil)
				assert.Equal(t, map[string]int{v1.PromptDelegated: http.StatusGone, v1.PromptPending: http.StatusOK}[state], status)
				records := s.records(t)
				record := records[len(records)-1]
				assert.Equal(t, got.id, record.DecisionID)
				assert.Equal(t, found[0].ID, record.Result.PromptID)
				assert.Equal(t, v1.EffectPrompt, record.Result.Decision)
				assert.Equal(t, "git push", record.Input.Items[0].Verb)
			})
		}
	}
}

// TestHeldQuestionsOfTheClientsOwnDialog checks that a question is held only if the answer would be sent.
func TestHeldQuestionsOfTheClientsOwnDialog(t *testing.T) {
	s := startServer(t, "")
	for i, client := range []string{"claude", "codex"} {
		t.Run(client, func(t *testing.T) {
			question := strings.Replace(pushes[0].payload, "PreToolUse", "PermissionRequest", 1)
			got := s.hook(t, client, "hold=5m&project=/home/dev/proj", question)
			assert.Equal(t, leaves, outcome(client, "PermissionRequest", got))
			require.Len(t, s.prompts(t, v1.PromptDelegated), i+1)
			prompt, done := s.held(t, client, "hold=5m&auto_approve=true&project=/home/dev/proj", question)
			s.operate(t, http.MethodPost, "/v1/prompts/"+prompt.ID+"/answer", `{"choice":"once"}`, nil)
			got = <-done
			got.check(t)
			assert.Equal(t, runs, outcome(client, "PermissionRequest", got))
		})
	}
}

// TestOpenCodesQuestionsFollowWhatWasDecided checks that a question about a call that was decided is answered
// by that, and one about another by nothing but a no.
func TestOpenCodesQuestionsFollowWhatWasDecided(t *testing.T) {
	s := startServer(t, "")
	const call = `{"hook_event_name":"tool.execute.before","input":{"tool":"bash","sessionID":"s","callID":"@id"},"output":{"args":ARGS},"directory":"/home/dev/proj"}`
	const asked = `{"hook_event_name":"permission.asked","event":{"properties":{"sessionID":"s","permission":"bash","patterns":["x"],` +
		`"metadata":{"command":"git status"},"tool":{"callID":"@id"}}},"directory":"/home/dev/proj"}`
	before := func(id, args string) string {
		got := s.hook(t, "opencode", "", strings.NewReplacer("@id", id, "ARGS", args).Replace(call))
		return got.decision
	}
	question := func(id, query string) string {
		return outcome("opencode", "permission.asked", s.hook(t, "opencode", query, strings.ReplaceAll(asked, "@id", id)))
	}
	assert.Equal(t, "allow", before("a", `{"command":"git status"}`))
	assert.Equal(t, "prompt", before("b", `{"command":"git push"}`))
	assert.Equal(t, "deny", before("c", `{"command":"cat .env"}`))
	assert.Equal(t, asks, question("a", ""), "its user's own rule asks")
	assert.Equal(t, runs, question("a", "auto_approve=true"))
	assert.Equal(t, asks, question("b", "auto_approve=true"))
	assert.Equal(t, blocks, question("c", "auto_approve=true"))
	assert.Equal(t, asks, question("never decided", "auto_approve=true"), "the tool may be given more than the question tells")
	assert.Equal(t, "prompt", before("a", `{"command":"git push"}`))
	assert.Equal(t, asks, question("a", "auto_approve=true"), "of two calls of one name, neither is known to be meant")
	assert.Equal(t, "prompt", before("e", `{"command":"git push"}`))
	assert.Equal(t, "allow", before("e", `{"command":"git status"}`))
	assert.Equal(t, asks, question("e", "auto_approve=true"), "the question may be about the first of the name")
	held := s.hook(t, "opencode", "hold=1ms", strings.NewReplacer("@id", "d", "ARGS", `{"command":"git push"}`).Replace(call))
	assert.Equal(t, blocks, outcome("opencode", "tool.execute.before", held))
	assert.Equal(t, blocks, question("d", "auto_approve=true"))
}
