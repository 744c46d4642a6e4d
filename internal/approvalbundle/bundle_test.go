package approvalbundle_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/approvalbundle"
)

func entries() []v1.ApprovalEntry {
	return []v1.ApprovalEntry{
		{Audience: "personal", Agent: "*", Tool: "shell", Verb: "make", Directory: new("/srv/repo")},
		{Audience: "personal", Agent: "*", Tool: "shell", Verb: "make", Directory: new("/srv/repo/src")},
		{Audience: "personal", Agent: "*", Tool: "shell", Verb: "make", Directory: new("/srv/repository")},
		{Audience: "personal", Agent: "codex", Tool: "shell", Verb: "git push", Risks: []string{"force"}},
		{Audience: "personal", Agent: "*", Tool: "shell", Verb: "ls", Session: "s"},
		{Audience: "personal", Agent: "*", Tool: "shell", Verb: "ls", ExpiresAt: new(time.Unix(1, 0))},
		{Audience: "personal", Agent: "*", Tool: "new", Verb: "ls"},
		{Audience: "public", Agent: "*", Tool: "shell", Verb: "ls"},
	}
}

func TestFiles(t *testing.T) {
	files, err := approvalbundle.Files(entries(), "/srv/repo")
	require.NoError(t, err)
	assert.JSONEq(t, `{"verbs": {
		"git push": [{"tool": "shell", "audience": "personal", "agent": "codex", "directory": "", "relative": false, "anywhere": true, "risks": {"force": true}}],
		"make": [
			{"tool": "shell", "audience": "personal", "agent": "*", "directory": "", "relative": true, "anywhere": false, "risks": {}},
			{"tool": "shell", "audience": "personal", "agent": "*", "directory": "/srv/repository", "relative": false, "anywhere": false, "risks": {}},
			{"tool": "shell", "audience": "personal", "agent": "*", "directory": "src", "relative": true, "anywhere": false, "risks": {}}
		]}}`, string(files["site_data/approvals/data.json"]))
	turned := entries()
	slices.Reverse(turned)
	again, err := approvalbundle.Files(turned, "/srv/repo")
	require.NoError(t, err)
	assert.Equal(t, files, again, "the same approvals give the same bytes")
	other, err := approvalbundle.Files(entries(), "")
	require.NoError(t, err)
	assert.NotEqual(t, files[".manifest"], other[".manifest"], "the revision names the contents")
}

func TestWriteKeepsOtherFiles(t *testing.T) {
	files, err := approvalbundle.Files(entries(), "")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "new")
	require.NoError(t, approvalbundle.Write(dir, files))
	require.NoError(t, approvalbundle.Write(dir, files))
	for name, text := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Equal(t, string(text), string(got))
	}
	for _, manifest := range []string{"", "{", `{"roots": ["site/team"]}`} {
		occupied := t.TempDir()
		name := ".manifest"
		if manifest == "" {
			name = "notes"
		}
		require.NoError(t, os.WriteFile(filepath.Join(occupied, name), []byte(manifest), 0o600))
		require.ErrorIs(t, approvalbundle.Write(occupied, files), approvalbundle.ErrOccupied)
	}
}
