package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: an ignore rule that takes a hidden directory back in makes ripgrep read
// what lies in it, and a rule of nothing everything.
func TestHiddenDirectoriesTakenBack(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/tools/.held/in", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/tools/.held/in/server.pem", []byte("x"), 0o600))
	asked := func(line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		return facts.Items[len(facts.Items)-1].Caveats.Has("reaches_secret")
	}
	for rule, want := range map[string]bool{
		"": false, "!.held": true, "!.held/": true, "!.hel?": true, "!.HELD": true, "!tools/.held": true,
		"!": true, "!\t": true, "!.github": false, "!.env.example": false, "!.gitkeep": false, ".held": false,
	} {
		require.NoError(t, os.WriteFile(p.project+"/.ignore", []byte(rule+"\n"), 0o600))
		for _, line := range []string{"rg x tools", "cd tools && rg x"} {
			assert.Equalf(t, want, asked(line), "%q with %q", line, rule)
		}
	}
	require.NoError(t, os.Remove(p.project+"/.ignore"))
	require.NoError(t, os.WriteFile(p.project+"/tools/.rgignore", []byte("!.held"), 0o600))
	assert.True(t, asked("rg x tools"))
}
