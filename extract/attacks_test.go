package extract_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract"
)

// P1: spellings that name no place, or another one than they seem to.
func TestPathAttacks(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Symlink("out", p.project+"/again"))
	require.NoError(t, os.Symlink("loop", p.project+"/loop"))
	require.NoError(t, os.MkdirAll(p.home+"/project-too", 0o700))
	require.NoError(t, os.Symlink(p.project+"/src", p.home+"/other/back"))
	for raw, want := range map[string]string{
		"README.md/":                      v1.SpaceProject,
		"//" + p.project + "///README.md": v1.SpaceProject,
		"./././src/../README.md":          v1.SpaceProject,
		"out/back/main.go":                v1.SpaceProject, // out of the project and in again
		"out/file":                        v1.SpaceOutside,
		"again/file":                      v1.SpaceOutside, // the link stands in the middle of the walk
		"src/../out/./file":               v1.SpaceOutside,
		"out/../proj/README.md":           v1.SpaceUnknown,
		p.project + "-too/x":              v1.SpaceOutside,
		p.project + "x":                   v1.SpaceOutside,
		"loop/x":                          v1.SpaceUnknown,
		"a\x00b":                          v1.SpaceUnknown,
		strings.Repeat("a/", 2500) + "x":  v1.SpaceUnknown,
		"/" + strings.Repeat("b", 5000):   v1.SpaceUnknown,
		"~root/x":                         v1.SpaceUnknown,
		"~/other/file":                    v1.SpaceOutside,
		"../" + strings.Repeat("../", 60): v1.SpaceOutside,
		"src/main.go/../../README.md":     v1.SpaceProject,
	} {
		for tool, args := range map[string]map[string]any{"Read": {"file_path": raw}, "Write": {"file_path": raw, "content": ""}} {
			facts := p.facts(tool, args)
			require.NotEmpty(t, facts.Paths, "%.60q", raw)
			assert.Equal(t, want, facts.Paths[0].Space, "%s %.60q: %s", tool, raw, facts.Paths[0].Real)
		}
	}
}

// P1, P14: a root that is named over a link is where the link leads.
func TestRootsOverLinks(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Symlink("proj", p.home+"/link"))
	require.NoError(t, os.Symlink(".ssh", p.home+"/harmless"))
	call := p.call("Read", map[string]any{"file_path": "README.md"})
	call.Cwd, call.Session.ProjectDir = p.home+"/link/src/..", p.home+"/link"
	facts := p.extractor.Extract(call, nil)
	assert.Equal(t, "path:read.project", touches(facts))
	assert.Equal(t, p.project, facts.Session.ProjectDir)
	assert.Equal(t, p.project, facts.Cwd)
	call.Session.ProjectDir, call.Session.ExtraDirs = p.home+"/harmless", []string{p.home + "/harmless", "/etc", ""}
	call.Session.SessionDir = p.home + "/harmless"
	for _, path := range []string{p.home + "/.ssh/x", "/etc/hostname"} {
		call.Args = []byte(`{"file_path":` + quote(path) + `}`)
		assert.Equal(t, "path:read.outside", touches(p.extractor.Extract(call, nil)), path)
	}
}

// P8: nothing of a call is remembered for the next one.
func TestSwappedBetweenCalls(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.project+"/spot", 0o700))
	read := func() string { return touches(p.facts("Read", map[string]any{"file_path": "spot/file"})) }
	assert.Equal(t, "path:read.project", read())
	require.NoError(t, os.Remove(p.project+"/spot"))
	require.NoError(t, os.Symlink(p.home+"/other", p.project+"/spot"))
	assert.Equal(t, "path:read.outside", read())
}

// P6: the sidecar's home stays sensitive whatever home a session claims, and a
// claimed home is sensitive, too.
func TestClaimedHomes(t *testing.T) {
	p := newPlace(t)
	for _, claimed := range []string{"/nowhere", p.project, p.home + "/other", "relative"} {
		for _, dir := range []string{p.home, p.home + "/.ssh", claimed} {
			call := p.call("Read", map[string]any{"file_path": dir + "/x"})
			call.Session.Home, call.Session.ProjectDir = claimed, dir
			assert.NotContains(t, touches(p.extractor.Extract(call, nil)), "project", "%s, with %s for a home", dir, claimed)
		}
	}
}

