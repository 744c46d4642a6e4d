package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// library is a whitelisted place with repositories in it, and a registered project.
type library struct {
	*server
	tree project.Tree
	// root is whitelisted; registered is a registered project outside of it.
	root, registered string
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	l := &library{tree: newTree(t)}
	base := mkdirs(t, t.TempDir(), "code/git/src/deep", "code/node/lib", "code/go/pkg", "code/rust/src", "code/plain/x", "projects/one/src", "elsewhere/repo")
	for _, mark := range []string{"code/git/.git", "code/node/package.json", "code/go/go.mod", "code/rust/Cargo.toml", "elsewhere/repo/go.mod"} {
		require.NoError(t, os.WriteFile(filepath.Join(base, mark), nil, 0o600))
	}
	l.root, l.registered = filepath.Join(base, "code"), filepath.Join(base, "projects", "one")
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	text := fmt.Sprintf("scope: {whitelist: [%s], projects: [%s]}\n", l.root, l.registered)
	require.NoError(t, os.WriteFile(settings, []byte(text), 0o600))
	l.server = startServer(t, "--config", settings)
	return l
}

// ask asks for access as the agent of a session.
func (l *library) ask(t *testing.T, id, path string) answer {
	t.Helper()
	return l.as(t, "agent", http.MethodPost, sessionPath(id, "/access-requests"), v1.AccessRequest{Path: path, Reason: "to see how it is done"})
}

// TestTheCrossRepositoryFlow walks the whole way of a read in another repository:
// refused, asked for, granted, read, and asked again in a new session (P7 to P9).
func TestTheCrossRepositoryFlow(t *testing.T) {
	l := newLibrary(t)
	l.register(t, l.tree, "s")
	file := filepath.Join(l.root, "git/src/deep/f.txt")
	require.Equal(t, v1.EffectPrompt, l.file(t, "s", "Read", file).Effect)

	pending := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, "s", file))
	require.Equal(t, v1.AccessPending, pending.State)
	unit := filepath.Join(l.root, "git")
	assert.Equal(t, unit, pending.Prompt.Call.GrantRoot)
	assert.Equal(t, "to see how it is done", pending.Prompt.Call.Reason)
	assert.Equal(t, []string{file}, pending.Prompt.Call.Paths)
	assert.Equal(t, "s", pending.Prompt.Call.SessionID)
	again := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, "s", filepath.Join(unit, "src")))
	assert.Equal(t, pending.Prompt.ID, again.Prompt.ID, "one question for one grant")

	refuses(t, l.as(t, "operator", http.MethodPost, "/v1/prompts/"+pending.Prompt.ID+"/answer", v1.AnswerRequest{Choice: "once"}),
		http.StatusBadRequest, "choice_not_offered")
	given := l.reply(t, pending.Prompt, "allow")
	assert.Equal(t, v1.EffectAllow, given.Decision)
	require.Len(t, given.Grants, 1)
	assert.Equal(t, unit+" (read-only)", given.Grants[0].Label)
	refuses(t, l.as(t, "operator", http.MethodPost, "/v1/prompts/"+pending.Prompt.ID+"/answer", v1.AnswerRequest{Choice: "deny"}),
		http.StatusConflict, "prompt_answered")

	assert.Equal(t, v1.EffectAllow, l.file(t, "s", "Read", file).Effect)
	assert.Equal(t, v1.EffectDeny, l.file(t, "s", "Write", file).Effect)
	assert.Equal(t, v1.EffectAllow, l.shell(t, "s", "grep -rn x "+unit+"/src").Effect)
	assert.Equal(t, v1.EffectPrompt, l.file(t, "s", "Read", filepath.Join(l.root, "node/lib/f.txt")).Effect)
	already := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, "s", file))
	assert.Equal(t, v1.AccessGranted, already.State)
	assert.Equal(t, "granted: "+unit, already.Result)
	assert.Nil(t, already.Prompt)

	l.register(t, l.tree, "t")
	assert.Equal(t, v1.EffectPrompt, l.file(t, "t", "Read", file).Effect, "a new session asks again")
	require.Equal(t, http.StatusNoContent, l.as(t, "operator", http.MethodDelete, sessionPath("s", "/grants/"+given.Grants[0].ID), nil).status)
	assert.Equal(t, v1.EffectPrompt, l.file(t, "s", "Read", file).Effect, "a person can take it back")
}

