package e2e

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// kept is a call whose "hushhush" must not reach the decision log.
type kept struct {
	agent, tool string
	args        map[string]any
}

func command(line string) kept {
	return kept{"claude-code", "Bash", map[string]any{"command": line}}
}

func keptCalls() []kept {
	const patch = "*** Begin Patch\n*** Add File: a.txt\n+hushhush\n*** End Patch"
	return []kept{
		{"some-agent", "edit_file", map[string]any{"path": "a.txt", "code_edit": "hushhush"}},
		{"some-agent", "edit_file", map[string]any{"path": "a.txt", "old_text": "hushhush", "new_text": "hushhush"}},
		{"some-agent", "edit_file", map[string]any{"path": "a.txt", "edits": []any{map[string]any{"oldText": "hushhush"}}}},
		{"some-agent", "edit_file", map[string]any{"path": "a.txt", "edits": "hushhush"}},
		{"some-agent", "write_file", map[string]any{"path": "a.txt", "text": "hushhush"}},
		{"some-agent", "replace_in_file", map[string]any{"path": "a.txt", "diff": "hushhush"}},
		{"gemini-cli", "replace", map[string]any{"file_path": "a.txt", "instruction": "hushhush"}},
		{"codex", "apply_patch", map[string]any{"command": []any{"apply_patch", patch}}},
		{"codex", "apply_patch", map[string]any{"command": "hushhush"}},
		{"codex", "shell", map[string]any{"command": []any{"bash", "-lc", "apply_patch <<'EOF'\n" + patch + "\nEOF"}}},
		{"claude-code", "mcp__notes__add", map[string]any{"body": "hushhush", "data": "hushhush", "content": "hushhush"}},
		{"claude-code", "mcp__notes__add", map[string]any{"token": map[string]any{"a": "hushhush"}, "secrets": []any{"hushhush"}}},
		{"claude-code", "mcp__notes__add", map[string]any{"note": strings.Repeat("hushhush ", 1000)}},
		{"opencode", "terminal/create", map[string]any{"command": "ls", "env": []any{map[string]any{"name": "SITE_DSN", "value": "hushhush"}}}},
		{"opencode", "session/request_permission", map[string]any{"toolCall": map[string]any{"rawInput": map[string]any{"diff": "hushhush"}}}},
		{"gemini-cli", "session/request_permission", map[string]any{"toolCall": map[string]any{"content": []any{map[string]any{"newText": "hushhush"}}}}},
		command("cat > a.txt <<EOF\nhushhush\nEOF"),
		command("curl -u user:hushhush https://example.org"),
		command("mysql -phushhush app"),
		command("docker login -p hushhush registry.example"),
		command("SITE_DSN=hushhush make"),
		command("CACHE_REDIS_URL=hushhush MONGO_URI=hushhush make"),
		command("TOKEN=$(echo hushhush) make"),
		command("git clone https://hushhush@example.org/x.git"),
	}
}