// P6: files that policyd was told to read are protected where they lie, by
// every name.
func TestSettingsInAProject(t *testing.T) {
	p := newPlace(t)
	settings := p.project + "/policyd.yaml"
	require.NoError(t, os.WriteFile(settings, nil, 0o600))
	require.NoError(t, os.MkdirAll(p.project+"/bundle", 0o700))
	require.NoError(t, os.Symlink("policyd.yaml", p.project+"/alias"))
	require.NoError(t, os.Link(settings, p.project+"/second"))
	base, err := extract.NewBase(extract.Options{
		Home: p.home, Protected: []string{settings, p.project + "/bundle"}, Platform: "linux", Now: time.Now,
	})
	require.NoError(t, err)
	p.extractor, err = base.With(policyData(t))
	require.NoError(t, err)
	for _, name := range []string{"policyd.yaml", "alias", "second", "POLICYD.yaml", "bundle/rule.rego", "./bundle"} {
		facts := p.facts("Write", map[string]any{"file_path": name, "content": ""})
		assert.Contains(t, facts.About, "protected", name)
		facts = p.facts("Bash", map[string]any{"command": "echo x > " + name})
		assert.Contains(t, facts.About, "protected", name)
	}
	assert.NotContains(t, p.facts("Write", map[string]any{"file_path": "policyd.yaml.example", "content": ""}).About, "protected")
	assert.Contains(t, p.facts("Bash", map[string]any{"command": "mv " + p.project + " /tmp/x"}).About, "protected", "it goes with its directory")
}

// P4: of two grants for one root the narrower decides, in any order.
func TestTwoGrantsForOneRoot(t *testing.T) {
	p := newPlace(t)
	call := p.call("Write", map[string]any{"file_path": p.home + "/other/file", "content": ""})
	read, write := v1.PathGrant{Root: p.home + "/other", Mode: "read"}, v1.PathGrant{Root: p.home + "/other", Mode: "read_write"}
	for _, grants := range [][]v1.PathGrant{{read, write}, {write, read}, {write, {Root: p.home + "/other", Mode: "unheard of"}}} {
		assert.Equal(t, "path:write.grant_read", touches(p.extractor.Extract(call, grants)))
	}
	assert.Equal(t, "path:write.grant_read_write", touches(p.extractor.Extract(call, []v1.PathGrant{write})))
}

// V12: an MCP tool's paths are found by name, nested, and in patches.
func TestPathsOfMCPTools(t *testing.T) {
	p := newPlace(t)
	for name, c := range map[string]struct {
		tool string
		args map[string]any
		want string
	}{
		"read":         {"mcp__fs__read_text_file", map[string]any{"path": "README.md"}, "tool: path:read.project"},
		"list":         {"mcp__fs__directory_tree", map[string]any{"path": "/etc"}, "tool: path:list.outside"},
		"move":         {"mcp__fs__move_file", map[string]any{"source": "README.md", "destination": "../x"}, "tool: path:write.outside path:delete.project"},
		"several":      {"mcp__fs__read_multiple_files", map[string]any{"paths": []any{"README.md", "/etc/x"}}, "tool: path:read.project path:read.outside"},
		"file address": {"mcp__x__open", map[string]any{"uri": "file:///etc/x"}, "tool: path:write.outside"},
		"an address":   {"mcp__x__open", map[string]any{"uri": "https://example.org/x"}, "tool:"},
		"nested":       {"mcp__x__batch", map[string]any{"edits": []any{map[string]any{"path": "../x"}, map[string]any{"paths": []any{"y"}}}}, "tool: path:write.outside path:write.project"},
		"patch":        {"mcp__x__apply", map[string]any{"text": "*** Begin Patch\n*** Delete File: README.md\n*** End Patch"}, "tool: path:delete.project"},
		"no path":      {"mcp__x__say", map[string]any{"text": "a/b", "list": []any{"c"}, "profile": "d"}, "tool:"},
	} {
		assert.Equal(t, c.want, touches(p.facts(c.tool, c.args)), name)
	}
	assert.Contains(t, p.facts("mcp__x__batch", map[string]any{"edits": []any{map[string]any{"path": ".git/config"}}}).About, "protected")
}
