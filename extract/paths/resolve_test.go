package paths

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract/stat"
)

// tree builds a directory with links, and returns its real path.
func tree(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"proj/src", "other"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "proj/src/a.go"), nil, 0o600))
	for link, target := range map[string]string{
		"proj/out": "../other", "proj/abs": filepath.Join(root, "other"), "proj/loop": "loop", "proj/dangling": "nowhere/x",
		"proj/chain": "out",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	require.NoError(t, os.Link(filepath.Join(root, "proj/src/a.go"), filepath.Join(root, "proj/hard")))
	return root
}

// P1: every path is resolved on its deepest existing ancestor.
func TestResolve(t *testing.T) {
	root := tree(t)
	cases := map[string]struct {
		path, real string
		links      []string
		exists     bool
	}{
		"plain":                {"/proj/src/a.go", "/proj/src/a.go", nil, true},
		"dots and slashes":     {"/proj//./src/../src/a.go/", "/proj/src/a.go", nil, true},
		"missing":              {"/proj/new/deep.txt", "/proj/new/deep.txt", nil, false},
		"dot-dot over missing": {"/proj/new/../src/a.go", "/proj/src/a.go", nil, true},
		"link":                 {"/proj/out/x", "/other/x", []string{"/proj/out"}, false},
		"absolute link":        {"/proj/abs", "/other", []string{"/proj/abs"}, true},
		"dot-dot after a link": {"/proj/out/../x", "/x", []string{"/proj/out"}, false},
		"link to a link":       {"/proj/chain", "/other", []string{"/proj/chain", "/proj/out"}, true},
		"dangling link":        {"/proj/dangling", "/proj/nowhere/x", []string{"/proj/dangling"}, false},
	}
	require.NotEmpty(t, cases)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var resolver Resolver
			got, err := resolver.Resolve(root + c.path)
			require.NoError(t, err)
			assert.Equal(t, root+c.real, got.Real)
			assert.Equal(t, c.exists, got.Exists)
			var links []string
			for _, link := range got.Links {
				links = append(links, strings.TrimPrefix(link, root))
			}
			assert.Equal(t, c.links, links)
			again, err := resolver.Resolve(root + c.path)
			require.NoError(t, err)
			assert.Equal(t, got, again, "a second look must say the same")
		})
	}
}

func TestResolveRefuses(t *testing.T) {
	root := tree(t)
	var resolver Resolver
	for path, want := range map[string]error{
		"relative":                       ErrRelative,
		root + "/proj/loop/x":            ErrLoop,
		root + "/a\x00b":                 ErrNUL,
		"/" + strings.Repeat("a/", 2500): ErrTooLong,
	} {
		_, err := resolver.Resolve(path)
		require.ErrorIs(t, err, want, "%.40q", path)
	}
}

func TestResolveNotesHardLinksAndProc(t *testing.T) {
	root := tree(t)
	var resolver Resolver
	got, err := resolver.Resolve(root + "/proj/hard")
	require.NoError(t, err)
	assert.True(t, got.HardLinks)
	got, err = resolver.Resolve("/proc/self/cwd")
	require.NoError(t, err)
	assert.True(t, got.ViaProc, "what /proc leads to is the sidecar's, not the agent's")
}

// P2, P4: the workspace beats a grant, of grants the longest root decides, and
// a sibling that shares a prefix is another directory.
func TestSpace(t *testing.T) {
	roots := []Root{
		{"/a/b", v1.SpaceProject},
		{"/a/b/sub", v1.SpaceGrantRead},
		{"/g", v1.SpaceGrantRead},
		{"/g/rw", v1.SpaceGrantReadWrite},
		{"/g/rw/ro", v1.SpaceGrantRead},
		{"/s", v1.SpaceSession},
		{"/u", v1.SpaceReadAlso},
	}
	for path, want := range map[string]string{
		"/a/b": v1.SpaceProject, "/a/b/x": v1.SpaceProject, "/a/bc": v1.SpaceOutside, "/a": v1.SpaceOutside,
		"/a/b/sub/x": v1.SpaceProject, "/g/x": v1.SpaceGrantRead, "/g/rw/x": v1.SpaceGrantReadWrite,
		"/g/rw/ro/x": v1.SpaceGrantRead, "/s/x": v1.SpaceSession, "/u/x": v1.SpaceReadAlso, "/": v1.SpaceOutside,
	} {
		assert.Equal(t, want, Space(path, roots), path)
	}
	assert.Equal(t, v1.SpaceOutside, Space("/a", nil))
}

