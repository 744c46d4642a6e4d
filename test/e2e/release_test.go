package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestALastingAnswerReleasesWhatItCovers checks A14: however a person comes to allow a verb or a directory,
// the held calls that it covers run, of every session, and each has its own record. Those that it doesn't
// cover wait on.
func TestALastingAnswerReleasesWhatItCovers(t *testing.T) {
	const held = 5
	tree := newTree(t)
	secret := filepath.Join(tree.Other, "secret.txt")
	push := `{"tool":"Bash","args":{"command":"git push origin b%d"},"session":{"id":"s%d"}}`
	tests := []struct {
		name  string
		call  string
		allow func(t *testing.T, s *server, first *v1.Prompt)
		// released is how many of the calls run.
		released int
	}{
		{
			name: "always here", call: push, released: held,
			allow: func(t *testing.T, s *server, first *v1.Prompt) { t.Helper(); s.reply(t, first, "always_here") },
		},
		{
			name: "this chat", call: push, released: 1,
			allow: func(t *testing.T, s *server, first *v1.Prompt) { t.Helper(); s.reply(t, first, "session") },
		},
		{
			name: "once", call: push, released: 1,
			allow: func(t *testing.T, s *server, first *v1.Prompt) { t.Helper(); s.reply(t, first, "once") },
		},
		{
			name: "a trusted verb", call: push, released: held,
			allow: func(t *testing.T, s *server, _ *v1.Prompt) {
				t.Helper()
				must[v1.ApprovalEntry](t, http.StatusCreated,
					s.as(t, "operator", http.MethodPost, "/v1/approvals", v1.ApprovalRequest{Verb: "git push"}))
			},
		},
		{
			name: "a trusted verb of another audience", call: push, released: 0,
			allow: func(t *testing.T, s *server, _ *v1.Prompt) {
				t.Helper()
				must[v1.ApprovalEntry](t, http.StatusCreated,
					s.as(t, "operator", http.MethodPost, "/v1/approvals", v1.ApprovalRequest{Verb: "git push", Audience: v1.AudienceTeam}))
			},
		},
		{
			name: "a grant to the agent", call: `{"tool":"Read","args":{"file_path":"` + secret + `","offset":%d},"session":{"id":"s%d"}}`, released: held,
			allow: func(t *testing.T, s *server, _ *v1.Prompt) {
				t.Helper()
				must[v1.GrantResponse](t, http.StatusCreated,
					s.as(t, "operator", http.MethodPost, "/v1/agents/claude-code/grants", v1.GrantRequest{Path: tree.Other}))
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			answers := make([]func() answer, held)
			for i := range answers {
				s.register(t, tree, fmt.Sprintf("s%d", i))
				answers[i] = s.hold(t, http.MethodPost, "/v1/decide?wait=5m", fmt.Sprintf(test.call, i+1, i))
			}
			open := s.pendingCount(t, held)
			test.allow(t, s, &open[0])
			left := s.pendingCount(t, held-test.released)
			for i := range left {
				s.reply(t, &left[i], "deny")
			}
			allowed, ids := 0, map[string]bool{}
			for i := range answers {
				decision := wellFormed(t, answers[i]().body)
				if decision.Effect == v1.EffectAllow {
					allowed++
				}
				ids[decision.ID] = true
				record := must[v1.Record](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions/"+decision.ID, nil))
				assert.Equal(t, decision.Effect, record.Result.Decision)
			}
			assert.Equal(t, test.released, allowed)
			assert.Len(t, ids, held, "each has its own record")
		})
	}
}

// pendingCount waits until so many prompts are pending, and returns them.
func (s *server) pendingCount(t *testing.T, count int) []v1.Prompt {
	t.Helper()
	var list v1.PromptList
	require.Eventually(t, func() bool {
		list = must[v1.PromptList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending", nil))
		return len(list.Prompts) == count
	}, patience, patience/1000)
	return list.Prompts
}

// TestAnUnheldCallIsReleased checks A14 for a call whose caller isn't connected: its prompt ends, also when
// the approval was given to another process.
func TestAnUnheldCallIsReleased(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "a")
	s.register(t, tree, "b")
	first, second := s.shell(t, "a", "git push").Prompt, s.shell(t, "b", "git push origin x").Prompt
	other := s.shell(t, "b", "git fetch").Prompt
	s.reply(t, first, "always_here")
	left := s.pendingCount(t, 1)
	assert.Equal(t, other.ID, left[0].ID)
	released := must[v1.Prompt](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts/"+second.ID, nil))
	require.NotNil(t, released.Answer)
	assert.Equal(t, v1.ChoiceCovered, released.Answer.Choice)
	assert.Equal(t, v1.EffectAllow, released.Answer.Decision)
	refuses(t, s.as(t, "operator", http.MethodPost, "/v1/prompts/"+second.ID+"/answer", v1.AnswerRequest{Choice: "deny"}),
		http.StatusConflict, "prompt_answered")

	// After a restart the call isn't known; it ends when the call is made again.
	s = s.restart(t)
	must[v1.ApprovalEntry](t, http.StatusCreated, s.as(t, "operator", http.MethodPost, "/v1/approvals", v1.ApprovalRequest{Verb: "git fetch"}))
	assert.Equal(t, v1.EffectAllow, s.shell(t, "b", "git fetch").Effect)
	s.pendingCount(t, 0)
}

// TestAHeldCallLeavesThePromptToTheUnheldOne checks A9: a caller who goes away withdraws no prompt that
// another call awaits.
func TestAHeldCallLeavesThePromptToTheUnheldOne(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	call := `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s"}}`
	prompt := s.shell(t, "s", "git push").Prompt
	alone := s.inFlight(t)
	ctx, cancel := context.WithCancel(t.Context())
	token := s.token(t, "agent")
	ended := make(chan error, 1)
	go func() {
		_, err := s.send(ctx, token, http.MethodPost, "/v1/decide?wait=5m", call)
		ended <- err
	}()
	s.requestsInFlight(t, alone+1)
	require.Eventually(t, func() bool { // it has joined the prompt
		list := must[v1.RecordList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions?session=s", nil))
		return len(list.Decisions) == 2
	}, patience, patience/1000)
	cancel()
	require.Error(t, <-ended)
	s.requestsInFlight(t, alone)
	got := must[v1.Prompt](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts/"+prompt.ID, nil))
	assert.Equal(t, v1.PromptPending, got.State)
	s.reply(t, prompt, "once")
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
}

// inFlight is how many requests are under way, the one that asks included.
func (s *server) inFlight(t *testing.T) int {
	t.Helper()
	const name = "policyd_http_requests_in_flight "
	for line := range strings.Lines(string(s.as(t, "operator", http.MethodGet, "/metrics", nil).body)) {
		if value, found := strings.CutPrefix(line, name); found {
			count, err := strconv.Atoi(strings.TrimSpace(value))
			require.NoError(t, err)
			return count
		}
	}
	require.Fail(t, "there is no "+name)
	return 0
}

// requestsInFlight waits until so many requests are under way.
func (s *server) requestsInFlight(t *testing.T, count int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.inFlight(t) == count }, patience, patience/1000)
}
