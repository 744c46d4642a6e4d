package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// toolsOf starts `policyd tools` as an agent program does, and connects to it.
func (s *server) toolsOf(t *testing.T, dir string, env []string, flags ...string) *mcp.ClientSession {
	t.Helper()
	command := exec.Command(program, append([]string{"tools", "--state-dir", s.stateDir}, flags...)...)
	command.Dir, command.Env = dir, append(environment(s.home), env...)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// use calls a tool, and returns the text of its result.
func use(ctx context.Context, session *mcp.ClientSession, tool string, arguments, meta map[string]any) (text string, failed bool, err error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments, Meta: meta})
	if err != nil {
		return "", false, err
	}
	content, _ := result.Content[0].(*mcp.TextContent)
	return content.Text, result.IsError, nil
}

// TestHintToolsAskAPerson checks D5 and P7 for an agent whose client gives its servers the session's id.
func TestHintToolsAskAPerson(t *testing.T) {
	l := newLibrary(t)
	l.register(t, l.tree, "claude-code:c-1")
	l.register(t, l.tree, "claude-code:c-2")
	session := l.toolsOf(t, l.tree.Project, []string{"CLAUDE_CODE_SESSION_ID=c-1", "CLAUDE_PROJECT_DIR=" + l.tree.Project}, "--client", "claude")
	list, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	names := []string{}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		schema, err := json.Marshal(tool.InputSchema)
		require.NoError(t, err)
		assert.NotContains(t, string(schema), "session", "no argument says whose tool it is")
	}
	assert.ElementsMatch(t, []string{"request_read_access", "set_working_directory"}, names)

	ask := func(tool string, arguments map[string]any) func() string {
		got := make(chan string, 1)
		go func() {
			text, failed, err := use(t.Context(), session, tool, arguments, nil)
			assert.NoError(t, err)
			assert.False(t, failed, text)
			got <- text
		}()
		return func() string {
			select {
			case text := <-got:
				return text
			case <-time.After(patience):
				return "nothing"
			}
		}
	}
	unit := filepath.Join(l.root, "git")
	answer := ask("request_read_access", map[string]any{"path": filepath.Join(unit, "src"), "reason": "to see"})
	l.reply(t, l.pendingFor(t, unit), v1.ChoiceAllow)
	assert.Equal(t, "granted: "+unit, answer())
	grants := must[v1.GrantList](t, http.StatusOK, l.as(t, "operator", http.MethodGet, sessionPath("claude-code:c-1", "/grants"), nil))
	require.Len(t, grants.Grants, 1)
	assert.Equal(t, "granted: "+unit, ask("request_read_access", map[string]any{"path": unit, "reason": "again"})(), "nobody is asked twice")
	other := filepath.Join(l.root, "node")
	answer = ask("request_read_access", map[string]any{"path": other, "reason": "to see"})
	l.reply(t, l.pendingFor(t, other), v1.ChoiceDeny)
	assert.Equal(t, "denied", answer())
	assert.Equal(t, "denied: path outside permitted scope", ask("request_read_access", map[string]any{"path": "/usr/lib", "reason": "x"})())

	assert.Equal(t, "granted: "+l.registered, ask("set_working_directory", map[string]any{"path": l.registered})())
	plain := filepath.Join(l.root, "plain")
	answer = ask("set_working_directory", map[string]any{"path": plain})
	l.reply(t, l.pendingFor(t, plain), v1.ChoiceAllow)
	assert.Equal(t, "granted: "+plain, answer())
	assert.Contains(t, ask("set_working_directory", map[string]any{"path": "/etc"})(), "denied: ")
	answer = ask("set_working_directory", map[string]any{"path": filepath.Join(l.root, "go")})
	l.reply(t, l.pendingFor(t, filepath.Join(l.root, "go")), v1.ChoiceDeny)
	assert.Equal(t, "denied", answer())
	none := must[v1.GrantList](t, http.StatusOK, l.as(t, "operator", http.MethodGet, sessionPath("claude-code:c-2", "/grants"), nil))
	assert.Empty(t, none.Grants, "the other session has none of it")
}

