package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/binary"
)

var program string

func TestMain(m *testing.M) { binary.Main(m, &program) }

const (
	recorded = `{"id": "a", "client": "claude-code", "repository": "r", "repository_root": "/home/dev/r", "launch_dir": null, "calls": ["ls -la /home/dev/r", "npm run build", "npm run build", "bash -c 'make x; eval $y'"]}
{"id": "b", "client": "claude-code", "repository": "r", "repository_root": "/home/dev/r", "launch_dir": "/home/dev/r", "calls": ["npm run build"]}
`
	tree = "100644 120 README.md\n100755 BAD run.sh\n100644 40 package.json\n"
)

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sessions.jsonl"), []byte(recorded), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "r.tree"), []byte(tree), 0o600))
	return dir
}

// An answer that lasts is given once: the same command is allowed later in the session,
// and in the next session unless the answer was for one chat.
func TestAnswersCountInLaterCallsAndSessions(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-dir", folder(t), "-program", program, "-json"}, &out))
	var figures []Figures
	require.NoError(t, json.Unmarshal(out.Bytes(), &figures))
	require.Len(t, figures, 5)
	asked, contains := map[string]int{}, false
	for _, f := range figures {
		asked[f.Person] = f.Asked
		contains = contains || f.Contains
		assert.Equal(t, 5, f.Calls, f.Person)
		assert.Zero(t, f.Denied, f.Person)
		assert.Zero(t, f.AskedAgain, f.Person)
		assert.Equal(t, 1, f.OnceOnly, f.Person)
	}
	want := map[string]int{"nobody": 4, "chat": 3, "lasting": 2, "contained": 4, "lasting_contained": 2}
	if contains {
		want["contained"], want["lasting_contained"] = 1, 1
	}
	assert.Equal(t, want, asked)
}

func TestReportNamesTheMostFrequentPrompts(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-dir", folder(t), "-program", program, "-person", "nobody", "-top", "1", "-v"}, &out))
	assert.Contains(t, out.String(), "asked                4 of 5 (80.0 %)")
	assert.Contains(t, out.String(), "    3  npm run build\n")
	assert.Contains(t, out.String(), `a "npm run build"`)
}

func TestBadInputIsNamed(t *testing.T) {
	dir := folder(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "more.jsonl"), []byte("{\"id\": 3}\n"), 0o600))
	err := run(t.Context(), []string{"-dir", dir, "-program", program}, &bytes.Buffer{})
	require.ErrorContains(t, err, "more.jsonl:1")
	err = run(t.Context(), []string{"-dir", dir, "-person", "somebody"}, &bytes.Buffer{})
	require.ErrorContains(t, err, "nobody, chat, lasting, contained or lasting_contained")
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-dir", filepath.Join(dir, "missing")}, &out))
	assert.Contains(t, out.String(), "skipped")
}

func TestWorkingDirectoryFollowsCd(t *testing.T) {
	launch := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(launch, "a", "b"), 0o700))
	for line, want := range map[string]string{
		"cd a && ls":       "a",
		"cd a; cd 'b'":     "a/b",
		"cd missing || ls": "",
		"(cd a; ls)":       "",
		"cd a | cat":       "",
		"cd a &":           "",
		"cd /":             "",
		"cd \"$x\"":        "",
		"cd a && ls | wc":  "a",
		"cat <<'":          "",
	} {
		assert.Equal(t, strings.TrimSuffix(launch+"/"+want, "/"), after(line, launch, launch), line)
	}
}
