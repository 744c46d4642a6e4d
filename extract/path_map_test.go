package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract"
)

// container is a place whose agent calls the project /workspace/proj and sees
// nothing else of the sidecar's disk but a directory of shared files.
type container struct {
	place
	shared string
}

func newContainer(t *testing.T, more ...map[string]any) container {
	t.Helper()
	c := container{place: newPlace(t)}
	c.shared = c.home + "/shared"
	for path, text := range map[string]string{
		"shared/notes.txt": "x", "shared/.env": "x", ".aws/config": "x", "proj/nested/ordinary.txt": "x", "elsewhere/inside.txt": "x",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(c.home+"/"+path), 0o700))
		require.NoError(t, os.WriteFile(c.home+"/"+path, []byte(text), 0o600))
	}
	for link, target := range map[string]string{
		"named": "/workspace/proj/README.md", "shared": "/shared/notes.txt", "up": "../../shared/notes.txt", "gone": "/usr/share/x",
		"trap": c.home + "/proj/README.md", "loop": "/workspace/proj/loop", "dir": "/workspace/proj/src",
	} {
		require.NoError(t, os.Symlink(target, c.project+"/"+link))
	}
	data := policyData(t)
	entries := []any{
		map[string]any{"agent": "/workspace", "sidecar": c.home + "/ws"},
		map[string]any{"agent": "/workspace/proj", "sidecar": c.project},
		map[string]any{"agent": "/workspace/proj/nested", "sidecar": c.home + "/elsewhere"},
		map[string]any{"agent": "/shared", "sidecar": c.shared},
		map[string]any{"agent": "/cloud", "sidecar": c.home + "/.aws"},
		map[string]any{"agent": "/state", "sidecar": c.home + "/state"},
	}
	for _, entry := range more {
		entries = append(entries, entry)
	}
	data["settings"].(map[string]any)["scope"].(map[string]any)["path_map"] = entries //nolint:forcetypeassert // the test's own data
	base, err := extract.NewBase(extract.Options{
		Home: c.home, Own: []string{c.home + "/state"}, Protected: []string{c.shared + "/policyd.yaml"}, Platform: "linux",
		Now: func() time.Time { return time.Now().Add(time.Hour) },
	})
	require.NoError(t, err)
	c.extractor, err = base.With(data)
	require.NoError(t, err)
	return c
}

func (c container) facts(tool string, args map[string]any) v1.Facts {
	call := c.call(tool, args)
	call.Cwd, call.Session.ProjectDir, call.Session.Home = "/workspace/proj", "/workspace/proj", "/home/agent"
	return c.extractor.Extract(call, []v1.PathGrant{{Root: "/shared", Mode: "read"}, {Root: "/opt/tool", Mode: "read_write"}, {Root: "/cloud", Mode: "read"}})
}

// P13: names are the agent's, links hold the agent's names, borders between
// entries are crossed as the agent would, and what is on no entry can't be seen.
func TestPathMap(t *testing.T) {
	c := newContainer(t)
	for raw, want := range map[string]struct{ real, space, caveats, class string }{
		"README.md":                      {"/workspace/proj/README.md", "project", "", ""},
		"/workspace/proj//src/./main.go": {"/workspace/proj/src/main.go", "project", "", ""},
		"new.txt":                        {"/workspace/proj/new.txt", "project", "missing", ""},
		"named":                          {"/workspace/proj/README.md", "project", "", ""},
		"dir/main.go":                    {"/workspace/proj/src/main.go", "project", "", ""},
		"shared":                         {"/shared/notes.txt", "grant_read", "", ""},
		"up":                             {"/shared/notes.txt", "grant_read", "", ""},
		"../../shared/notes.txt":         {"/shared/notes.txt", "grant_read", "", ""},
		"gone":                           {"/usr/share/x", "unknown", "invisible", ""},
		"trap":                           {c.home + "/proj/README.md", "unknown", "invisible", ""},
		"loop":                           {"/workspace/proj/loop", "unknown", "error", ""},
		"/usr/share/dict":                {"/usr/share/dict", "unknown", "invisible", ""},
		"/opt/tool/x":                    {"/opt/tool/x", "unknown", "invisible", ""},
		"/opt/../shared/notes.txt":       {"/shared/notes.txt", "unknown", "invisible", ""},
		c.project + "/README.md":         {c.project + "/README.md", "unknown", "invisible", ""},
		"nested/inside.txt":              {"/workspace/proj/nested/inside.txt", "project", "", ""},
		"nested/ordinary.txt":            {"/workspace/proj/nested/ordinary.txt", "project", "missing", ""},
		"/shared/.env":                   {"/shared/.env", "grant_read", "", "secret"},
		"/cloud/config":                  {"/cloud/config", "outside", "", "secret_directory"},
		"/state/agent.token":             {"/state/agent.token", "outside", "", "own"},
		"/home/agent/.ssh/id":            {"/home/agent/.ssh/id", "unknown", "invisible", "secret_directory"},
		"/shared/policyd.yaml":           {"/shared/policyd.yaml", "grant_read", "missing", "protected_always"},
		"/":                              {"/", "outside", "directory", ""},
	} {
		facts := c.facts("Read", map[string]any{"file_path": raw})
		require.Len(t, facts.Paths, 1, raw)
		path := facts.Paths[0]
		class := ""
		if len(path.Class) > 0 {
			class = path.Class[0].Name
		}
		assert.Equal(t, []string{want.real, want.space, want.caveats, want.class},
			[]string{path.Real, path.Space, strings.Join(path.Caveats, "+"), class}, raw)
	}
}

