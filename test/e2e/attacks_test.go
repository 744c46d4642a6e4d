package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/postgres"
)

// TestIDsAreReadOnce checks that a percent sign in an id is no escape of another id.
func TestIDsAreReadOnce(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	for _, id := range []string{"vA", "v%41", "50%", "a?b#c%d"} {
		s.register(t, tree, id)
	}
	assert.Equal(t, "Granted: "+tree.Other+" (read-only)", s.cli(t, "grants add "+tree.Other+" --session 'v%41'"))
	secret := filepath.Join(tree.Other, "secret.txt")
	assert.Equal(t, v1.EffectAllow, s.file(t, "v%41", "Read", secret).Effect)
	assert.Equal(t, v1.EffectPrompt, s.file(t, "vA", "Read", secret).Effect)
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, sessionPath("v%41"), nil).status)
	for id, state := range map[string]string{"vA": "active", "v%41": "archived", "50%": "active", "a?b#c%d": "active"} {
		info := must[v1.SessionInfo](t, http.StatusOK, s.as(t, "agent", http.MethodGet, sessionPath(id), nil))
		assert.Equal(t, state, info.State, id)
		assert.Equal(t, id, info.ID)
	}
}

// TestALinkInThePlaceOfAProjectMovesNothing checks P14: a session's directories are those that its host
// named, by what they were then.
func TestALinkInThePlaceOfAProjectMovesNothing(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	vendored := filepath.Join(tree.Project, "vend")
	require.NoError(t, os.Mkdir(vendored, 0o755))
	s.register(t, tree, "s", func(session *v1.Session) { session.ExtraDirs = []string{vendored} })
	require.NoError(t, os.Remove(vendored))
	require.NoError(t, os.Symlink(tree.Other, vendored))
	for _, path := range []string{filepath.Join(tree.Other, "new.txt"), filepath.Join(vendored, "new.txt")} {
		assert.NotEqual(t, v1.EffectAllow, s.file(t, "s", "Write", path).Effect, path)
	}
	// A session directory that isn't there yet can't become a link elsewhere.
	later := filepath.Join(mkdirs(t, t.TempDir()), "later")
	s.register(t, tree, "later", func(session *v1.Session) { session.SessionDir = later })
	require.NoError(t, os.Symlink(tree.Other, later))
	assert.NotEqual(t, v1.EffectAllow, s.file(t, "later", "Write", filepath.Join(tree.Other, "new.txt")).Effect)
	// A project that is named by a link is what the link led to.
	link := filepath.Join(t.TempDir(), "current")
	require.NoError(t, os.Symlink(tree.Project, link))
	s.register(t, tree, "linked", func(session *v1.Session) { session.ProjectDir = link })
	info := must[v1.SessionInfo](t, http.StatusOK, s.as(t, "agent", http.MethodGet, sessionPath("linked"), nil))
	assert.Equal(t, tree.Project, info.ProjectDir)
	assert.Equal(t, v1.EffectAllow, s.file(t, "linked", "Write", filepath.Join(link, "new.txt")).Effect)
	again := session(tree, "claude-code")
	again.ID, again.ProjectDir = "linked", link
	must[v1.SessionInfo](t, http.StatusOK, s.as(t, "agent", http.MethodPut, sessionPath("linked"), again))
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink(tree.Other, link))
	assert.NotEqual(t, v1.EffectAllow, s.file(t, "linked", "Write", filepath.Join(link, "new.txt")).Effect)
}

// TestASessionThatCantBeLookedUpHasNothing checks D2 and C5: while the store is away, a session that is kept
// with less is not what a call says it is.
func TestASessionThatCantBeLookedUpHasNothing(t *testing.T) {
	tree := newTree(t)
	database := postgres.Start(t)
	t.Setenv("POLICYD_STORE", database.Fresh(t))
	s := startServer(t)
	s.register(t, tree, "narrow", func(session *v1.Session) { session.Audience = v1.AudiencePublic })
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, sessionPath("narrow"), nil).status)
	database.Stop(t)
	readme := filepath.Join(tree.Project, "README.md")
	for _, id := range []string{"narrow", "new"} {
		for range 3 {
			decision := s.decide(t, v1.Call{
				Tool: "Read", Args: []byte(`{"file_path":"` + readme + `"}`), Session: withID(session(tree, "claude-code"), id),
			})
			assert.Equal(t, v1.EffectPrompt, decision.Effect, id)
		}
	}
	database.StartAgain(t)
	soon(t, "a new session is kept", func() bool {
		return s.decide(t, v1.Call{
			Tool: "Read", Args: []byte(`{"file_path":"` + readme + `"}`), Session: withID(session(tree, "claude-code"), "new"),
		}).Effect == v1.EffectAllow
	})
	refuses(t, s.as(t, "agent", http.MethodPut, sessionPath("narrow"), v1.Session{Audience: "personal"}), http.StatusConflict, "session_conflict")
}

