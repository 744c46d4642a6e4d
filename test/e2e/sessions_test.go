package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestSessionsNarrowAndNeverWiden checks C5 for registrations.
func TestSessionsNarrowAndNeverWiden(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	src := filepath.Join(tree.Project, "src")
	put := func(id string, change v1.Session) answer {
		return s.as(t, "agent", http.MethodPut, sessionPath(id), change)
	}
	tests := []struct {
		name   string
		change v1.Session
		status int
		detail string
	}{
		{"nothing new", v1.Session{}, 200, ""},
		{"the same audience", v1.Session{Audience: "personal"}, 200, ""},
		{"a narrower audience", v1.Session{Audience: "team"}, 200, ""},
		{"an unknown audience is the narrowest", v1.Session{Audience: "world"}, 200, ""},
		{"nobody there any more", v1.Session{Interactive: new(false)}, 200, ""},
		{"the project's subdirectory", v1.Session{ProjectDir: src}, 200, ""},
		{"another agent", v1.Session{Agent: "codex"}, 409, "agent"},
		{"another home", v1.Session{Home: "/home/else"}, 409, "home"},
		{"another platform", v1.Session{Platform: "darwin"}, 409, "platform"},
		{"another shell", v1.Session{Shell: "zsh"}, 409, "shell"},
		{"the project's parent", v1.Session{ProjectDir: filepath.Dir(tree.Project)}, 409, "project_dir"},
		{"a prefix sibling", v1.Session{ProjectDir: tree.Project + "x"}, 409, "project_dir"},
		{"another project", v1.Session{ProjectDir: tree.Other}, 409, "project_dir"},
		{"a way out and back in", v1.Session{ProjectDir: src + "/../../other"}, 409, "project_dir"},
		{"a session directory", v1.Session{SessionDir: tree.Other}, 409, "session_dir"},
		{"another directory", v1.Session{ExtraDirs: []string{tree.Other}}, 409, "extra_dirs"},
		{"a directory inside the project", v1.Session{ExtraDirs: []string{src}}, 200, ""},
		{"a parent", v1.Session{ParentID: "nobody"}, 409, "parent_id"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			id := "n-" + strings.ReplaceAll(test.name, " ", "-")
			s.register(t, tree, id)
			got := put(id, test.change)
			require.Equalf(t, test.status, got.status, "%s", got.body)
			assert.Contains(t, string(got.body), test.detail)
		})
	}

	id := "narrowed"
	s.register(t, tree, id)
	assert.Equal(t, v1.EffectAllow, s.file(t, id, "Read", filepath.Join(tree.Project, "README.md")).Effect)
	info := must[v1.SessionInfo](t, http.StatusOK, put(id, v1.Session{Audience: "public", Interactive: new(false)}))
	assert.Equal(t, v1.AudiencePublic, info.Audience)
	refuses(t, put(id, v1.Session{Audience: "personal"}), http.StatusConflict, "session_conflict")
	refuses(t, put(id, v1.Session{Interactive: new(true)}), http.StatusConflict, "session_conflict")
	assert.Equal(t, v1.EffectDeny, s.file(t, id, "Read", filepath.Join(tree.Project, "README.md")).Effect, "public and unattended")
}

// TestCallsNarrowAndNeverWiden checks C5 for calls.
func TestCallsNarrowAndNeverWiden(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	readme := filepath.Join(tree.Project, "README.md")
	whole := s.register(t, tree, "whole")
	read := func(session v1.Session, path string) v1.Decision {
		args, err := json.Marshal(map[string]string{"file_path": path})
		require.NoError(t, err)
		return s.decide(t, v1.Call{Tool: "Read", Args: args, Session: session})
	}
	assert.Equal(t, v1.EffectAllow, read(v1.Session{ID: "whole"}, readme).Effect, "what is left out is as it was")
	assert.Equal(t, v1.EffectAllow, read(whole, readme).Effect)
	public := whole
	public.Audience = v1.AudiencePublic
	assert.Equal(t, v1.EffectPrompt, read(public, readme).Effect, "a narrower call")
	assert.Equal(t, v1.EffectAllow, read(whole, readme).Effect, "and only that call")

	narrow := s.register(t, tree, "narrow", func(session *v1.Session) {
		session.Audience, session.Interactive = v1.AudiencePublic, new(false)
	})
	assert.Equal(t, v1.EffectDeny, read(narrow, readme).Effect)
	narrow.Audience, narrow.Interactive = v1.AudiencePersonal, new(true)
	assert.Equal(t, v1.EffectDeny, read(narrow, readme).Effect, "a wider call counts for nothing")

	for name, change := range map[string]func(*v1.Session){
		"another agent":   func(s *v1.Session) { s.Agent = "codex" },
		"another home":    func(s *v1.Session) { s.Home = filepath.Dir(tree.Home) },
		"another project": func(s *v1.Session) { s.ProjectDir = tree.Other },
		"more":            func(s *v1.Session) { s.ExtraDirs = []string{tree.Other} },
		"a parent":        func(s *v1.Session) { s.ParentID = "narrow" },
	} {
		changed := whole
		change(&changed)
		decision := read(changed, readme)
		assert.Equal(t, v1.EffectDeny, decision.Effect, name)
		assert.Equal(t, []string{"session_conflict"}, codes(decision), name)
	}
	first := read(v1.Session{ID: "bare"}, readme)
	assert.Equal(t, v1.EffectDeny, first.Effect, "a first call that says nothing is public and unattended")
	parent := whole
	parent.ID, parent.ParentID = "child", "whole"
	assert.Equal(t, []string{"parent_refused"}, codes(read(parent, readme)), "a call can't name its parent")
}

