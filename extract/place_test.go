package extract_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract"
	"policyd/extract/paths"
)

// P6, P7: what a grant resolver has to know of a place.
func TestPlace(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.home+"/repo/.git", 0o700))
	require.NoError(t, os.Symlink("../repo", p.home+"/other/link"))
	session := p.call("Read", nil).Session
	grants := []v1.PathGrant{{Root: p.home + "/repo", Mode: "read"}, {Root: p.home + "/.ssh", Mode: "read_write"}}
	cases := map[string]struct {
		path string
		want extract.Place
	}{
		"project":          {p.project, extract.Place{Real: p.project, Space: v1.SpaceProject, Exists: true, Dir: true, Changeable: true}},
		"file":             {p.project + "/./src//main.go", extract.Place{Real: p.project + "/src/main.go", Space: v1.SpaceProject, Exists: true, Changeable: true}},
		"outside":          {p.home + "/other", extract.Place{Real: p.home + "/other", Space: v1.SpaceOutside, Exists: true, Dir: true, Changeable: true}},
		"missing":          {p.home + "/other/x/y", extract.Place{Real: p.home + "/other/x/y", Space: v1.SpaceOutside, Changeable: true}},
		"granted":          {p.home + "/repo", extract.Place{Real: p.home + "/repo", Space: v1.SpaceGrantRead, Exists: true, Dir: true, Changeable: true}},
		"granted by link":  {p.home + "/other/link", extract.Place{Real: p.home + "/repo", Space: v1.SpaceGrantRead, Exists: true, Dir: true, Links: []string{p.home + "/other/link"}, Changeable: true}},
		"home":             {p.home, extract.Place{Real: p.home, Space: v1.SpaceOutside, Sensitive: true, Own: true, Exists: true, Dir: true}},
		"sensitive":        {p.home + "/.ssh", extract.Place{Real: p.home + "/.ssh", Space: v1.SpaceOutside, Sensitive: true, Exists: true, Dir: true}},
		"in sensitive":     {p.home + "/.ssh/x", extract.Place{Real: p.home + "/.ssh/x", Space: v1.SpaceOutside, Sensitive: true}},
		"system":           {"/etc", extract.Place{Real: "/etc", Space: v1.SpaceOutside, Sensitive: true, Exists: true, Dir: true}},
		"root":             {"/", extract.Place{Real: "/", Space: v1.SpaceOutside, Sensitive: true, Own: true, Exists: true, Dir: true}},
		"own":              {p.home + "/state", extract.Place{Real: p.home + "/state", Space: v1.SpaceOutside, Sensitive: true, Own: true, Exists: true, Dir: true}},
		"standing":         {"/usr/include/no", extract.Place{Real: "/usr/include/no", Space: v1.SpaceReadAlso}},
		"by way of /proc":  {"/proc/self/root" + p.home + "/other", extract.Place{Real: p.home + "/other", Space: v1.SpaceOutside, Sensitive: true, Exists: true, Dir: true, Links: []string{"/proc/self", "/proc/self/root"}}},
		"hidden":           {p.home + "/other/.x/y", extract.Place{Real: p.home + "/other/.x/y", Space: v1.SpaceOutside}},
		"hidden data":      {p.home + "/other/.x/y.db", extract.Place{Real: p.home + "/other/.x/y.db", Space: v1.SpaceOutside, Changeable: true, Data: true}},
		"hidden itself":    {p.home + "/other/.y.db", extract.Place{Real: p.home + "/other/.y.db", Space: v1.SpaceOutside}},
		"sensitive data":   {p.home + "/.ssh/y.db", extract.Place{Real: p.home + "/.ssh/y.db", Space: v1.SpaceOutside, Sensitive: true, Data: true}},
		"directory itself": {"/srv", extract.Place{Real: "/srv", Space: v1.SpaceOutside, Sensitive: true, Exists: true, Dir: true}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := p.extractor.Place(&session, grants, c.path)
			require.NoError(t, err)
			c.want.Visible = true
			if len(got.Links) == 2 {
				c.want.Links = got.Links // a process has its own number
			}
			assert.Equal(t, c.want, got)
		})
	}
}

func TestPlaceRefuses(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Symlink("loop", p.home+"/loop"))
	require.NoError(t, os.MkdirAll(p.home+"/deep/er", 0o700))
	require.NoError(t, os.Symlink("../deep/er", p.home+"/other/link"))
	session := p.call("Read", nil).Session
	for path, want := range map[string]error{
		"proj": paths.ErrRelative, "": paths.ErrRelative, "~": paths.ErrRelative, p.home + "/a\x00b": paths.ErrNUL,
		"/" + strings.Repeat("a", 5000): paths.ErrTooLong, p.home + "/loop": paths.ErrLoop, p.home + "/other/link/..": extract.ErrAmbiguous,
	} {
		_, err := p.extractor.Place(&session, nil, path)
		assert.ErrorIs(t, err, want, "%.40q", path)
	}
}

