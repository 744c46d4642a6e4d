package sidecar

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract"
	"policyd/internal/config"
)

// Safe verbs of the settings are checked when a file is loaded, which may declare their programs, and not
// at each readiness probe.
func TestSafeVerbsOfTheSettingsAreCheckedOncePerLoad(t *testing.T) {
	base, err := extract.NewBase(extract.Options{})
	require.NoError(t, err)
	t.Cleanup(base.Close)
	name := filepath.Join(t.TempDir(), "verbs.yaml")
	write := func(content string) { require.NoError(t, os.WriteFile(name, []byte(content), 0o600)) }
	asked := 0
	files := &operatorFiles{
		files:  []*operatorFile{{key: "safe_verbs", path: name, parse: config.ParseSafeVerbs}},
		inline: map[string]any{"common": map[string]any{"acme": []any{form(map[string]any{"--json": "none"}, nil)}}},
		env:    func(string) (string, bool) { return "", false }, logger: slog.New(slog.DiscardHandler),
		tables: func() (*extract.Base, error) { asked++; return base, nil },
	}
	write("programs:\n  acme: {options: {--json: none}}\n")
	files.settings()
	assert.Empty(t, files.warnings())
	asked = 0
	files.warnings()
	files.checks()
	assert.Zero(t, asked, "nothing was loaded")

	write("programs:\n  other: {}\n")
	require.True(t, files.reload())
	require.Len(t, files.checks(), 2)
	assert.Contains(t, files.checks()[1].Detail, "safe_verbs.common.acme[0]")

	write("programs:\n  acme: {options: {--json: none}}\n")
	require.True(t, files.reload())
	assert.Len(t, files.checks(), 1)
}
