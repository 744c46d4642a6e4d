package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// hostile moves the cursor, sets the title, turns the reading direction round and begins another line.
const hostile = "x\x1b]0;PWNED\x07\x1b[2J\u009b31m\u202e\u2066\U000e0041\x7f\r\nforged"

// TestNoCommandPrintsControlCharacters checks that names which agents choose reach no terminal as they are.
func TestNoCommandPrintsControlCharacters(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	dir := filepath.Join(tree.Project, strings.TrimRight(strings.ReplaceAll(hostile, "/", ""), "/"))
	require.NoError(t, os.Mkdir(dir, 0o755))
	owner := session(tree, "codex"+hostile)
	owner.ProjectDir = dir
	owner.ID = "hostile"
	call := func(tool string, args map[string]any) v1.Decision {
		encoded, err := json.Marshal(args)
		require.NoError(t, err)
		return s.decide(t, v1.Call{Tool: tool, Args: encoded, Cwd: dir, Session: owner})
	}
	denied := call("mcp__"+hostile+"__"+hostile, map[string]any{hostile: hostile, "path": dir})
	asked := call("Bash", map[string]any{"command": "make " + hostile})
	call("Read", map[string]any{"file_path": dir + "/.env"})
	call(hostile, map[string]any{"reason": hostile})

	lines := [][]string{
		{"sessions", "list"},
		{"sessions", "show", owner.ID},
		{"sessions", "show", "no such" + hostile},
		{"grants", "add", dir, "--agent", owner.Agent},
		{"grants", "add", dir, "--session", owner.ID, "--mode", "read_write"},
		{"grants", "list", "--agent", owner.Agent},
		{"grants", "list", "--session", owner.ID},
		{"grants", "revoke", dir + "/nothing", "--session", owner.ID},
		{"grants", "add", dir, "--agent", owner.Agent, "--mode", hostile},
		{"approvals", "trust-verb", "make" + hostile},
		{"approvals", "trust-verb", "make"},
		{"approvals", "list"},
		{"approvals", "list", "--long"},
		{"approvals", "revoke", "no such" + hostile},
		{"prompts", "list", "--state", "all"},
		{"prompts", "answer", "no" + hostile, "once"},
		{"decisions", "list"},
		{"decisions", "list", "--agent", owner.Agent},
		{"decisions", "show", denied.ID},
		{"decisions", "show", asked.ID},
		{"decisions", "show", "no" + hostile},
		{"decisions", "replay", filepath.Join(s.stateDir, "decisions.jsonl")},
		{"doctor"},
		{"explain", "--cwd", dir, "--", "make " + hostile},
		{hostile},
		{"sessions", hostile},
		{"sessions", "list", "--" + hostile},
		{"decide", "/no/such" + hostile},
		{"sessions", "archive", owner.ID},
	}
	shown := 0
	for _, line := range lines {
		for _, arguments := range [][]string{line, append([]string{line[0]}, append(line[1:len(line):len(line)], "--json")...)} {
			shown += s.printsSafely(t, arguments)
		}
	}
	assert.Greater(t, shown, 20, "the names are shown, as escapes")
}

// printsSafely runs a command line and returns how many escapes it printed.
func (s *server) printsSafely(t *testing.T, arguments []string) int {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, append(arguments, "--state-dir", s.stateDir)...)
	if arguments[0] == "explain" || len(arguments) < 2 || strings.Contains(arguments[0], hostile) {
		command = exec.CommandContext(t.Context(), program, arguments...)
	}
	command.Env = environment(s.home)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	_ = command.Run() // some of them are refused, and state why
	escapes := 0
	for name, text := range map[string]string{"stdout": stdout.String(), "stderr": stderr.String()} {
		assert.Truef(t, utf8.ValidString(text), "%s of %q", name, arguments)
		assert.Falsef(t, strings.ContainsFunc(text, func(r rune) bool {
			return r != '\n' && r != '\t' && !unicode.IsPrint(r)
		}), "%s of %q: %q", name, arguments, text)
		for printed := range strings.SplitSeq(text, "\n") {
			assert.Falsef(t, strings.HasPrefix(printed, "forged"), "%s of %q: %q", name, arguments, text)
		}
		escapes += strings.Count(text, `PWNED`)
	}
	return escapes
}