// TestArchivedSessionsComeBackNarrow checks C5 and P9.
func TestArchivedSessionsComeBackNarrow(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	secret := filepath.Join(tree.Other, "secret.txt")
	s.register(t, tree, "a", func(session *v1.Session) { session.Audience = v1.AudienceTeam })
	must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "a", tree.Other, ""))
	assert.Equal(t, v1.EffectAllow, s.file(t, "a", "Read", secret).Effect)
	asked := s.shell(t, "a", "git push").Prompt
	require.NotNil(t, asked)

	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, sessionPath("a"), nil).status)
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, sessionPath("a"), nil).status, "twice")
	info := must[v1.SessionInfo](t, http.StatusOK, s.as(t, "agent", http.MethodGet, sessionPath("a"), nil))
	assert.Equal(t, v1.SessionArchived, info.State)
	prompt := must[v1.Prompt](t, http.StatusOK, s.as(t, "agent", http.MethodGet, "/v1/prompts/"+asked.ID, nil))
	assert.Equal(t, v1.PromptWithdrawn, prompt.State)
	refuses(t, s.as(t, "operator", http.MethodPost, "/v1/prompts/"+asked.ID+"/answer", v1.AnswerRequest{Choice: "once"}),
		http.StatusGone, "prompt_ended")

	wider := session(tree, "claude-code")
	refuses(t, s.as(t, "agent", http.MethodPut, sessionPath("a"), withID(wider, "a")), http.StatusConflict, "session_conflict")
	wider.Audience = v1.AudienceTeam
	must[v1.SessionInfo](t, http.StatusOK, s.as(t, "agent", http.MethodPut, sessionPath("a"), withID(wider, "a")))
	assert.Equal(t, v1.EffectPrompt, s.file(t, "a", "Read", secret).Effect, "its grants went")

	must[v1.SessionInfo](t, http.StatusOK, s.as(t, "agent", http.MethodPut, sessionPath("a"), v1.Session{Audience: "public"}))
	require.Equal(t, http.StatusNoContent, s.as(t, "agent", http.MethodDelete, sessionPath("a"), nil).status)
	decision := s.file(t, "a", "Read", filepath.Join(tree.Project, "README.md"))
	assert.Equal(t, v1.EffectPrompt, decision.Effect, "a call brings it back as narrow as it was")
}

func withID(session v1.Session, id string) v1.Session {
	session.ID = id
	return session
}

// TestSessionsOutliveTheServer checks C5 and P9 over a restart.
func TestSessionsOutliveTheServer(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "a", func(session *v1.Session) { session.Audience = v1.AudienceTeam })
	must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "a", tree.Other, ""))
	asked := s.shell(t, "a", "git push").Prompt
	s = s.restart(t)
	assert.Equal(t, v1.EffectAllow, s.file(t, "a", "Read", filepath.Join(tree.Other, "secret.txt")).Effect)
	refuses(t, s.as(t, "agent", http.MethodPut, sessionPath("a"), v1.Session{Audience: "personal"}), http.StatusConflict, "session_conflict")
	assert.Equal(t, asked.ID, s.shell(t, "a", "git push").Prompt.ID, "the question is still open")
}