// S1: by base name and by directory, whatever the case, but for the exceptions.
func TestSecrets(t *testing.T) {
	secrets := testSecrets(t)
	for path, want := range map[string]string{
		"/p/.env": ".env", "/p/.ENV": ".env", "/p/.env.local": ".env.*", "/p/.env.example": "", "/p/env": "",
		"/p/server.pem": "*.pem", "/p/pem": "", "/p/id_rsa": "id_rsa*", "/p/id_rsa.pub": "id_rsa*",
		"/h/.ssh/config": ".ssh/", "/h/.ssh": ".ssh/", "/h/.sshx/config": "", "/h/.kube/config": ".kube/config",
		"/h/kube/config": "", "/proc/12/environ": "/proc/*/environ", "/proc/12/status": "", "/p/main.go": "",
		"/p/.env~": ".env", "/p/#.env#": ".env", "/p/.#.env": ".env", "/p/.Env copy": ".env", "/p/server.pem.bak.old": "*.pem", "/p/~": "", "/p/.server.pem.bak": "*.pem", "/p/.id_rsa~": "id_rsa*",
		"/p/.env.example~": ".env.*", "/p/main.go~": "", "/p/#x#": "", "/p/#": "",
	} {
		assert.Equal(t, want, secrets.File(path), path)
	}
}

func testSecrets(t *testing.T) *Secrets {
	t.Helper()
	pattern := func(globs ...string) *Pattern {
		p, err := NewPattern(globs)
		require.NoError(t, err)
		return p
	}
	return &Secrets{
		Names:  pattern(".env", ".env.*", "*.pem", "id_rsa*"),
		Except: pattern(".env.example"), Directories: pattern(".ssh"), Copies: []string{"~", ".bak", ".old", " copy"},
		Files: []string{".kube/config", "/proc/*/environ"},
	}
}

func TestPatternRefusesMalformed(t *testing.T) {
	_, err := NewPattern([]string{"[a"})
	require.Error(t, err)
}

// P11: entries match whole segments, and everything below them.
func TestProtected(t *testing.T) {
	list := NewProtected([]string{"AGENTS.md"}, []string{".git", ".github/hooks", "/etc/policyd.yaml"})
	for path, want := range map[string]string{
		"/p/AGENTS.md": "protected", "/p/agents.md": "protected", "/p/AGENTS.md.bak": "", "/p/.git": "protected_always",
		"/p/.git/hooks/x": "protected_always", "/p/.gitignore": "", "/p/.github/hooks/a": "protected_always",
		"/p/.github/workflows/a": "", "/etc/policyd.yaml": "protected_always", "/p/etc/policyd.yaml": "",
	} {
		var class v1.Form
		list.Class(path, &class)
		got := ""
		if len(class) > 0 {
			got = class[0].Name
		}
		assert.Equal(t, want, got, path)
	}
}

// The resolver agrees with the kernel's own reading of every path that exists.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"proj/out/../x", "proj/chain/..", "./proj//src", "proj/dangling/..", "proj/src/a.go/.."} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		root := tree(t)
		if strings.ContainsRune(path, 0) || len(path) > 256 || strings.Count(path, "..") > 3 {
			t.Skip("outside what the comparison is for")
		}
		var resolver Resolver
		full := root + "/" + path
		got, err := resolver.Resolve(full)
		want, kernel := filepath.EvalSymlinks(full)
		if kernel != nil || err != nil {
			return
		}
		if info, statErr := os.Stat(full); statErr != nil || info == nil {
			return // EvalSymlinks cleans "file/.." where the kernel refuses it
		}
		if want != got.Real {
			t.Fatalf("%q: resolved to %s, the kernel to %s", path, got.Real, want)
		}
	})
}