// TestGrantUnits checks what is granted for a path, and what nobody is asked (P7).
func TestGrantUnits(t *testing.T) {
	l := newLibrary(t)
	l.register(t, l.tree, "s")
	outside := filepath.Join(filepath.Dir(l.root), "elsewhere/repo")
	require.NoError(t, os.Symlink(outside, filepath.Join(l.root, "git/src/out")))
	require.NoError(t, os.Symlink(filepath.Join(l.root, "node"), filepath.Join(l.tree.Other, "in")))
	require.NoError(t, os.WriteFile(filepath.Join(l.root, "git/.env"), []byte("A=b"), 0o600))
	tests := []struct{ name, path, unit string }{
		{".git as a file", l.root + "/git/src/deep/f.txt", l.root + "/git"},
		{"package.json", l.root + "/node/lib/f.txt", l.root + "/node"},
		{"go.mod", l.root + "/go/pkg", l.root + "/go"},
		{"Cargo.toml", l.root + "/rust/src/new.rs", l.root + "/rust"},
		{"the unit itself", l.root + "/rust", l.root + "/rust"},
		{"a registered project", l.registered + "/src/f.txt", l.registered},
		{"a registered project itself", l.registered, l.registered},
		{"a link from outside leads in", l.tree.Other + "/in/lib/f.txt", l.root + "/node"},
		{"no repository's shape", l.root + "/plain/x/f.txt", ""},
		{"the whitelisted root", l.root, ""},
		{"outside the whitelist", outside + "/f.txt", ""},
		{"a link leads the walk out", l.root + "/git/src/out/f.txt", ""},
		{"a prefix sibling", l.root + "x/git/f.txt", ""},
		{"the root of the disk", "/", ""},
		{"a sensitive root", "/etc/hosts", ""},
		{"a secret", l.root + "/git/.env", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, "s", test.path))
			if test.unit == "" {
				assert.Equal(t, v1.AccessRefused, got.State)
				assert.True(t, strings.HasPrefix(got.Result, "denied: "), got.Result)
				assert.Nil(t, got.Prompt)
				return
			}
			require.Equal(t, v1.AccessPending, got.State, got.Result)
			assert.Equal(t, test.unit, got.Prompt.Call.GrantRoot)
		})
	}
	got := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, "s", outside+"/f.txt"))
	assert.Equal(t, "denied: path outside permitted scope", got.Result)
	pending := must[v1.PromptList](t, http.StatusOK, l.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending", nil))
	for _, prompt := range pending.Prompts {
		assert.NotEmpty(t, prompt.Call.GrantRoot)
		assert.NotContains(t, []string{"/etc", "/", l.root, outside}, prompt.Call.GrantRoot)
	}
}

// TestWhoMayNotBeAsked checks that an audience that can't use a grant, and a session that nobody attends, are
// refused at once.
func TestWhoMayNotBeAsked(t *testing.T) {
	l := newLibrary(t)
	file := filepath.Join(l.root, "git/src/f.txt")
	l.register(t, l.tree, "public", func(session *v1.Session) { session.Audience = v1.AudiencePublic })
	l.register(t, l.tree, "alone", func(session *v1.Session) { session.Interactive = new(false) })
	for _, id := range []string{"public", "alone"} {
		got := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, id, file))
		assert.Equal(t, v1.AccessRefused, got.State, id)
		assert.True(t, strings.HasPrefix(got.Result, "denied: "), got.Result)
	}
}

