package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// P6: whoever works in one root can't move another one of the session.
func TestRootsThatAreSwapped(t *testing.T) {
	p := newPlace(t)
	p.warm(t)
	victim := p.home + "/victim"
	for _, dir := range []string{victim, p.home + "/rw", p.project + "/own"} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	space := func(file string, session v1.Session, grants ...v1.PathGrant) string {
		call := p.call("Write", map[string]any{"file_path": file, "content": ""})
		session.Home, call.Cwd = p.home, ""
		call.Session = session
		return p.extractor.Extract(call, grants).Paths[0].Space
	}
	link := func(to, name string) {
		_ = os.Remove(name)
		require.NoError(t, os.Symlink(to, name))
	}
	both := v1.Session{ProjectDir: p.project, ExtraDirs: []string{p.project + "/vend"}}
	session := v1.Session{ProjectDir: p.project, SessionDir: p.project + "/scratch/s"}
	require.Equal(t, v1.SpaceOutside, space(victim+"/v.txt", both))
	require.Equal(t, v1.SpaceProject, space(p.project+"/vend/v.txt", both))

	link(victim, p.project+"/vend")
	assert.Equal(t, v1.SpaceOutside, space(victim+"/v.txt", both), "a root that became a link")
	assert.Equal(t, v1.SpaceOutside, space(p.project+"/vend/v.txt", both))
	assert.Equal(t, v1.SpaceProject, space(p.project+"/README.md", both))
	link(p.home, p.project+"/scratch")
	link("../victim", p.home+"/s")
	assert.Equal(t, v1.SpaceOutside, space(victim+"/v.txt", session), "a root below a directory that became a link")
	link(victim, p.home+"/rw/to")
	granted := v1.PathGrant{Root: p.home + "/rw", Mode: "read_write"}
	assert.Equal(t, v1.SpaceOutside, space(victim+"/v.txt", v1.Session{ProjectDir: p.home + "/rw/to"}, granted))
	link("..", p.project+"/own/up")
	assert.Equal(t, v1.SpaceOutside, space(p.project+"/README.md", v1.Session{ProjectDir: p.project + "/own/up"}), "a link that leads up")

	// What a person names by a link stays a project.
	link(p.project, p.home+"/current")
	for _, dir := range []string{p.home + "/current", p.home + "/current/", p.home + "/rw/to"} {
		named := v1.Session{ProjectDir: dir, ExtraDirs: []string{dir + "/docs"}}
		assert.Equal(t, v1.SpaceProject, space(dir+"/new.md", named), dir)
		assert.Equal(t, v1.SpaceProject, space(dir+"/docs/new.md", named), dir)
	}
	assert.Equal(t, v1.SpaceProject, space(victim+"/x", v1.Session{ProjectDir: p.project, ExtraDirs: []string{p.home + "/rw/to"}}))
	assert.Equal(t, v1.SpaceProject, space(p.project+"/x", v1.Session{ProjectDir: p.project, SessionDir: p.project + "/own/up"}),
		"the same directory by its own name")
}
