package extract_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func (p place) darwinFacts(tool string, args map[string]any, grants ...v1.PathGrant) v1.Facts {
	call := p.call(tool, args)
	call.Session.Platform = "darwin"
	return p.extractor.Extract(call, grants)
}

// P1: on a platform that folds case and composes letters, a name that spells
// an existing entry otherwise is that entry, links among them.
func TestNamesOfFoldingPlatforms(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.project+"/caf\u00e9.md", nil, 0o600))
	require.NoError(t, os.WriteFile(p.home+"/other/Twin", nil, 0o600))
	require.NoError(t, os.WriteFile(p.home+"/other/tWIN", nil, 0o600))
	for raw, want := range map[string][2]string{
		"readme.MD":                       {p.project + "/README.md", v1.SpaceProject},
		"SRC/Main.go":                     {p.project + "/src/main.go", v1.SpaceProject},
		"cafe\u0301.md":                   {p.project + "/caf\u00e9.md", v1.SpaceProject},
		"OUT/file":                        {p.home + "/other/file", v1.SpaceOutside},
		p.home + "/PROJ/new":              {p.project + "/new", v1.SpaceProject},
		p.home + "/Other/file":            {p.home + "/other/file", v1.SpaceOutside},
		p.home + "/other/twin":            {p.home + "/other/twin", v1.SpaceUnknown},
		strings.ToUpper(p.project) + "/x": {p.project + "/x", v1.SpaceProject},
		p.project + "2/x":                 {p.project + "2/x", v1.SpaceOutside},
	} {
		facts := p.darwinFacts("Read", map[string]any{"file_path": raw})
		require.Len(t, facts.Paths, 1)
		assert.Equal(t, want, [2]string{facts.Paths[0].Real, facts.Paths[0].Space}, "%q", raw)
	}
	facts := p.facts("Read", map[string]any{"file_path": "readme.MD"})
	assert.Equal(t, v1.Set{"missing"}, facts.Paths[0].Caveats, "linux tells them apart")
	item := p.darwinFacts("Bash", map[string]any{"command": "cat ./SRC/main.go"}).Items[0]
	assert.Equal(t, p.project+"/src", item.Directory)
	assert.Contains(t, []string(item.Within), p.project, "an approval's directory is compared as it stands on disk")
}

// P4: of two directories that differ by case, only the one that is granted is,
// where the disk tells them apart after all.
func TestFoldedRootsAreAskedOfTheDisk(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.home+"/Proj/x", 0o700))
	facts := p.darwinFacts("Read", map[string]any{"file_path": p.home + "/Proj/x"})
	assert.Equal(t, v1.SpaceOutside, facts.Paths[0].Space)
	facts = p.darwinFacts("Read", map[string]any{"file_path": p.home + "/OTHER/file"}, v1.PathGrant{Root: p.home + "/other", Mode: "read"})
	assert.Equal(t, v1.SpaceGrantRead, facts.Paths[0].Space)
}

// P11, S1: lists match what any file system takes for the name, whatever the
// session says of its platform.
func TestListsFoldNames(t *testing.T) {
	p := newPlace(t)
	for raw, want := range map[string]string{
		".ENV": "secret", ".\u017fsh/id": "secret_directory", ".\u00dfh/id": "secret_directory", "x.\u212aey": "secret", ".e\ufb01": "",
		".Git/hooks/x": "protected_always", ".git\u00ad/x": "protected_always", ".GIT": "protected_always", "agents.MD": "protected",
		".CLAUDE/settings.local.json": "protected_always", ".mcp.JSON": "protected_always", "\u0261it": "",
	} {
		for _, platform := range []string{"linux", "darwin", "windows"} {
			call := p.call("Write", map[string]any{"file_path": raw, "content": ""})
			call.Session.Platform = platform
			facts := p.extractor.Extract(call, nil)
			require.NotEmpty(t, facts.Paths, raw)
			_, found := facts.Paths[0].Class.Get(want)
			assert.Equal(t, want != "", found, "%q on %s: %v", raw, platform, facts.Paths[0].Class)
		}
	}
	for _, raw := range []string{".g\u200cit/config", ".g\ufeffit/x", ".cl\u200daude/x"} {
		facts := p.darwinFacts("Write", map[string]any{"file_path": raw, "content": ""})
		assert.Contains(t, facts.About, "protected", "%q", raw)
		assert.True(t, p.darwinFacts("Bash", map[string]any{"command": "touch '" + raw + "'"}).Messy, "%q", raw)
	}
}