// TestBadAccessRequestsAreRefused checks P7 and D4.
func TestBadAccessRequestsAreRefused(t *testing.T) {
	l := newLibrary(t)
	l.register(t, l.tree, "s")
	file := filepath.Join(l.root, "git/src/f.txt")
	long := strings.Repeat("é", 501)
	for body, code := range map[string]string{
		`{"path":"` + file + `","reason":""}`:                         "invalid_request",
		`{"path":"` + file + `","reason":"  "}`:                       "invalid_request",
		`{"path":"` + file + `","reason":"` + long + `"}`:             "invalid_request",
		`{"path":"` + file + `","reason":"a\u202eb"}`:                 "invalid_request",
		`{"path":"src/f.txt","reason":"x"}`:                           "invalid_path",
		`{"path":"","reason":"x"}`:                                    "invalid_path",
		`{"path":"/a\u0000b","reason":"x"}`:                           "invalid_path",
		`{"path":"/a\u200bb","reason":"x"}`:                           "invalid_path",
		`{"path":"` + file + `","reason":"x","wait":"11m"}`:           "invalid_request",
		`{"path":"` + file + `","reason":"x","wait":"soon"}`:          "invalid_request",
		`{"path":"` + file + `","reason":"x","mode":"read_write"}`:    "unknown_key",
		`{"path":"/` + strings.Repeat("a/", 2500) + `","reason":"x"}`: "invalid_path",
	} {
		refuses(t, l.as(t, "agent", http.MethodPost, sessionPath("s", "/access-requests"), body), http.StatusBadRequest, code)
	}
	exact := must[v1.AccessResponse](t, http.StatusOK, l.as(t, "agent", http.MethodPost, sessionPath("s", "/access-requests"),
		v1.AccessRequest{Path: file, Reason: strings.Repeat("é", 500)}))
	assert.Equal(t, v1.AccessPending, exact.State)
	refuses(t, l.ask(t, "nobody", file), http.StatusNotFound, "not_found")
}

// TestTheDiskChangesBetweenAskAndAnswer checks P8.
func TestTheDiskChangesBetweenAskAndAnswer(t *testing.T) {
	l := newLibrary(t)
	l.register(t, l.tree, "s")
	for name, swap := range map[string]func(unit string) error{
		"a link to a sensitive root": func(unit string) error { return os.Symlink("/etc", unit) },
		"a link elsewhere":           func(unit string) error { return os.Symlink(l.tree.Other, unit) },
		"gone":                       func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			unit := filepath.Join(l.root, strings.ReplaceAll(name, " ", "-"))
			require.NoError(t, os.MkdirAll(unit, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(unit, "go.mod"), nil, 0o600))
			asked := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, "s", unit))
			require.NoError(t, os.RemoveAll(unit))
			require.NoError(t, swap(unit))
			given := l.reply(t, asked.Prompt, "allow")
			assert.Equal(t, v1.EffectDeny, given.Decision)
			assert.True(t, strings.HasPrefix(given.Resolution, "Denied: "), given.Resolution)
			assert.Empty(t, given.Grants)
			list := must[v1.GrantList](t, http.StatusOK, l.as(t, "operator", http.MethodGet, sessionPath("s", "/grants"), nil))
			assert.Empty(t, list.Grants)
			assert.Equal(t, v1.EffectPrompt, l.file(t, "s", "Read", "/etc/hosts").Effect)
		})
	}
}

// TestTheGrantRootIsComputedAgain checks P8 for every way in which the directory that was shown can stop
// being the one that is granted.
func TestTheGrantRootIsComputedAgain(t *testing.T) {
	tests := []struct {
		name   string
		change func(t *testing.T, unit string)
		want   string
	}{
		{"nothing changes", func(*testing.T, string) {}, "Granted: "},
		{"the file that marks the project is gone", func(t *testing.T, unit string) {
			t.Helper()
			require.NoError(t, os.Remove(filepath.Join(unit, "go.mod")))
		}, "Denied: "},
		{"a project appears below", func(t *testing.T, unit string) {
			t.Helper()
			require.NoError(t, os.WriteFile(filepath.Join(unit, "sub", "package.json"), nil, 0o600))
		}, "Denied: "},
		{"the marker moves to a directory above", func(t *testing.T, unit string) {
			t.Helper()
			require.NoError(t, os.Rename(filepath.Join(unit, "go.mod"), filepath.Join(filepath.Dir(unit), "go.mod")))
		}, "Denied: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := newLibrary(t)
			l.register(t, l.tree, "s")
			unit := mkdirs(t, l.root, "group/unit/sub") + "/group/unit"
			require.NoError(t, os.WriteFile(filepath.Join(unit, "go.mod"), nil, 0o600))
			file := filepath.Join(unit, "sub", "f.txt")
			asked := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, "s", file))
			require.NotNil(t, asked.Prompt, asked.Result)
			require.Equal(t, unit, asked.Prompt.Call.GrantRoot)
			test.change(t, unit)
			given := l.reply(t, asked.Prompt, "allow")
			assert.True(t, strings.HasPrefix(given.Resolution, test.want), given.Resolution)
			granted := test.want == "Granted: "
			assert.Equal(t, granted, len(given.Grants) == 1)
			assert.Equal(t, granted, l.file(t, "s", "Read", file).Effect == v1.EffectAllow)
		})
	}
}

