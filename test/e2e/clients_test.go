package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// withClients names the directory of programs of others, which `make test-clients`
// installs. Tests with them only run where that is asked for.
const withClients = "POLICYD_TEST_CLIENTS"

// clientProgram is a program of others.
func clientProgram(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv(withClients)
	if dir == "" {
		t.Skip("skipped: it runs programs of others; make test-clients installs and runs them")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("skipped: %v", err)
	}
	return path
}

// TestRealMCPServer puts the gate before a server that others wrote and a client
// that others wrote.
func TestRealMCPServer(t *testing.T) {
	filesystem := clientProgram(t, "mcp-server-filesystem")
	tree := newTree(t)
	s := startServer(t)
	for _, tool := range []string{"read_text_file", "list_directory"} {
		s.cli(t, "approvals trust-verb mcp:files/"+tool+" --tool mcp")
	}
	connect := func(argv ...string) *mcp.ClientSession {
		command := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		command.Dir, command.Env = tree.Project, environment(s.home)
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = session.Close() })
		return session
	}
	direct := []string{filesystem, tree.Project}
	gated := connect(slices.Concat([]string{program, "mcp", "--state-dir", s.stateDir, "--name", "files", "--"}, direct)...)
	bare := connect(direct...)
	names := func(session *mcp.ClientSession) []string {
		list, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		out := []string{}
		for _, tool := range list.Tools {
			out = append(out, tool.Name)
		}
		return out
	}
	assert.Equal(t, names(bare), names(gated))
	call := func(session *mcp.ClientSession, tool, path string) (string, bool) {
		text, failed, err := use(t.Context(), session, tool, map[string]any{"path": path}, nil)
		require.NoError(t, err)
		return text, failed
	}
	readme := filepath.Join(tree.Project, "README.md")
	want, _ := call(bare, "read_text_file", readme)
	got, failed := call(gated, "read_text_file", readme)
	assert.False(t, failed, got)
	assert.Equal(t, want, got)
	secret := filepath.Join(tree.Project, ".env")
	leaked, failed := call(bare, "read_text_file", secret)
	require.False(t, failed, "the server itself keeps no secret")
	got, failed = call(gated, "read_text_file", secret)
	assert.True(t, failed)
	assert.Contains(t, got, "secret")
	assert.NotContains(t, got, strings.TrimSpace(leaked))

	fresh := filepath.Join(tree.Project, "made.txt")
	done := make(chan bool, 1)
	go func() {
		_, failed, err := use(t.Context(), gated, "write_file", map[string]any{"path": fresh, "content": "x"}, nil)
		done <- err == nil && !failed
	}()
	s.reply(t, s.pendingTool(t, "mcp__files__write_file"), v1.ChoiceOnce)
	assert.True(t, <-done)
	assert.FileExists(t, fresh)
}