// Whatever is unclear about the session, or keeps the sidecar from answering, is
// an error that the model and its person can read.
func TestHintToolsFailClosed(t *testing.T) {
	l := newLibrary(t)
	unit := filepath.Join(l.root, "git")
	fails := func(session *mcp.ClientSession, tool string, arguments, meta map[string]any) string {
		text, failed, err := use(t.Context(), session, tool, arguments, meta)
		require.NoError(t, err)
		assert.True(t, failed, text)
		return text
	}
	path := map[string]any{"path": unit, "reason": "to see"}
	codex := l.toolsOf(t, l.tree.Project, nil, "--client", "codex", "--wait", "0s")
	assert.Contains(t, fails(codex, "request_read_access", path, map[string]any{"sessionId": "x-1"}), "doesn't know session codex:x-1")
	l.register(t, l.tree, "codex:x-1", func(s *v1.Session) { s.Agent = "codex" })
	text, failed, err := use(t.Context(), codex, "request_read_access", path, map[string]any{"sessionId": "x-1"})
	require.NoError(t, err)
	assert.False(t, failed)
	assert.Contains(t, text, "pending: ")
	assert.Contains(t, fails(codex, "set_working_directory", path, map[string]any{"sessionId": "x-1"}), "reason", "an argument that the tool doesn't have")
	assert.Contains(t, fails(codex, "request_read_access", map[string]any{"path": "relative", "reason": "x"}, map[string]any{"sessionId": "x-1"}), "absolute")

	gemini := l.toolsOf(t, l.tree.Project, nil, "--client", "gemini", "--wait", "0s")
	dir := map[string]any{"path": l.registered}
	assert.Contains(t, fails(gemini, "set_working_directory", dir, nil), "no session of gemini-cli")
	l.register(t, l.tree, "gemini-cli:1", func(s *v1.Session) { s.Agent = "gemini-cli" })
	text, failed, err = use(t.Context(), gemini, "set_working_directory", dir, nil)
	require.NoError(t, err)
	assert.False(t, failed, text)
	l.register(t, l.tree, "gemini-cli:2", func(s *v1.Session) { s.Agent = "gemini-cli" })
	assert.Contains(t, fails(gemini, "set_working_directory", dir, nil), "2 active sessions")

	l.kill(t)
	assert.Contains(t, fails(gemini, "set_working_directory", dir, nil), "policyd serve has to run")
	assert.Contains(t, fails(codex, "request_read_access", path, map[string]any{"sessionId": "x-1"}), "nothing was granted")
}

// The session that a client's hooks register is the one that its tools act for.
func TestHintToolsMeetTheHooks(t *testing.T) {
	l := newLibrary(t)
	for client, c := range map[string]struct {
		start string
		env   []string
		meta  map[string]any
	}{
		"claude": {`{"hook_event_name":"SessionStart","session_id":"c 9/x","cwd":%q,"source":"startup"}`, []string{"CLAUDE_CODE_SESSION_ID=c 9/x"}, nil},
		"codex":  {`{"hook_event_name":"SessionStart","session_id":"0199","cwd":%q,"source":"startup"}`, nil, map[string]any{"sessionId": "0199"}},
		"gemini": {`{"hook_event_name":"SessionStart","session_id":"g-1","cwd":%q,"source":"startup"}`, nil, nil},
	} {
		query := "?project=" + url.QueryEscape(l.tree.Project)
		status, _, body := l.post(t, "/v1/hooks/"+client+query, fmt.Sprintf(c.start, l.tree.Project))
		require.Equalf(t, http.StatusOK, status, "%s", body)
		session := l.toolsOf(t, l.tree.Project, c.env, "--client", client)
		text, failed, err := use(t.Context(), session, "set_working_directory", map[string]any{"path": l.registered}, c.meta)
		require.NoError(t, err)
		assert.Falsef(t, failed, "%s: %s", client, text)
		assert.Equal(t, "granted: "+l.registered, text, client)
	}
}