// TestAWhitelistedRootIsNotGranted checks P7: a whitelisted root that is a repository itself isn't granted,
// since it holds others.
func TestAWhitelistedRootIsNotGranted(t *testing.T) {
	for _, mark := range []string{".git", "go.mod", "package.json", "Cargo.toml"} {
		t.Run(mark, func(t *testing.T) {
			l := newLibrary(t)
			l.register(t, l.tree, "s")
			require.NoError(t, os.WriteFile(filepath.Join(l.root, mark), nil, 0o600))
			for path, unit := range map[string]string{
				l.root: "", l.root + "/README.md": "", l.root + "/plain/x/f.txt": "", l.root + "/node/lib/f.txt": l.root + "/node",
			} {
				got := must[v1.AccessResponse](t, http.StatusOK, l.ask(t, "s", path))
				if unit == "" {
					assert.Equal(t, "denied: path outside permitted scope", got.Result, path)
					continue
				}
				require.NotNil(t, got.Prompt, path)
				assert.Equal(t, unit, got.Prompt.Call.GrantRoot)
			}
		})
	}
}

// TestAWorkingDirectoryIsNoDefaultDirectory checks V4 and P14: set_working_directory widens what may be read,
// and a call without a directory runs where it did.
func TestAWorkingDirectoryIsNoDefaultDirectory(t *testing.T) {
	l := newLibrary(t)
	own := mkdirs(t, t.TempDir(), "own") + "/own"
	for _, session := range []v1.Session{
		{ID: "nothing"}, {ID: "own", SessionDir: own}, {ID: "project", ProjectDir: l.tree.Project, SessionDir: own},
	} {
		session.Agent, session.Audience, session.Interactive = "claude-code", v1.AudiencePersonal, new(true)
		must[v1.SessionInfo](t, http.StatusCreated, l.as(t, "agent", http.MethodPut, sessionPath(session.ID), session))
		before := l.shell(t, session.ID, "ls").Cwd
		for _, dir := range []string{l.registered, l.root + "/plain"} {
			changed := must[v1.SessionPatchResponse](t, http.StatusOK, l.as(t, "operator", http.MethodPatch, sessionPath(session.ID), v1.SessionPatch{AddDir: dir}))
			assert.Equal(t, v1.AccessGranted, changed.State)
			assert.Equal(t, before, l.shell(t, session.ID, "ls").Cwd, session.ID)
		}
	}
}

// TestAccessRequestsAreHeld checks that an answer reaches who waits for it.
func TestAccessRequestsAreHeld(t *testing.T) {
	l := newLibrary(t)
	l.register(t, l.tree, "s")
	for choice, want := range map[string]v1.AccessResponse{
		"allow": {State: v1.AccessGranted, Result: "granted: " + l.root + "/go"},
		"deny":  {State: v1.AccessDenied, Result: "denied"},
	} {
		unit := map[string]string{"allow": l.root + "/go", "deny": l.root + "/rust"}[choice]
		held := l.hold(t, http.MethodPost, sessionPath("s", "/access-requests"), v1.AccessRequest{Path: unit, Reason: "x", Wait: "1m"})
		l.reply(t, l.pendingFor(t, unit), choice)
		got := must[v1.AccessResponse](t, http.StatusOK, held())
		assert.Equal(t, want.State, got.State)
		assert.Equal(t, want.Result, got.Result)
	}
	short := must[v1.AccessResponse](t, http.StatusOK, l.as(t, "agent", http.MethodPost, sessionPath("s", "/access-requests"),
		v1.AccessRequest{Path: l.root + "/node", Reason: "x", Wait: "10ms"}))
	assert.Equal(t, v1.AccessPending, short.State)
}