// P8: a second look sees the disk as it is then.
func TestPlaceLooksAgain(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.home+"/repo", 0o700))
	session := p.call("Read", nil).Session
	first, err := p.extractor.Place(&session, nil, p.home+"/repo")
	require.NoError(t, err)
	assert.False(t, first.Sensitive)
	require.NoError(t, os.Remove(p.home+"/repo"))
	require.NoError(t, os.Symlink("/etc", p.home+"/repo"))
	second, err := p.extractor.Place(&session, nil, p.home+"/repo")
	require.NoError(t, err)
	assert.Equal(t, "/etc", second.Real)
	assert.True(t, second.Sensitive)
}

// P6: a home that the session claims doesn't make the sidecar's own ordinary.
func TestPlaceKeepsTheOwnHome(t *testing.T) {
	p := newPlace(t)
	session := v1.Session{ID: "s", Home: "/nowhere"}
	for _, path := range []string{p.home, p.home + "/.ssh", "/nowhere", "/nowhere/.aws/x"} {
		got, err := p.extractor.Place(&session, nil, path)
		require.NoError(t, err)
		assert.True(t, got.Sensitive, path)
	}
}

// P7: the marks of a project, whatever bears their name.
func TestRepositoryShaped(t *testing.T) {
	p := newPlace(t)
	assert.False(t, p.extractor.RepositoryShaped(p.home+"/other"))
	assert.False(t, p.extractor.RepositoryShaped(p.home+"/missing"))
	assert.False(t, p.extractor.RepositoryShaped(""))
	assert.False(t, p.extractor.RepositoryShaped("C:/proj"))
	for _, mark := range []string{".git", "package.json", "go.mod", "Cargo.toml"} {
		dir := t.TempDir()
		require.NoError(t, os.Symlink("nowhere", dir+"/"+mark))
		assert.True(t, p.extractor.RepositoryShaped(dir), mark)
	}
}

// P4, P10: by whole segments, and by the case rules of the session's platform.
func TestUnder(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		path, root, platform string
		want                 bool
	}{
		{"/a/b", "/a/b", "linux", true},
		{"/a/b/c", "/a/b", "linux", true},
		{"/a/bc", "/a/b", "linux", false},
		{"/a", "/a/b", "linux", false},
		{"/a", "/", "linux", true},
		{"/A/B/c", "/a/b", "linux", false},
		{"/A/B/c", "/a/b", "", false},
		{"/A/B/c", "/a/b", "darwin", true},
		{"C:/A/B", "C:/a", "windows", true},
		{"D:/A/B", "C:/a", "windows", false},
	} {
		assert.Equal(t, c.want, p.extractor.Under(c.path, c.root, &v1.Session{Platform: c.platform}), c)
	}
}

// A12: the pattern of the files of a directory for temporary files matches neither its directories nor hidden files.
func TestTemporaryFilesOfAGrant(t *testing.T) {
	p := newPlace(t)
	dir := p.home + "/temporary"
	require.NoError(t, os.MkdirAll(dir+"/sub", 0o700))
	require.NoError(t, os.WriteFile(dir+"/there.log", nil, 0o600))
	require.NoError(t, os.Symlink(p.home+"/other/file", dir+"/link"))
	data := policyData(t)
	config, _ := data["config"].(map[string]any)
	sensitive, _ := config["sensitive"].(map[string]any)
	sensitive["temporary"] = []any{dir, p.home}
	base, err := extract.NewBase(extract.Options{Home: p.home, Platform: "linux"})
	require.NoError(t, err)
	t.Cleanup(base.Close)
	x, err := base.With(data)
	require.NoError(t, err)

	session := p.call("Read", nil).Session
	apart := func(path v1.Path) bool { return path.Caveats.Has("apart") }
	all := dir + "/*"
	for name, want := range map[string]string{"there.log": all, "new": all, ".hidden": "", "sub": "", "sub/x": "", "link": "", "": ""} {
		place, err := x.Place(&session, nil, dir+"/"+name)
		require.NoError(t, err)
		assert.Equal(t, want, place.Temporary, name)
		for _, root := range []string{all, p.home + "/unlisted/*"} {
			facts := x.Extract(p.call("Read", map[string]any{"file_path": dir + "/" + name}), []v1.PathGrant{{Root: root, Mode: v1.GrantReadWrite}})
			line := x.Extract(p.call("Bash", map[string]any{"command": "ls > '" + dir + "/" + name + "'"}), []v1.PathGrant{{Root: root, Mode: v1.GrantReadWrite}})
			assert.Equal(t, want != "" && root == all, slices.ContainsFunc(line.Paths, apart), name)
			granted := touches(facts) == "path:read.grant_read_write"
			assert.Equal(t, want != "" && root == all, granted, "%s: %s", name, touches(facts))
		}
	}
	near := x.Extract(p.call("Bash", map[string]any{"command": "ls > ../x.log"}), []v1.PathGrant{{Root: p.home + "/*", Mode: v1.GrantReadWrite}})
	assert.Contains(t, touches(near), "write.grant_read_write")
	assert.False(t, slices.ContainsFunc(near.Paths, apart), "the project is beside it")
}