// P13: without its entry a project is no place, and one whose entry leads to a
// sensitive place is none either.
func TestPathMapGivesNoSpaceUnseen(t *testing.T) {
	c := newContainer(t)
	for _, project := range []string{c.project, "/unmapped", "/cloud", "/state", "/home/agent", "/workspace"} {
		call := c.call("Read", map[string]any{"file_path": project + "/x"})
		call.Session.ProjectDir, call.Session.Home = project, "/home/agent"
		space := c.extractor.Extract(call, nil).Paths[0].Space
		assert.Equal(t, project == "/workspace", space == v1.SpaceProject, project)
	}
	session := v1.Session{Home: "/home/agent", ProjectDir: "/workspace/proj"}
	for path, want := range map[string]extract.Place{
		"/workspace/proj": {Real: "/workspace/proj", Space: v1.SpaceProject, Exists: true, Dir: true, Visible: true},
		"/unmapped":       {Real: "/unmapped", Space: v1.SpaceUnknown},
		"/cloud":          {Real: "/cloud", Space: v1.SpaceOutside, Sensitive: true, Exists: true, Dir: true, Visible: true},
		"/state/x":        {Real: "/state/x", Space: v1.SpaceOutside, Sensitive: true, Own: true, Visible: true},
	} {
		got, err := c.extractor.Place(&session, nil, path)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	require.NoError(t, os.WriteFile(c.shared+"/go.mod", nil, 0o600))
	assert.True(t, c.extractor.RepositoryShaped("/shared"))
	assert.False(t, c.extractor.RepositoryShaped(c.shared), "the sidecar's name is not the agent's")
}

// P13, S3: trees and globs are walked where the agent would walk them, or not known.
func TestPathMapWalks(t *testing.T) {
	c := newContainer(t)
	caveats := func(line string) v1.Set {
		facts := c.facts("Bash", map[string]any{"command": line})
		require.NotEmpty(t, facts.Items, line)
		return facts.Items[len(facts.Items)-1].Caveats
	}
	assert.Empty(t, caveats("grep -rn x src"))
	assert.Contains(t, caveats("grep -rn x ."), "reaches_unknown", "another entry lies below")
	assert.Contains(t, caveats("grep -rn x /shared"), "reaches_secret")
	assert.Empty(t, caveats("cat src/*.go"))
	assert.Contains(t, caveats("cat .e*v"), "reaches_secret")
	assert.Contains(t, caveats("cat /usr/share/*"), "reaches_unknown")
	assert.Contains(t, caveats("cd /unmapped && ls"), "cwd_unknown")
	facts := c.facts("Bash", map[string]any{"command": "cat nam?d"})
	assert.Equal(t, v1.Set{"list.project", "read.project"}, facts.Items[0].Touches)
	facts = c.facts("Bash", map[string]any{"command": "cat g?ne"})
	assert.Contains(t, facts.Items[0].Touches, "read.unknown")
}

// P13: a repository is judged by what git would see, and what can't be seen of
// a person's configuration makes it untrusted.
func TestPathMapAndGit(t *testing.T) {
	c := newContainer(t)
	trusted := func(c container) bool {
		output, err := exec.Command("git", "init", "-q", c.project).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
		facts := c.facts("Bash", map[string]any{"command": "git status"})
		require.Len(t, facts.Items, 1)
		return !facts.Items[0].Caveats.Has("git_untrusted")
	}
	assert.False(t, trusted(c), "the agent's own configuration of git can't be seen")
	c = newContainer(t, map[string]any{"agent": "/etc/gitconfig", "sidecar": "/etc/gitconfig-of-the-agent"},
		map[string]any{"agent": "/home/agent", "sidecar": t.TempDir()})
	assert.True(t, trusted(c))
	// A hooks directory that the sidecar would not find is one that the agent does.
	require.NoError(t, os.RemoveAll(c.project+"/.git/hooks"))
	require.NoError(t, os.MkdirAll(c.project+"/evil", 0o700))
	require.NoError(t, os.WriteFile(c.project+"/evil/post-index-change", []byte("#!/bin/sh\n"), 0o700))
	assert.True(t, trusted(c))
	require.NoError(t, os.RemoveAll(c.project+"/.git/hooks"))
	require.NoError(t, os.Symlink("/workspace/proj/evil", c.project+"/.git/hooks"))
	facts := c.facts("Bash", map[string]any{"command": "git status"})
	assert.Contains(t, facts.Items[0].Caveats, "git_untrusted")
}

// P13: a map that can be read in two ways is refused.
func TestPathMapIsRefused(t *testing.T) {
	base, err := extract.NewBase(extract.Options{Home: "/home/x", Platform: "linux"})
	require.NoError(t, err)
	for _, entries := range [][]any{
		{map[string]any{"agent": "relative", "sidecar": "/x"}},
		{map[string]any{"agent": "/x", "sidecar": "relative"}},
		{map[string]any{"agent": "/x/../y", "sidecar": "/x"}},
		{map[string]any{"agent": "/x", "sidecar": "/x"}, map[string]any{"agent": "/x/", "sidecar": "/y"}},
	} {
		data := policyData(t)
		data["settings"].(map[string]any)["scope"].(map[string]any)["path_map"] = entries //nolint:forcetypeassert // the test's own data
		_, err := base.With(data)
		assert.ErrorContains(t, err, "path map", entries)
	}
}