// P6: policyd's own files are its own in every spelling.
func TestOwnFilesFoldNames(t *testing.T) {
	p := newPlace(t)
	for _, raw := range []string{"/state/agent.token", "/STATE/x", "/ſtate/x"} {
		facts := p.facts("Read", map[string]any{"file_path": p.home + raw})
		assert.Contains(t, facts.About, "own", raw)
	}
	session := v1.Session{Platform: "darwin"}
	for path, want := range map[string]bool{p.home + "/STATE": true, p.home + "/.SSH/x": true, "/ETC": true, p.home + "/repo": false} {
		place, err := p.extractor.Place(&session, nil, path)
		require.NoError(t, err)
		assert.Equal(t, want, place.Sensitive, path)
	}
}

// S3: where a shell counts bytes, or orders letters its own way, a pattern matches more
// names than it seems to.
func TestPatternsAreMatchedAsInAnyLocale(t *testing.T) {
	p := newPlace(t)
	for _, link := range []string{"\u00e9.txt", "K.cfg", "z{,}.yml"} {
		require.NoError(t, os.Symlink(".env", p.project+"/"+link))
	}
	for line, reached := range map[string]bool{
		"cat ??.txt": true, "cat ???.txt": true, "cat [a-z].cfg": true, "cat [a-z]?.txt": true, "cat a?.txt": false, "cat [xyz].cfg": false, "cat k.*": true, "cat [A-K].cfg": true,
		"find . -name '??.txt' -exec cat {} +": true, "grep -rn x --include='??.txt' docs": false,
	} {
		item := p.facts("Bash", map[string]any{"command": line}).Items[0]
		if line[0] == 'f' {
			item = p.facts("Bash", map[string]any{"command": line}).Items[1]
		}
		assert.Equal(t, reached, item.Caveats.Has("reaches_secret"), line)
	}
}

// S3: ksh splits braces in a name that stands unquoted; other shells don't.
func TestNamesWithBraces(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.project+"/src/{.env,b}", nil, 0o600))
	for shell, splits := range map[string]bool{"ksh": true, "sh": true, "bash": false} {
		for line, names := range map[string]bool{
			"for f in src/*; do cat $f; done": true, `for f in src/*; do cat "$f"; done`: false, "for f in $(find src -type f); do cat $f; done": true,
		} {
			call := p.call("Bash", map[string]any{"command": line})
			call.Session.Shell = shell
			facts := p.extractor.Extract(call, nil)
			item := facts.Items[len(facts.Items)-1]
			doubtful := item.Caveats.Has("dynamic_word") || item.Caveats.Has("reaches_unknown")
			assert.Equal(t, splits && names, doubtful, "%s: %s", shell, line)
		}
	}
}

// P13, S1: a fork of a file is the file on macOS, and nothing elsewhere.
func TestForks(t *testing.T) {
	p := newPlace(t)
	for path, secret := range map[string]bool{".env/..namedfork/rsrc": true, "README.md/..namedfork/rsrc": false, ".env/..NAMEDFORK/rsrc": true} {
		for platform, forks := range map[string]bool{"darwin": true, "linux": false} {
			for tool, args := range map[string]map[string]any{"Read": {"file_path": path}, "Bash": {"command": "cat " + path}} {
				call := p.call(tool, args)
				call.Session.Platform = platform
				assert.Equal(t, secret && forks, slices.Contains(p.extractor.Extract(call, nil).About, "secret"), "%s: %s %s", platform, tool, path)
			}
		}
	}
}
