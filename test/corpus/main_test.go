package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func decided(t *testing.T, text string, flags ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	name := filepath.Join(t.TempDir(), "lines.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	var out bytes.Buffer
	err := run(t.Context(), append(flags, name), &out)
	return out.String(), err
}

func TestReportCountsWhatPassed(t *testing.T) {
	out, err := decided(t, `{"command":"ls","accept":["allow"]}
{"id":"a","class":"c","command":"cat /srv/x/README.md","cwd":"/srv/x","accept":["allow"]}
{"id":"b","command":"make","accept":["allow"],"more":1}
{"id":"c","command":"make","accept":["deny"]}
{"id":"d","command":"make","accept":["prompt","deny"]}
{"id":"e","shell":"powershell","command":"Get-ChildItem","accept":["allow"]}
`, "-v")
	require.NoError(t, err)
	assert.Contains(t, out, "false allows      0\n")
	assert.Contains(t, out, "allowed           3 of 4 (75.0 %)\n")
	assert.Contains(t, out, "other mismatches  1 of 6 (16.7 %)\n")
	assert.Contains(t, out, `b prompt "make", right is allow: `)
	assert.NotContains(t, out, "d prompt")
}

func TestFalseAllowIsAnError(t *testing.T) {
	out, err := decided(t, `{"id":"x","label":"dangerous","command":"ls","accept":["prompt","deny"]}`)
	require.ErrorIs(t, err, errFalseAllow)
	assert.Contains(t, out, `FALSE ALLOW x [dangerous] allow "ls", right is prompt or deny: `)
}

func TestFileThatProvesNothingIsRefused(t *testing.T) {
	for _, text := range []string{"", `{"command":"ls"}`, `{"accept":["allow"]}`, `{"command":"ls","accept":["yes"]}`, `{`} {
		_, err := decided(t, text)
		assert.Errorf(t, err, "%q", text)
	}
	require.Error(t, run(t.Context(), nil, &bytes.Buffer{}))
}