// TestRacesWithTheEndOfASession checks that losing a race is a conflict and no failure of the store, and that
// nothing is widened by one.
func TestRacesWithTheEndOfASession(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	agent, operator := s.token(t, "agent"), s.token(t, "operator")
	s.register(t, tree, "narrow", func(session *v1.Session) { session.Audience = v1.AudiencePublic })
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, sessionPath("narrow"), nil).status)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 25 {
				body := session(tree, "claude-code")
				_, err := s.send(t.Context(), agent, http.MethodPut, sessionPath("race"), withID(body, "race"))
				assert.NoError(t, err)
				var both sync.WaitGroup
				both.Go(func() {
					got, err := s.send(t.Context(), operator, http.MethodPost, sessionPath("race", "/grants"), v1.GrantRequest{Path: tree.Other})
					if assert.NoError(t, err) {
						assert.NotEqualf(t, http.StatusServiceUnavailable, got.status, "%s", got.body)
					}
				})
				both.Go(func() {
					_, err := s.send(t.Context(), agent, http.MethodDelete, sessionPath("race"), nil)
					assert.NoError(t, err)
				})
				both.Wait()
				call := v1.Call{
					Tool: "Read", Args: []byte(`{"file_path":"` + tree.Project + `/README.md"}`), Session: withID(body, "narrow"),
				}
				got, err := s.send(t.Context(), agent, http.MethodPost, "/v1/decide", call)
				if assert.NoError(t, err) {
					assert.NotContains(t, string(got.body), `"decision":"allow"`)
				}
			}
		})
	}
	group.Wait()
	assert.NotContains(t, s.stderr.String(), "store failed")
}

// TestChildrenHaveTheirParentsAnswersAfterARestart checks C5.
func TestChildrenHaveTheirParentsAnswersAfterARestart(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	put := func(id, parent string) answer {
		body := session(tree, "claude-code")
		body.ID, body.ParentID = id, parent
		return s.as(t, "operator", http.MethodPut, sessionPath(id), body)
	}
	must[v1.SessionInfo](t, http.StatusCreated, put("parent", ""))
	must[v1.SessionInfo](t, http.StatusCreated, put("child", "parent"))
	must[v1.SessionInfo](t, http.StatusCreated, put("grandchild", "child"))
	s.reply(t, s.shell(t, "parent", "git push").Prompt, "session")
	s.reply(t, s.shell(t, "child", "git fetch").Prompt, "session")
	for range 2 {
		assert.Equal(t, v1.EffectAllow, s.shell(t, "grandchild", "git push && git fetch").Effect)
		assert.Equal(t, v1.EffectPrompt, s.shell(t, "parent", "git fetch").Effect, "never the other way")
		s = s.restart(t)
	}
	must[v1.SessionInfo](t, http.StatusCreated, put("late", "parent"))
	for code, parent := range map[string]string{"nobody": "nobody", "itself": "itself"} {
		refuses(t, put(code, parent), http.StatusForbidden, "parent_refused")
	}
}

// TestOneAnswerIsForOneAudience checks that what a person saw as a personal call doesn't release a public
// one.
func TestOneAnswerIsForOneAudience(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	s.reply(t, s.shell(t, "s", "git push").Prompt, "once")
	public := s.decide(t, v1.Call{
		Tool: "Bash", Args: []byte(`{"command":"git push"}`), Session: v1.Session{ID: "s", Audience: v1.AudiencePublic},
	})
	assert.Equal(t, v1.EffectPrompt, public.Effect)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git push").Effect)
}

// TestTheBoundAddressIsTheSidecarsOwn checks P6 for a port that the system chose.
func TestTheBoundAddressIsTheSidecarsOwn(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	assert.Equal(t, v1.EffectDeny, s.shell(t, "s", "curl "+s.url+"/v1/prompts").Effect)
}

// TestUselessSettingsAreReported checks D4: a grant without effect is reported.
func TestUselessSettingsAreReported(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte(`
scope: {projects: [/etc, /nowhere/at/all]}
agents: {bad: {grants: [{path: /etc}, {path: /nowhere/at/all}, {path: ~/.ssh}]}}
`), 0o600))
	s := startServer(t, "--config", settings)
	said := func() bool {
		for _, part := range []string{
			"agents.bad.grants: /etc gives nothing", "agents.bad.grants: /nowhere/at/all gives nothing", "agents.bad.grants: ~/.ssh gives nothing",
			"scope.projects: /etc gives nothing", "scope.projects: /nowhere/at/all is no directory",
		} {
			if !strings.Contains(s.stderr.String(), part) {
				return false
			}
		}
		return true
	}
	// What is logged arrives in its own time.
	require.Eventually(t, said, patience, patience/1000)
	list := must[v1.GrantList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/agents/bad/grants", nil))
	assert.Empty(t, list.Grants)
}
