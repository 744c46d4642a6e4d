package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestTheLifeOfAPrompt walks A2, A3, A4 and V10 over HTTP.
func TestTheLifeOfAPrompt(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	line := "cd src && echo hi && git push origin main"
	src := filepath.Join(tree.Project, "src")

	prompt := s.shell(t, "s", line).Prompt
	require.NotNil(t, prompt)
	assert.Equal(t, "Approve git push in "+src+"?", prompt.Title)
	assert.Equal(t, []string{"git push"}, prompt.Verbs, "only what nothing covers")
	assert.Equal(t, prompt.ID, s.shell(t, "s", line).Prompt.ID, "the same call joins its prompt")

	given := s.reply(t, prompt, "always_here")
	assert.Equal(t, "Saved: git push in "+src, given.Resolution)
	require.Len(t, given.Saved, 1)
	require.NotNil(t, given.Saved[0].Directory, "always here never saves anywhere")
	assert.Equal(t, src, *given.Saved[0].Directory)
	allowed := s.shell(t, "s", line)
	assert.Equal(t, v1.EffectAllow, allowed.Effect)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git push origin main").Effect, "the parent directory is another")

	s.register(t, tree, "other")
	assert.Equal(t, v1.EffectAllow, s.shell(t, "other", line).Effect, "it holds for the agent's other sessions")
	s.register(t, tree, "team", func(session *v1.Session) { session.Audience = v1.AudienceTeam })
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "team", line).Effect, "and for no other audience")

	anywhere := s.reply(t, s.shell(t, "s", "git push origin main").Prompt, "always_anywhere")
	assert.Equal(t, "Saved: git push anywhere", anywhere.Resolution)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "echo pushing && git push && echo done").Effect)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "cd src && git push").Effect)

	for _, entry := range must[v1.ApprovalList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/approvals", nil)).Approvals {
		require.Equal(t, http.StatusNoContent, s.as(t, "operator", http.MethodDelete, "/v1/approvals/"+entry.ID, nil).status)
	}
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", line).Effect, "a person can take it back")
}

// TestOnceIsSpentByOneRetry checks A10.
func TestOnceIsSpentByOneRetry(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	s.register(t, tree, "other")
	given := s.reply(t, s.shell(t, "s", "git push").Prompt, "once")
	assert.Equal(t, "Approved (no save)", given.Resolution)
	assert.Empty(t, given.Saved)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git push --force").Effect, "another call")
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "other", "git push").Effect, "another session")
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git push").Effect, "it is spent")

	// A messy line offers nothing else, and is answered whole (V8).
	messy := s.shell(t, "s", "eval \"$X\"")
	require.NotNil(t, messy.Prompt)
	assert.Contains(t, messy.Prompt.Title, "complex command: only one-shot approval available")
	require.Len(t, messy.Prompt.Choices, 2)
	s.reply(t, messy.Prompt, "once")
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "eval \"$X\"").Effect)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "eval \"$X\"").Effect)

	// It outlives a restart, and is spent in the store as well.
	s.reply(t, s.shell(t, "s", "git push").Prompt, "once")
	s = s.restart(t)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
	s = s.restart(t)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git push").Effect)
}

// TestAnswersForOneChat checks A1's "This chat".
func TestAnswersForOneChat(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	s.register(t, tree, "other")
	given := s.reply(t, s.shell(t, "s", "git push").Prompt, "session")
	assert.Equal(t, "Saved for this chat: git push in "+tree.Project, given.Resolution)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "other", "git push").Effect)
	s = s.restart(t)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, sessionPath("s"), nil).status)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git push").Effect, "it went with the session")
}

// TestTwoAnswersAtOnce checks that one wins.
func TestTwoAnswersAtOnce(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	prompt := s.shell(t, "s", "git push").Prompt
	token := s.token(t, "operator")
	var group sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		group.Go(func() {
			choice := []string{"once", "deny"}[i%2]
			got, err := s.send(t.Context(), token, http.MethodPost, "/v1/prompts/"+prompt.ID+"/answer", v1.AnswerRequest{Choice: choice})
			if assert.NoError(t, err) {
				statuses[i] = got.status
			}
		})
	}
	group.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	assert.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: 7}, count)
}

