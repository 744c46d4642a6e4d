package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S3: find goes through no link, so that one counts by its name alone; a command that goes
// through trees, or find given -L, goes through all.
func TestLinksCountByTheirNames(t *testing.T) {
	p := newPlace(t)
	p.files(t, "d/a.md", "e/x")
	outside := filepath.Join(filepath.Dir(p.project), "out.txt")
	require.NoError(t, os.WriteFile(outside, []byte("x"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(p.project, "d/out")))
	for line, clean := range map[string]bool{
		`find . -name '*.md' -exec wc -l {} +`: true, `find . -iname '*.MD' | xargs wc -l`: true, `find . -name '*.md' -exec cat {} \;`: true,
		`find . -name 'o*' -exec wc -l {} +`: false, `find . -iname 'OUT' | xargs wc -l`: false, `find . ! -name '*.md' -exec cat {} \;`: false,
		`find -L . -name '*.md' -exec cat {} +`: false, `find . -follow -name '*.md' -exec cat {} +`: false, `find */ -name '*.md' -exec cat {} +`: false,
		`find . -name '*.md' -exec grep -r x {} +`: false, `find . -name d -exec diff {} e \;`: false, `find . -name '*.md' -o -exec cat {} +`: false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		require.NotEmptyf(t, items, "%q", line)
		assert.Equal(t, clean, !someItemHas(items, "reaches_outside", "reaches_unknown", "reaches_secret", "executes", "dynamic_word"), line)
	}
}

// S3: git grep opens tracked files by their names, and follows a link that stands in the
// place of a directory of theirs; it looks only at what each file itself is.
func TestGitGrepFollowsLinkedDirectories(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		output, err := exec.Command("git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	for _, dir := range []string{"moved/below", "kept"} {
		require.NoError(t, os.MkdirAll(p.project+"/"+dir, 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+dir+"/file", []byte("x\n"), 0o600))
	}
	git("init", "-q")
	git("add", "src", "moved", "kept")
	assert.Empty(t, p.caveatsOf(t, "git grep x"))
	require.NoError(t, os.RemoveAll(p.project+"/moved"))
	require.NoError(t, os.Symlink(p.project+"/kept", p.project+"/moved"))
	assert.Empty(t, p.caveatsOf(t, "git grep x"), "what it leads to is the project's own")
	for _, target := range []string{p.home + "/other", p.home} {
		require.NoError(t, os.Remove(p.project+"/moved"))
		require.NoError(t, os.Symlink(target, p.project+"/moved"))
		for line, want := range map[string]bool{
			"git grep x": true, "git grep -n x -- '*file'": true, "git -C kept grep x ..": true, "git grep -h '' -- . ':!kept'": true,
			"git grep x -- kept": false, "git -C kept grep x": false, "git grep -l x": false, "git grep --cached x": false, "git diff": false,
		} {
			caveats := p.caveatsOf(t, line)
			assert.Equalf(t, want, len(caveats) > 0, "%q: %v", line, caveats)
		}
	}
}

// V8: a path that climbs out of a link names another file than it says, and of one that
// is no text grep prints a sentence, which a shell would evaluate.
func TestTextBehindALinkIsUnknown(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/sub/deep", 0o700))
	require.NoError(t, os.Symlink("sub/deep", p.project+"/l"))
	require.NoError(t, os.WriteFile(p.project+"/f", []byte("x\n"), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/sub/f", []byte("x\x00\n"), 0o600))
	for file, known := range map[string]bool{"f": true, "./f": true, "sub/f": false, "l/../f": false} {
		line := "n=$(grep -n x " + file + " | head -1 | cut -d: -f1); echo $((n+1))"
		assert.Equal(t, known, !p.facts("Bash", map[string]any{"command": line}).Messy, line)
	}
}

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
