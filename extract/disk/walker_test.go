package disk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/value"
)

// session is a session in one directory, whose secrets are the files called .env and secret.
type session struct{ root string }

var (
	_ disk.Session      = session{}
	_ disk.Spaces       = session{}
	_ disk.Secrets      = session{}
	_ disk.Links        = session{}
	_ disk.Repositories = session{}
)

func (session) Spelled(real string) string { return real }
func (s session) OwnRoots() []string       { return []string{s.root} }

func (s session) Outside(resolved *paths.Resolved) bool { return !paths.Within(resolved.Real, s.root) }

func (s session) OwnRoot(real string) string {
	if paths.Within(real, s.root) {
		return s.root
	}
	return ""
}

func (session) SoughtClass() string { return "" }

func (session) SecretFile(real string) bool {
	return paths.Base(real) == ".env" || paths.Base(real) == "secret"
}
func (session) SecretDirectory(string) bool { return false }

func (s session) ReadsSecret(resolved *paths.Resolved) bool { return s.SecretFile(resolved.Real) }
func (session) Double(string, fs.DirEntry) fs.FileInfo      { return nil }
func (session) Doubles(string) []fs.FileInfo                { return nil }
func (session) SecretSettings(string) bool                  { return false }
func (session) GitDirSecret(string) bool                    { return false }
func (session) CommonDir(string) string                     { return "" }

// tree makes files below a new directory. "a -> b" is a symbolic link.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range names {
		name, target, link := strings.Cut(name, " -> ")
		full := root + "/" + name
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o700))
		if link {
			require.NoError(t, os.Symlink(target, full))
			continue
		}
		require.NoError(t, os.WriteFile(full, []byte("x\n"), 0o600))
	}
	return root
}

// A walk answers for what is read of a tree, and for nothing else in it.
func TestWalk(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		walk  value.Walk
		names value.Names
		want  string
	}{
		"ordinary":             {files: []string{"a", "d/b"}, want: disk.ReachesNone},
		"secret":               {files: []string{"a", "d/secret"}, want: disk.ReachesSecret},
		"included":             {files: []string{"a.go", "secret"}, walk: value.Walk{Include: []string{"*.go"}}, want: disk.ReachesNone},
		"excluded directory":   {files: []string{"d/secret"}, walk: value.Walk{ExcludeDir: []string{"d"}}, want: disk.ReachesNone},
		"hidden":               {files: []string{"a", ".env"}, walk: value.Walk{SkipHidden: true}, want: disk.ReachesNone},
		"hidden and read":      {files: []string{"a", ".env"}, want: disk.ReachesSecret},
		"link":                 {files: []string{"a", "l -> /"}, want: disk.ReachesNone},
		"followed":             {files: []string{"a", "l -> /"}, walk: value.Walk{Follow: true}, want: disk.ReachesOutside},
		"followed directory":   {files: []string{"d/a", "l -> d"}, walk: value.Walk{Follow: true}, want: disk.ReachesUnknown},
		"name of two words":    {files: []string{"a b"}, names: value.Names{FromStream: true, Rooted: true, Uncut: true}, want: disk.ReachesUnknown},
		"one of several lines": {files: []string{"a b"}, names: value.Names{FromStream: true, Rooted: true, Handing: value.AsLines}, want: disk.ReachesNone},
		"option":               {files: []string{"-x"}, names: value.Names{FromStream: true, Handing: value.Whole}, want: disk.ReachesUnknown},
	} {
		root := tree(t, test.files...)
		here := session{root}
		view := disk.NewView(here)
		walker := disk.Walker{View: &view, Spaces: here, Secrets: here, Links: here, Repos: here, Listed: &paths.Secrets{}}
		assert.Equal(t, test.want, walker.Reach(disk.Tree{Root: root, Named: ".", Base: root, Walk: test.walk, Names: test.names}, nil), name)
	}
}

// A pattern expands to what shells expand it to, or isn't known.
func TestExpand(t *testing.T) {
	root := tree(t, "a.go", "b.go", ".c.go", "d/e.go", "l -> d", "out -> /")
	here := session{root}
	view := disk.NewView(here)
	globs := disk.Globs{View: &view, Spaces: here}
	for pattern, want := range map[string][]string{
		"*.go": {"a.go", "b.go"}, ".*.go": {".c.go"}, "*/e.go": {"d/e.go", "l/e.go"}, "**/e.go": {"d/e.go", "l/e.go"}, "[ab].go": {"a.go", "b.go"},
		"[!a].go": {"b.go"}, "x*": nil, `\*.go`: nil, "d/*": {"d/e.go"},
	} {
		found := globs.Expand(pattern, root)
		assert.ElementsMatch(t, want, found.Words, pattern)
	}
	for pattern, want := range map[string]bool{"*.go": false, ".*": true, "**": true, "*/../a.go": true, "[a-": true, "{a,b}*": true} {
		assert.Equal(t, want, globs.Expand(pattern, root).Unknown, pattern)
	}
	assert.Equal(t, "\n"+root+"/d\n"+root+"/l", globs.Directories(root+"/?"))
}