// TestNoContentAndNoSecretReachesTheLog sends what clients send and reads the
// decision log (D3). SITE_DSN is secret by the policy's list of variables alone.
func TestNoContentAndNoSecretReachesTheLog(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	calls := keptCalls()
	for _, call := range calls {
		args, err := json.Marshal(call.args)
		require.NoError(t, err)
		s.decide(t, v1.Call{Tool: call.tool, Args: args, Cwd: tree.Project, Session: session(tree, call.agent)})
	}
	s.stop(t)
	text, err := os.ReadFile(filepath.Join(s.stateDir, "decisions.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, len(calls))
	for i, line := range lines {
		assert.NotContainsf(t, line, "hushhush", "%+v", calls[i])
	}
}

// TestTheAnswerNamesTheDirectoryAsItIs checks that a host learns where to run the call, while what is judged
// and recorded is masked everywhere alike.
func TestTheAnswerNamesTheDirectoryAsItIs(t *testing.T) {
	tree := newTree(t)
	cwd := filepath.Join(tree.Project, "token=hushhush")
	require.NoError(t, os.Mkdir(cwd, 0o755))
	s := startServer(t)
	body, err := json.Marshal(v1.Call{
		Tool: "Bash", Args: json.RawMessage(`{"command":"ls && wc -l a.txt"}`), Cwd: cwd, Session: session(tree, "claude-code"),
	})
	require.NoError(t, err)
	status, _, answer := s.post(t, "/v1/decide?include=facts", string(body))
	require.Equalf(t, http.StatusOK, status, "%s", answer)
	decision := wellFormed(t, answer)
	assert.Equal(t, v1.EffectAllow, decision.Effect)
	assert.Equal(t, cwd, decision.Cwd)
	facts, err := json.Marshal(decision.Facts)
	require.NoError(t, err)
	assert.NotContains(t, string(facts), "hushhush")
	assert.Contains(t, string(facts), "token=[masked]")
	s.stop(t)
	text, err := os.ReadFile(filepath.Join(s.stateDir, "decisions.jsonl"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hushhush")
}

// TestReadinessReportsThatNothingCanBeRecorded checks that a server which denies everything for want of a record
// is not called ready.
func TestReadinessReportsThatNothingCanBeRecorded(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("skipped: no /dev/full here")
	}
	tree := newTree(t)
	s := startServer(t, "--log-file", "/dev/full")
	status, _, answer := s.probe(t, "/readyz?verbose")
	require.Equalf(t, http.StatusOK, status, "%s", answer)
	decision := s.decide(t, v1.Call{
		Tool: "Read", Args: json.RawMessage(`{"file_path":"README.md"}`), Cwd: tree.Project, Session: session(tree, "claude-code"),
	})
	require.Equal(t, "record_failed", decision.Reasons[0].Code)
	status, _, answer = s.probe(t, "/readyz")
	require.Equalf(t, http.StatusServiceUnavailable, status, "%s", answer)
	assert.Contains(t, refused(t, answer).Detail, "record (write record to /dev/full")
}

// TestReadinessAndDoctorReportARefusedBundle checks that the server stays ready by the policy before it.
func TestReadinessAndDoctorReportARefusedBundle(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".manifest", siteManifest)
	put(t, dir, "mine.rego", siteDenies)
	s := startServer(t, "--bundle", dir, "--watch")
	status, _, answer := s.probe(t, "/readyz")
	require.Equal(t, http.StatusOK, status)
	assert.NotContains(t, string(answer), "checks")
	put(t, dir, "mine.rego", siteBroken)
	eventually(t, "the log says it", func() bool { return addressesRow.MatchString(s.stderr.String()) })
	for _, path := range []string{"/readyz", "/readyz?verbose"} {
		status, _, answer = s.probe(t, path)
		require.Equalf(t, http.StatusOK, status, "%s", answer)
		assert.Contains(t, string(answer), "stays in force")
		assert.Regexp(t, addressesRow, string(answer))
	}
	// Without --bundle the doctor's own policy is sound, and it asks the server.
	doctor := exec.CommandContext(t.Context(), program, "doctor", "--state-dir", s.stateDir, "--run-dir", s.runDir)
	doctor.Env = environment(t.TempDir())
	said, err := doctor.CombinedOutput()
	require.NoErrorf(t, err, "%s", said)
	assert.Regexp(t, `(?m)^warn +server +policy: .*/mine\.rego:[0-9]+`, string(said))
}

// TestTheStartWarnsOfSettingsThatAgentsReach starts with a settings file, given by a relative name, that is
// in a project (P6).
func TestTheStartWarnsOfSettingsThatAgentsReach(t *testing.T) {
	tree := newTree(t)
	put(t, tree.Project, "policyd.yaml", "scope:\n  projects: ["+tree.Project+"]\n")
	s := startServerIn(t, tree.Project, "--config", "policyd.yaml")
	assert.Contains(t, s.stderr.String(), "policyd.yaml, which policyd reads or writes, lies in the project")
	decision := s.decide(t, v1.Call{
		Tool: "Write", Args: json.RawMessage(`{"file_path":"policyd.yaml","content":"scope: {}"}`), Cwd: tree.Project,
		Session: session(tree, "claude-code"),
	})
	require.Equalf(t, v1.EffectPrompt, decision.Effect, "%+v", decision.Reasons)
	assert.Equal(t, "protected/always", decision.Reasons[0].Rule)
}

// startServerIn starts the server in a directory of its own.
func startServerIn(t *testing.T, dir string, flags ...string) *server {
	t.Helper()
	s := &server{stateDir: filepath.Join(t.TempDir(), "state"), runDir: shortDir(t)}
	command := exec.Command(program, append([]string{
		"serve", "--addr", "127.0.0.1:0", "--state-dir", s.stateDir, "--run-dir", s.runDir,
	}, flags...)...)
	command.Dir, command.Env = dir, environment(t.TempDir())
	s.process = launch(t, command)
	s.url = addressOf.FindString(s.line)
	require.NotEmptyf(t, s.url, "policyd said %q", s.line)
	return s
}

// probe asks without a token.
func (s *server) probe(t *testing.T, path string) (int, string, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	require.NoError(t, err)
	return do(t, http.DefaultClient, request)
}

// TestNoTokenIsKept checks that neither policyd's own tokens nor those of services are in any file of the
// state, in prompts that await an answer and in records.
func TestNoTokenIsKept(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	secrets := []string{
		s.token(t, "operator"), s.token(t, "agent"),
		"sk" + "_live_" + strings.Repeat("4eC39HqLyjWD", 2), "hvs" + "." + strings.Repeat("CAESIJ", 15), "dop" + "_v1_" + strings.Repeat("0a", 32),
	}
	for _, secret := range secrets {
		for _, args := range []map[string]any{
			{"command": "make x && curl -H 'X-A: " + secret + "' https://example.org/" + secret},
			{"command": "git push https://" + secret + "@example.org/x.git " + base64.StdEncoding.EncodeToString([]byte("u:"+secret))},
		} {
			encoded, err := json.Marshal(args)
			require.NoError(t, err)
			decision := s.decide(t, v1.Call{Tool: "Bash", Args: encoded, Cwd: tree.Project, Session: session(tree, "claude-code")})
			require.Equal(t, v1.EffectPrompt, decision.Effect)
			assert.Contains(t, decision.Prompt.Call.Text, "[masked]")
			assert.NotContains(t, decision.Prompt.Call.Text, secret)
			assert.False(t, decision.Prompt.Call.Altered, "a person can answer as ever")
		}
	}
	s.stop(t)
	files, err := filepath.Glob(filepath.Join(s.stateDir, "*"))
	require.NoError(t, err)
	require.Greater(t, len(files), 3)
	for _, file := range files {
		if strings.HasSuffix(file, ".token") {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			continue // a directory
		}
		for i, secret := range secrets {
			assert.NotContainsf(t, string(content), secret, "%s holds secret %d", file, i)
			if i < 2 {
				// In base64 the own ones are known as well: here behind "u:".
				inside := base64.StdEncoding.EncodeToString([]byte("u:" + secret))[4:40]
				assert.NotContainsf(t, string(content), inside, "%s holds secret %d in base64", file, i)
			}
		}
	}
}
