package extract_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A push that leaves to git where it goes may go anywhere where settings say so.
func TestSettingsOfGitThatMapPushes(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		output, err := exec.Command("git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	check := func(anywhere bool) {
		t.Helper()
		for line, mapped := range map[string]bool{
			"git push origin feature": true, "git push origin +feature other:other": true,
			"git push origin feature:feature": false, "git push origin :feature": false, "git push --delete origin feature": false,
		} {
			facts := p.facts("Bash", map[string]any{"command": line})
			require.Len(t, facts.Items, 1, line)
			kind, there := facts.Items[0].Form.Get("<to ?>")
			assert.Equalf(t, anywhere && mapped, there, "%q", line)
			if there {
				assert.Equal(t, "forces", kind)
			}
			_, named := facts.Items[0].Form.Get("<to feature>")
			assert.True(t, named, line)
		}
	}
	git("init", "-q")
	git("remote", "add", "origin", "https://example.org/a.git")
	check(false)
	for _, setting := range [][2]string{
		{"remote.origin.push", "+refs/heads/feature:refs/heads/main"},
		{"remote.origin.mirror", "true"},
		{"push.default", "upstream"},
		{"push.default", "matching"},
		{"push.default", "tracking"},
	} {
		git("config", setting[0], setting[1])
		check(true)
		git("config", "--unset", setting[0])
		check(false)
	}
	git("config", "push.default", "current")
	check(false)
	require.NoError(t, os.WriteFile(p.home+"/.gitconfig", []byte("[push]\n\tdefault = upstream\n"), 0o600))
	check(true)
	require.NoError(t, os.WriteFile(p.home+"/.gitconfig", []byte("[include]\n\tpath = more\n"), 0o600))
	check(true)
	require.NoError(t, os.WriteFile(p.home+"/.gitconfig", []byte("[user]\n\tname = x\n"), 0o600))
	check(false)
	require.NoError(t, os.WriteFile(p.project+"/.git/hooks/pre-push", []byte("#!/bin/sh\n"), 0o700))
	assert.True(t, p.facts("Bash", map[string]any{"command": "git push"}).Items[0].Caveats.Has("git_untrusted"))
	check(false)
	for _, line := range []string{"git -c push.default=upstream push origin feature", "GIT_CONFIG_GLOBAL=/x git push origin feature"} {
		_, there := p.facts("Bash", map[string]any{"command": line}).Items[0].Form.Get("<to ?>")
		assert.True(t, there, line)
	}
	require.NoError(t, os.WriteFile(p.project+"/.git/config", []byte("[broken"), 0o600))
	check(true)
}
