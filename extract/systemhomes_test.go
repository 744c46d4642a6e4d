package extract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
)

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
