package extract_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V5: a version manager runs what a file of the project points at, for every
// program that it has a name for; a number chooses among what a person installed.
func TestToolVersionsThatNameAPath(t *testing.T) {
	p := newPlace(t)
	lines := []string{"jq . a.json", "yq . a.yaml", "rg x src", "fd x", "shellcheck a.sh", "bat README.md", "deno --version", "cmake --version"}
	chosen := func(line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		return facts.Items[0].Caveats.Has("project_chooses_program")
	}
	for text, want := range map[string]bool{"jq path:./tools\n": true, "jq 1.7.1\nnodejs 22.1.0\n": false} {
		require.NoError(t, os.WriteFile(p.project+"/.tool-versions", []byte(text), 0o600))
		for _, line := range lines {
			assert.Equalf(t, want, chosen(line), "%q with %q", line, text)
		}
	}
	require.NoError(t, os.Remove(p.project+"/.tool-versions"))
	for text, want := range map[string]bool{"[tools]\njq.path = './tools'\n": true, "[tools]\njq = '1.7.1'\n": false} {
		require.NoError(t, os.WriteFile(p.project+"/mise.toml", []byte(text), 0o600))
		for _, line := range lines {
			assert.Equalf(t, want, chosen(line), "%q with %q", line, text)
		}
	}
	require.NoError(t, os.Remove(p.project+"/mise.toml"))
	for _, name := range []string{"mise.local.toml", ".config/mise.toml", ".config/mise/config.toml", ".mise/config.toml"} {
		assert.False(t, chosen("ruby --version"), name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("[tools]\n"), 0o600))
		assert.True(t, chosen("ruby --version"), name)
		require.NoError(t, os.Remove(p.project+"/"+name))
	}
	assert.False(t, chosen("poetry --version"))
	require.NoError(t, os.MkdirAll(p.project+"/.poetry/plugins", 0o700))
	assert.True(t, chosen("poetry --version"), "its plugins run for every command")
}

// V5: some programs look for their settings beside the file that they are given.
func TestSettingsBesideAFile(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/lib/deep", 0o700))
	for _, name := range []string{"run.sh", "lib/.shellcheckrc", "lib/deep/x.sh", "lib/deep/.clang-format", "lib/deep/x.c"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x"), 0o600))
	}
	for line, want := range map[string]bool{
		"shellcheck run.sh":                             false,
		"shellcheck lib/deep/x.sh":                      true,
		"shellcheck run.sh ./lib/../lib/deep/x.sh":      true,
		"shellcheck lib/*/*.sh":                         true,
		"find lib/deep -name '*.sh' | xargs shellcheck": true,
		"clang-format -n lib/deep/x.c":                  true,
		"clang-format -n src/main.go":                   false,
		"cat lib/deep/x.sh":                             false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		require.NotEmptyf(t, items, "%q", line)
		assert.Equal(t, want, items[len(items)-1].Caveats.Has("project_chooses_program"), line)
	}
}
