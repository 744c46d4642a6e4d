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

// P6: a home is nobody's project, whatever home the session claims, and what
// lies below it is sensitive or not as it is in any home.
func TestHomesOfTheSystem(t *testing.T) {
	p := newPlace(t)
	for dir, want := range map[string]string{
		"/home/other": v1.SpaceOutside, "/home/other/": v1.SpaceOutside, "/home/other/.ssh": v1.SpaceOutside, "/home": v1.SpaceOutside,
		"/home/other/.ssh/deep": v1.SpaceOutside, "/home/other/.aws": v1.SpaceOutside, "/home/other/.config": v1.SpaceOutside,
		"/Users/other": v1.SpaceOutside, "/Users/other/.gnupg": v1.SpaceOutside, "/root": v1.SpaceOutside, "/root/.ssh": v1.SpaceOutside,
		"/root/.config": v1.SpaceOutside, "/root/.kube/x": v1.SpaceOutside, p.home + "/.config": v1.SpaceOutside,
		"/home/other/proj": v1.SpaceProject, "/home/other/.sshd": v1.SpaceProject, "/root/proj": v1.SpaceProject,
		"/Users/other/src/proj": v1.SpaceProject, "/home/other/.config/editor": v1.SpaceProject, p.home + "/.config/editor": v1.SpaceProject,
		"/homes/other": v1.SpaceProject, "/rooted": v1.SpaceProject,
	} {
		for _, home := range []string{"/x", p.home} {
			call := p.call("Write", map[string]any{"file_path": dir + "/file.txt", "content": ""})
			call.Session.ProjectDir, call.Session.Home, call.Cwd = dir, home, dir
			assert.Equal(t, want, p.extractor.Extract(call, nil).Paths[0].Space, "%s with home %s", dir, home)
		}
		grants := []v1.PathGrant{{Root: dir, Mode: "read_write"}}
		call := p.call("Write", map[string]any{"file_path": dir + "/file.txt", "content": ""})
		assert.Equal(t, want == v1.SpaceProject && dir[len(dir)-1] != '/',
			p.extractor.Extract(call, grants).Paths[0].Space == v1.SpaceGrantReadWrite, "a grant for %s", dir)
	}
	call := p.call("Write", map[string]any{"file_path": "/USERS/Other/.SSH/x", "content": ""})
	call.Session.ProjectDir, call.Session.Platform, call.Session.Home = "/users/OTHER/.Ssh", "darwin", "/x"
	assert.Equal(t, v1.SpaceOutside, p.extractor.Extract(call, nil).Paths[0].Space)
}