// TestBadSessionsAreRefused checks D4.
func TestBadSessionsAreRefused(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "a")
	tests := []struct{ name, method, path, body, code string }{
		{"a slash in the id", "PUT", "/v1/sessions/a%2Fb", `{}`, "invalid_session_id"},
		{"a control character in the id", "PUT", "/v1/sessions/a%0Ab", `{}`, "invalid_session_id"},
		{"a space in the id", "PUT", "/v1/sessions/a%20b", `{}`, "invalid_session_id"},
		{"a long id", "PUT", "/v1/sessions/" + strings.Repeat("a", 129), `{}`, "invalid_session_id"},
		{"two ids", "PUT", "/v1/sessions/b", `{"id":"c"}`, "invalid_value"},
		{"an unknown key", "PUT", "/v1/sessions/b", `{"owner":"me"}`, "unknown_key"},
		{"null", "PUT", "/v1/sessions/b", `{"interactive":null}`, "null_value"},
		{"text for a boolean", "PUT", "/v1/sessions/b", `{"interactive":"true"}`, "wrong_type"},
		{"a relative project", "PUT", "/v1/sessions/b", `{"project_dir":"proj"}`, "invalid_path"},
		{"NUL in the project", "PUT", "/v1/sessions/b", `{"project_dir":"/tmp/a\u0000b"}`, "invalid_value"},
		{"a long project", "PUT", "/v1/sessions/b", `{"project_dir":"/` + strings.Repeat("a/", 2500) + `"}`, "invalid_path"},
		{"neither patch", "PATCH", "/v1/sessions/a", `{}`, "invalid_value"},
		{"both patches", "PATCH", "/v1/sessions/a", `{"add_dir":"/tmp/x","read_paths":[]}`, "invalid_value"},
		{"a parameter", "GET", "/v1/sessions/a?x=1", "", "unknown_parameter"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			refuses(t, s.as(t, "agent", test.method, test.path, test.body), http.StatusBadRequest, test.code)
		})
	}
	for _, dir := range []string{"/", "/etc", "/etc/ssh", "/proc/self", tree.Home, filepath.Dir(tree.Home), tree.Home + "/.ssh", s.stateDir} {
		refuses(t, s.as(t, "agent", http.MethodPut, sessionPath("b"), v1.Session{ProjectDir: dir, Home: tree.Home}), http.StatusForbidden, "sensitive_root")
	}
	refuses(t, s.as(t, "agent", http.MethodGet, sessionPath("nobody"), nil), http.StatusNotFound, "not_found")
	refuses(t, s.as(t, "agent", http.MethodPut, sessionPath("b"), v1.Session{ParentID: "a"}), http.StatusForbidden, "parent_refused")
}

// TestRolesAreKeptApart checks what an agent may not do, whatever it asks for.
func TestRolesAreKeptApart(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "a")
	prompt := s.shell(t, "a", "git push").Prompt
	for _, request := range []struct{ method, path, body string }{
		{"GET", "/v1/sessions/a/grants", ""},
		{"POST", "/v1/sessions/a/grants", `{"path":"/tmp/x"}`},
		{"DELETE", "/v1/sessions/a/grants/1", ""},
		{"GET", "/v1/agents/claude-code/grants", ""},
		{"POST", "/v1/agents/claude-code/grants", `{"path":"/tmp/x"}`},
		{"POST", "/v1/prompts/" + prompt.ID + "/answer", `{"choice":"once"}`},
		{"GET", "/v1/approvals", ""},
		{"POST", "/v1/approvals", `{"verb":"git push"}`},
		{"POST", "/v1/approvals/import", `{"approvals":[]}`},
		{"DELETE", "/v1/approvals/1", ""},
	} {
		refuses(t, s.as(t, "agent", request.method, request.path, request.body), http.StatusForbidden, "role_not_allowed")
	}
	kept := must[v1.Prompt](t, http.StatusOK, s.as(t, "agent", http.MethodGet, "/v1/prompts/"+prompt.ID, nil))
	assert.Equal(t, v1.PromptPending, kept.State)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/sessions/a", http.NoBody)
	require.NoError(t, err)
	status, _, _ := do(t, http.DefaultClient, request)
	assert.Equal(t, http.StatusUnauthorized, status)
}

// TestTheHomeOfTheSidecarStaysSensitive checks P6: a session that claims another home doesn't make the real
// one ordinary.
func TestTheHomeOfTheSidecarStaysSensitive(t *testing.T) {
	s := startServer(t)
	home := filepath.Dir(s.home)
	require.NoError(t, os.MkdirAll(filepath.Join(s.home, ".ssh"), 0o700))
	for _, dir := range []string{s.home, home, filepath.Join(s.home, ".ssh")} {
		refuses(t, s.as(t, "agent", http.MethodPut, sessionPath("h"), v1.Session{ProjectDir: dir, Home: "/nowhere"}), http.StatusForbidden, "sensitive_root")
	}
}