// hold sends a request of an agent whose answer is held, and returns what waits
// for it.
func (s *server) hold(t *testing.T, method, path string, body any) func() answer {
	t.Helper()
	type result struct {
		answer
		err error
	}
	results := make(chan result, 1)
	token := s.token(t, "agent")
	go func() {
		got, err := s.send(t.Context(), token, method, path, body)
		results <- result{got, err}
	}()
	return func() answer {
		t.Helper()
		select {
		case got := <-results:
			require.NoError(t, got.err)
			return got.answer
		case <-time.After(patience):
			require.FailNow(t, "the answer is still held")
			return answer{}
		}
	}
}

// pendingFor waits until the question for a grant is open.
func (s *server) pendingFor(t *testing.T, root string) *v1.Prompt {
	t.Helper()
	var found *v1.Prompt
	require.Eventually(t, func() bool {
		list := must[v1.PromptList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts?state=pending", nil))
		for i := range list.Prompts {
			if list.Prompts[i].Call.GrantRoot == root {
				found = &list.Prompts[i]
			}
		}
		return found != nil
	}, patience, patience/1000)
	return found
}

// TestWorkingDirectories checks P14.
func TestWorkingDirectories(t *testing.T) {
	l := newLibrary(t)
	l.register(t, l.tree, "s")
	add := func(role, id, dir string) answer {
		return l.as(t, role, http.MethodPatch, sessionPath(id), v1.SessionPatch{AddDir: dir})
	}
	inside := must[v1.SessionPatchResponse](t, http.StatusOK, add("agent", "s", filepath.Join(l.tree.Project, "src")))
	assert.Equal(t, v1.ChangeUnchanged, inside.State)
	assert.Empty(t, inside.Session.ReadPaths)

	silent := must[v1.SessionPatchResponse](t, http.StatusOK, add("agent", "s", l.registered))
	assert.Equal(t, v1.AccessGranted, silent.State)
	assert.Equal(t, v1.EffectAllow, l.file(t, "s", "Read", l.registered+"/f.txt").Effect)
	assert.Equal(t, v1.EffectDeny, l.file(t, "s", "Write", l.registered+"/f.txt").Effect, "read-only")

	asked := must[v1.SessionPatchResponse](t, http.StatusAccepted, add("agent", "s", l.root+"/plain"))
	assert.Equal(t, v1.AccessPending, asked.State)
	assert.Equal(t, v1.EffectPrompt, l.file(t, "s", "Read", l.root+"/plain/f.txt").Effect)
	l.reply(t, asked.Prompt, "allow")
	assert.Equal(t, v1.EffectAllow, l.file(t, "s", "Read", l.root+"/plain/f.txt").Effect)
	assert.Equal(t, v1.EffectPrompt, l.file(t, "s", "Read", l.root+"/f.txt").Effect, "nothing above it")

	for _, dir := range []string{"/", "/etc", "/proc/self/cwd", l.tree.Home, l.stateDir} {
		refuses(t, add("agent", "s", dir), http.StatusForbidden, "sensitive_root")
	}
	refuses(t, add("agent", "s", l.tree.Project+"/nowhere"), http.StatusBadRequest, "directory_not_found")
	refuses(t, add("agent", "s", l.tree.Project+"/README.md"), http.StatusBadRequest, "directory_not_found")
	refuses(t, add("agent", "s", "src"), http.StatusBadRequest, "invalid_path")
	must[v1.SessionPatchResponse](t, http.StatusOK, add("operator", "s", l.root+"/node"))
	assert.Equal(t, v1.EffectAllow, l.file(t, "s", "Read", l.root+"/node/f.txt").Effect, "an operator's word is enough")

	l.register(t, l.tree, "alone", func(session *v1.Session) { session.Interactive = new(false) })
	refuses(t, add("agent", "alone", l.root+"/go"), http.StatusForbidden, "session_unattended")
	l.register(t, l.tree, "public", func(session *v1.Session) { session.Audience = v1.AudiencePublic })
	refuses(t, add("agent", "public", l.registered), http.StatusForbidden, "outside_scope")
}