// TestHeldCalls checks ?wait=: the answer comes the moment a person gives it.
func TestHeldCalls(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	call := func(command string) v1.Call {
		args, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		return v1.Call{Tool: "Bash", Args: args, Session: v1.Session{ID: "s"}}
	}
	held := s.hold(t, http.MethodPost, "/v1/decide?wait=5m", call("git push"))
	s.reply(t, s.pending(t, "git push"), "once")
	assert.Equal(t, v1.EffectAllow, wellFormed(t, held().body).Effect)

	held = s.hold(t, http.MethodPost, "/v1/decide?wait=5m", call("git push"))
	s.reply(t, s.pending(t, "git push"), "deny")
	denied := wellFormed(t, held().body)
	assert.Equal(t, v1.EffectDeny, denied.Effect)
	assert.Equal(t, []string{"denied_by_person"}, codes(denied))
	assert.Equal(t, "ada said no to this call", denied.Reasons[0].Message)
	assert.True(t, denied.Abort)

	// One "once" releases one of two who wait.
	first := s.hold(t, http.MethodPost, "/v1/decide?wait=5m", call("git fetch"))
	prompt := s.pending(t, "git fetch")
	second := s.hold(t, http.MethodPost, "/v1/decide?wait=5m", call("git fetch"))
	s.reply(t, prompt, "once")
	next := s.pendingOther(t, "git fetch", prompt.ID)
	s.reply(t, next, "deny")
	effects := []v1.Effect{wellFormed(t, first().body).Effect, wellFormed(t, second().body).Effect}
	assert.ElementsMatch(t, []v1.Effect{v1.EffectAllow, v1.EffectDeny}, effects)

	unanswered := wellFormed(t, s.as(t, "agent", http.MethodPost, "/v1/decide?wait=20ms", call("git pull")).body)
	assert.Equal(t, v1.EffectPrompt, unanswered.Effect)
	assert.Equal(t, v1.PromptPending, unanswered.Prompt.State)
	refuses(t, s.as(t, "agent", http.MethodPost, "/v1/decide?wait=11m", call("ls")), http.StatusBadRequest, "invalid_parameter")

	// A caller that waits for a prompt by its id learns of its end, too.
	poll := s.hold(t, http.MethodGet, "/v1/prompts/"+unanswered.Prompt.ID+"?wait=5m", nil)
	s.reply(t, unanswered.Prompt, "deny")
	ended := must[v1.Prompt](t, http.StatusOK, poll())
	assert.Equal(t, v1.PromptAnswered, ended.State)
	assert.Equal(t, "Denied", ended.Answer.Resolution)
}

// TestHintsAfterANo checks A8: who may do what about a person's no.
func TestHintsAfterANo(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "told", func(session *v1.Session) { session.Tools = []string{"set_working_directory"} })
	s.register(t, tree, "untold")
	for id, hint := range map[string]string{"told": "set_working_directory " + tree.Other, "untold": ""} {
		held := s.hold(t, http.MethodPost, "/v1/decide?wait=5m",
			`{"tool":"Bash","args":{"command":"make -C `+tree.Other+` `+id+`"},"session":{"id":"`+id+`"}}`)
		prompt := s.pending(t, "make -C "+tree.Other+" "+id)
		s.reply(t, prompt, "deny")
		decision := wellFormed(t, held().body)
		assert.Equal(t, v1.EffectDeny, decision.Effect)
		assert.Equal(t, hint, decision.Hint)
	}
}

// TestNobodyAnswers checks that a held call ends as a deny when its question ends without an answer (A9).
func TestNobodyAnswers(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	held := s.hold(t, http.MethodPost, "/v1/decide?wait=5m", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s"}}`)
	prompt := s.pending(t, "git push")
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, "/v1/prompts/"+prompt.ID, nil).status)
	decision := wellFormed(t, held().body)
	assert.Equal(t, v1.EffectDeny, decision.Effect)
	assert.Equal(t, []string{"prompt_unanswered"}, codes(decision))
	assert.False(t, decision.Abort)
}

// TestAHeldCallThatGoesAwayWithdrawsItsPrompt checks that the prompt of a call without a waiting caller is
// withdrawn.
func TestAHeldCallThatGoesAwayWithdrawsItsPrompt(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	ctx, cancel := context.WithCancel(t.Context())
	token := s.token(t, "agent")
	ended := make(chan error, 1)
	go func() {
		_, err := s.send(ctx, token, http.MethodPost, "/v1/decide?wait=5m",
			`{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s"}}`)
		ended <- err
	}()
	prompt := s.pending(t, "git push")
	cancel()
	require.Error(t, <-ended)
	require.Eventually(t, func() bool {
		got := s.as(t, "operator", http.MethodGet, "/v1/prompts/"+prompt.ID, nil)
		return must[v1.Prompt](t, http.StatusOK, got).State == v1.PromptWithdrawn
	}, patience, patience/1000)
}

// TestAServerThatEndsAnswersWhatItHolds checks that a drain doesn't wait for people.
func TestAServerThatEndsAnswersWhatItHolds(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	held := s.hold(t, http.MethodPost, "/v1/decide?wait=5m", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s"}}`)
	prompt := s.pending(t, "git push")
	s = s.restart(t)
	assert.Equal(t, v1.PromptPending, wellFormed(t, held().body).Prompt.State)
	assert.Equal(t, prompt.ID, s.shell(t, "s", "git push").Prompt.ID, "the question is still open")
}

// TestPromptsCanBeWithdrawn checks DELETE, by the agent that asked.
func TestPromptsCanBeWithdrawn(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	prompt := s.shell(t, "s", "git push").Prompt
	path := "/v1/prompts/" + prompt.ID
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, path, nil).status)
	refuses(t, s.as(t, "agent", http.MethodDelete, path, nil), http.StatusGone, "prompt_ended")
	refuses(t, s.as(t, "operator", http.MethodPost, path+"/answer", v1.AnswerRequest{Choice: "once"}), http.StatusGone, "prompt_ended")
	refuses(t, s.as(t, "agent", http.MethodDelete, "/v1/prompts/nobody", nil), http.StatusNotFound, "not_found")
	assert.NotEqual(t, prompt.ID, s.shell(t, "s", "git push").Prompt.ID)
}