// The short ways to a result say what the walk along the path says.
func TestResolveIsTheWalk(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(root+"/dir/dir", 0o700))
	require.NoError(t, os.WriteFile(root+"/file", nil, 0o600))
	require.NoError(t, os.Symlink("dir/dir", root+"/link"))
	require.NoError(t, os.Symlink("none", root+"/dangling"))
	segments := []string{"", ".", "..", "dir", "file", "link", "dangling", "none", "...", ".hidden"}
	var warm Resolver
	for n := range 10000 {
		path := root
		for rest := n; rest > 0; rest /= len(segments) {
			path += "/" + segments[rest%len(segments)]
		}
		for _, path := range []string{path, path + "/", path + "/."} {
			var walker, cold Resolver
			want, err := walker.walk(path)
			require.NoError(t, err, path)
			got, err := cold.Resolve(path)
			require.NoError(t, err, path)
			require.Equal(t, want, got, path)
			got, err = warm.Resolve(path)
			require.NoError(t, err, path)
			require.Equal(t, want, got, path)
		}
	}
}

// What was looked at once in a call is not asked for again, and a link is told from what
// it leads to.
func TestLook(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(root+"/file", []byte("x"), 0o600))
	require.NoError(t, os.Symlink("file", root+"/link"))
	require.NoError(t, os.Symlink("none", root+"/dangling"))
	for _, r := range []*Resolver{{}, {Map: Map{{Agent: root, Sidecar: root}}}, {Windows: true}} {
		for range 2 {
			for _, name := range []string{"/file", "/link", "/dangling", "/none", "/file/x"} {
				for _, follow := range []bool{false, true} {
					want, wrong := stat.Path(root+name, follow)
					got, err := r.Look(root+name, follow)
					assert.Equal(t, want, got, name)
					assert.Equal(t, wrong, err, name)
				}
			}
		}
	}
	var r Resolver
	before, err := r.Look(root+"/file", true)
	require.NoError(t, err)
	require.NoError(t, os.Remove(root+"/file"))
	after, err := r.Look(root+"/file", false)
	require.NoError(t, err)
	assert.Equal(t, before, after, "once in a call")
	r.Reset()
	_, err = r.Look(root+"/file", false)
	assert.True(t, stat.Missing(err), "seen anew")
}

// A stamp stands for what stat says, so a link has none, and neither has what was
// not looked at.
func TestStamp(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(root+"/file", []byte("x"), 0o600))
	require.NoError(t, os.Symlink("file", root+"/link"))
	var r Resolver
	_, ok := r.Stamp(root + "/file")
	require.False(t, ok, "not looked at")
	for _, name := range []string{"/file", "/link", "/none"} {
		_, err := r.Resolve(root + name)
		require.NoError(t, err)
	}
	want, err := stat.Path(root+"/file", true)
	require.NoError(t, err)
	got, ok := r.Stamp(root + "/file")
	require.True(t, ok)
	assert.Equal(t, want, got)
	for _, name := range []string{"/link", "/none"} {
		_, ok = r.Stamp(root + name)
		assert.False(t, ok, name)
	}
	mapped := Resolver{Map: Map{{Agent: root, Sidecar: root}}}
	_, err = mapped.Resolve(root + "/file")
	require.NoError(t, err)
	_, ok = mapped.Stamp(root + "/file")
	assert.False(t, ok, "another's name")
	r.Reset()
	_, ok = r.Stamp(root + "/file")
	assert.False(t, ok, "forgotten")
	require.NoError(t, os.Remove(root+"/file"))
	resolved, err := r.Resolve(root + "/file")
	require.NoError(t, err)
	assert.False(t, resolved.Exists, "seen anew")
}
