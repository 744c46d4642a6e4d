package e2e

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/postgres"
)

// shared is two sidecars on one PostgreSQL.
func shared(t *testing.T) (database *postgres.Server, one, two *server) {
	t.Helper()
	database = postgres.Start(t)
	t.Setenv("POLICYD_STORE", database.Fresh(t))
	return database, startServer(t), startServer(t)
}

// soon is how long one sidecar may take to learn what another did (C3), with room for a busy machine.
func soon(t *testing.T, what string, condition func() bool) {
	t.Helper()
	begun := time.Now()
	require.Eventually(t, condition, patience, 5*time.Millisecond, what)
	t.Logf("%s after %s", what, time.Since(begun).Round(time.Millisecond))
}

// TestSidecarsShareWhatPeopleAnswered checks C3.
func TestSidecarsShareWhatPeopleAnswered(t *testing.T) {
	tree := newTree(t)
	_, one, two := shared(t)
	one.register(t, tree, "s")
	secret := filepath.Join(tree.Other, "secret.txt")
	allows := func(s *server, line string) func() bool {
		return func() bool { return s.shell(t, "s", line).Effect == v1.EffectAllow }
	}
	asks := func(s *server, line string) func() bool {
		return func() bool { return s.shell(t, "s", line).Effect == v1.EffectPrompt }
	}
	// A prompt of one sidecar is answered at the other, and the waiting caller gets the answer.
	held := one.hold(t, http.MethodPost, "/v1/decide?wait=5m", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s"}}`)
	prompt := two.pending(t, "git push")
	two.reply(t, prompt, "always_here")
	assert.Equal(t, v1.EffectAllow, wellFormed(t, held().body).Effect)
	soon(t, "an approval is seen", allows(one, "git push"))
	refuses(t, one.as(t, "operator", http.MethodPost, "/v1/prompts/"+prompt.ID+"/answer", v1.AnswerRequest{Choice: "deny"}),
		http.StatusConflict, "prompt_answered")

	list := must[v1.ApprovalList](t, http.StatusOK, one.as(t, "operator", http.MethodGet, "/v1/approvals", nil))
	require.Len(t, list.Approvals, 1)
	require.Equal(t, http.StatusNoContent, one.as(t, "operator", http.MethodDelete, "/v1/approvals/"+list.Approvals[0].ID, nil).status)
	soon(t, "a revocation is seen", asks(two, "git push"))

	must[v1.GrantResponse](t, http.StatusCreated, one.give(t, "s", tree.Other, ""))
	soon(t, "a grant is seen", func() bool { return two.file(t, "s", "Read", secret).Effect == v1.EffectAllow })
	require.Equal(t, http.StatusNoContent, two.as(t, "agent", http.MethodDelete, sessionPath("s"), nil).status)
	soon(t, "the end of a session is seen", func() bool { return one.file(t, "s", "Read", secret).Effect != v1.EffectAllow })

	// One answer for one call is spent by one of two sidecars.
	one.register(t, tree, "once")
	two.reply(t, one.shell(t, "once", "git pull").Prompt, "once")
	soon(t, "a one-shot answer is seen", func() bool { return one.shell(t, "once", "git pull").Effect == v1.EffectAllow })
	for range 20 {
		assert.NotEqual(t, v1.EffectAllow, two.shell(t, "once", "git pull").Effect)
	}
}

// An answer that is remembered at one sidecar lets the calls run that wait at the other: those that it
// covers, in other sessions, and no others. So do an approval and a grant that an operator gives there.
func TestAnswersReleaseCallsAtOtherSidecars(t *testing.T) {
	tree := newTree(t)
	_, one, two := shared(t)
	for _, id := range []string{"a", "b", "c"} {
		one.register(t, tree, id)
	}
	waits := func(id, tool, name, argument string) func() answer {
		return one.hold(t, http.MethodPost, "/v1/decide?wait=5m",
			`{"tool":"`+tool+`","args":{"`+name+`":"`+argument+`"},"session":{"id":"`+id+`"}}`)
	}
	first, second, other := waits("a", "Bash", "command", "git push"), waits("b", "Bash", "command", "git push"), waits("c", "Bash", "command", "git fetch")
	pull := waits("a", "Bash", "command", "git pull")
	file := waits("b", "Read", "file_path", filepath.Join(tree.Other, "secret.txt"))
	two.pendingCount(t, 5)
	two.reply(t, two.pending(t, "git push"), "always_here")
	assert.Equal(t, v1.EffectAllow, wellFormed(t, first().body).Effect)
	assert.Equal(t, v1.EffectAllow, wellFormed(t, second().body).Effect)
	two.approve(t, "git pull", tree.Project)
	assert.Equal(t, v1.EffectAllow, wellFormed(t, pull().body).Effect)
	must[v1.GrantResponse](t, http.StatusCreated, two.give(t, "b", tree.Other, ""))
	assert.Equal(t, v1.EffectAllow, wellFormed(t, file().body).Effect)

	left := two.pendingCount(t, 1)
	assert.Equal(t, "git fetch", left[0].Call.Text, "what nothing covers waits on")
	two.reply(t, &left[0], "deny")
	assert.Equal(t, v1.EffectDeny, wellFormed(t, other().body).Effect)
}

// TestAStoreThatIsAwayMakesQuestions checks D2: calls that approvals and grants would have allowed prompt,
// the server reports it, and no decision hangs.
func TestAStoreThatIsAwayMakesQuestions(t *testing.T) {
	tree := newTree(t)
	database, s, _ := shared(t)
	s.register(t, tree, "s")
	s.approve(t, "git push", tree.Project)
	require.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
	database.Stop(t)
	soon(t, "the store is missed", func() bool { return s.shell(t, "s", "git push").Effect == v1.EffectPrompt })
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "ls").Effect, "what needs no memory goes on")
	ready := s.as(t, "agent", http.MethodGet, "/readyz", nil)
	assert.Equal(t, http.StatusOK, ready.status)
	assert.Contains(t, string(ready.body), `"store"`)
	begun := time.Now()
	for _, line := range []string{"git push", "git fetch", "git pull"} {
		s.shell(t, "s", line)
	}
	t.Logf("three questions without a store in %s", time.Since(begun).Round(time.Millisecond))
	refuses(t, s.as(t, "operator", http.MethodPost, "/v1/approvals", v1.ApprovalRequest{Verb: "git fetch"}), http.StatusServiceUnavailable, "store_unavailable")
	prompt := s.shell(t, "s", "git fetch").Prompt
	refuses(t, s.as(t, "operator", http.MethodPost, "/v1/prompts/"+prompt.ID+"/answer", v1.AnswerRequest{Choice: "always_here"}),
		http.StatusServiceUnavailable, "store_unavailable")
	s.reply(t, prompt, "once")
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git fetch").Effect, "a person can still say yes to one call")
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "git fetch").Effect)
	database.StartAgain(t)
	soon(t, "the store is back", func() bool { return s.shell(t, "s", "git push").Effect == v1.EffectAllow })
}