// TestBadAnswersAreRefused checks D4 and A1.
func TestBadAnswersAreRefused(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	prompt := s.shell(t, "s", "git push").Prompt
	path := "/v1/prompts/" + prompt.ID + "/answer"
	for body, code := range map[string]string{
		`{"choice":"yes"}`:                         "choice_not_offered",
		`{"choice":"allow"}`:                       "choice_not_offered",
		`{}`:                                       "choice_not_offered",
		`{"choice":"once","ttl":"2h"}`:             "invalid_request",
		`{"choice":"always_here","ttl":"soon"}`:    "invalid_request",
		`{"choice":"always_here","ttl":"-1h"}`:     "invalid_request",
		`{"choice":"always_here","directory":"/"}`: "unknown_key",
		`{"choice":"once","choice":"deny"}`:        "duplicate_key",
	} {
		refuses(t, s.as(t, "operator", http.MethodPost, path, body), http.StatusBadRequest, code)
	}
	kept := must[v1.Prompt](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts/"+prompt.ID, nil))
	assert.Equal(t, v1.PromptPending, kept.State)
	timed := must[v1.AnswerResponse](t, http.StatusOK, s.as(t, "operator", http.MethodPost, path, v1.AnswerRequest{Choice: "always_here", TTL: "2h"}))
	assert.Equal(t, "Saved: git push in "+tree.Project+" for 2h", timed.Resolution)
	require.NotNil(t, timed.Saved[0].ExpiresAt)
}

// TestOpenPromptsAreCapped checks A11.
func TestOpenPromptsAreCapped(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	for i := range 100 {
		require.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git push origin b"+strings.Repeat("x", i)).Effect)
	}
	full := s.shell(t, "s", "git push origin one-too-many")
	assert.Equal(t, v1.EffectDeny, full.Effect)
	assert.Equal(t, []string{"prompts_full", "approval_required"}, codes(full))
	list := must[v1.PromptList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending&limit=60", nil))
	assert.Len(t, list.Prompts, 60)
	rest := must[v1.PromptList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending&limit=60&after="+list.Next, nil))
	assert.Len(t, rest.Prompts, 40)
	assert.Empty(t, rest.Next)
}

// TestOperatorsCommandsTalkToTheServer checks that what a command changes counts at once, and that nobody
// else can take the state directory.
func TestOperatorsCommandsTalkToTheServer(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	run := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), program, append(args, "--state-dir", s.stateDir)...)
		command.Env = environment(t.TempDir())
		out, err := command.CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
		return strings.TrimSpace(string(out))
	}
	prompt := s.shell(t, "s", "git push").Prompt
	shown := run("prompts", "list")
	assert.Contains(t, shown, prompt.ID)
	assert.Contains(t, shown, "> git push")
	assert.Equal(t, "Saved: git push in "+tree.Project, run("prompts", "answer", prompt.ID, "always_here"))
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
	assert.Equal(t, "git push in "+tree.Project+"\t(agent claude-code)", run("approvals", "list"))
	assert.Equal(t, "Revoked: git push in "+tree.Project+" (agent claude-code)", run("approvals", "revoke", "git push in "+tree.Project))
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git push").Effect)
	assert.Equal(t, "Granted: "+tree.Other+" (read-only)", run("grants", "add", tree.Other, "--session", "s"))
	assert.Equal(t, v1.EffectAllow, s.file(t, "s", "Read", filepath.Join(tree.Other, "secret.txt")).Effect)
	assert.Contains(t, run("sessions", "list"), "s\tclaude-code\tpersonal\tactive\t"+tree.Project)
	assert.Contains(t, run("sessions", "show", "s"), "may read           "+tree.Other)
	assert.Equal(t, "Archived: s", run("sessions", "archive", "s"))

	second := exec.CommandContext(t.Context(), program, "serve", "--addr", "127.0.0.1:0", "--state-dir", s.stateDir, "--run-dir", shortDir(t))
	second.Env = environment(t.TempDir())
	out, err := second.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "is in use by another policyd")
}

// pending waits until a question about a command is open.
func (s *server) pending(t *testing.T, command string) *v1.Prompt {
	t.Helper()
	return s.pendingOther(t, command, "")
}

// pendingOther is pending for a question that has another id.
func (s *server) pendingOther(t *testing.T, command, id string) *v1.Prompt {
	t.Helper()
	var found *v1.Prompt
	require.Eventually(t, func() bool {
		list := must[v1.PromptList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending", nil))
		for i := range list.Prompts {
			if list.Prompts[i].Call.Text == command && list.Prompts[i].ID != id {
				found = &list.Prompts[i]
			}
		}
		return found != nil
	}, patience, patience/1000)
	return found
}
