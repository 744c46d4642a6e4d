package extract_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func (p place) spaceIn(t *testing.T, dir string) string {
	t.Helper()
	call := p.call("Read", map[string]any{"file_path": dir + "/a.txt"})
	call.Session.ProjectDir, call.Cwd = dir, dir
	facts := p.extractor.Extract(call, nil)
	require.NotEmpty(t, facts.Paths)
	return facts.Paths[0].Space
}

// P6: a sensitive directory gives no space, also one that appeared since the
// last call.
func TestSensitiveDirectoriesAreSeenAnew(t *testing.T) {
	p := newPlace(t)
	other := p.home + "/other"
	// What is changed below then shows, however coarse the file system's clock is.
	require.NoError(t, os.Chtimes(p.home, time.Time{}, time.Unix(1e9, 0)))
	require.Equal(t, v1.SpaceProject, p.spaceIn(t, other))
	require.Equal(t, v1.SpaceProject, p.spaceIn(t, other), "remembered")
	require.NoError(t, os.Symlink("other", p.home+"/.aws"))
	assert.Equal(t, v1.SpaceOutside, p.spaceIn(t, other), "a link that appeared makes it sensitive")
	require.NoError(t, os.Remove(p.home+"/.aws"))
	assert.Equal(t, v1.SpaceProject, p.spaceIn(t, other))
}

// What a link leads to changes without a trace in the home.
func TestSensitiveLinksAreFollowedInEveryCall(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.home+"/third", 0o700))
	require.NoError(t, os.Symlink("third/x", p.home+"/.aws"))
	require.Equal(t, v1.SpaceProject, p.spaceIn(t, p.home+"/other"))
	require.NoError(t, os.Symlink("../other", p.home+"/third/x"))
	assert.Equal(t, v1.SpaceOutside, p.spaceIn(t, p.home+"/other"))
}

// What ~ stands for isn't known where a session's home is no whole path: it is never
// read as a path from the working directory.
func TestHomeThatIsNoWholePath(t *testing.T) {
	p := newPlace(t)
	for _, home := range []string{".", "dev", "~", "./x"} {
		for _, command := range []string{"cat ~/a.txt", `cat "$HOME/a.txt"`} {
			call := p.call("Bash", map[string]any{"command": command})
			call.Session.Home = home
			facts := p.extractor.Extract(call, nil)
			require.NotEmpty(t, facts.Items)
			for _, path := range facts.Paths {
				assert.NotEqual(t, v1.SpaceProject, path.Space, "%q with %q", command, home)
			}
			assert.True(t, len(facts.Paths) > 0 || len(facts.Items[0].Caveats) > 0, "%q with %q", command, home)
		}
	}
}
