package paths

import (
	"os"
	"testing"

	"policyd/extract/stat"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		names      Names
		path, root string
		want       bool
	}{
		{NamesExact, "/a/b", "/a", true},
		{NamesExact, "/A/b", "/a", false},
		{NamesWindows, "C:/pROJ/SRC", "C:/Proj", true},
		{NamesWindows, "C:/projx", "C:/Proj", false},
		{NamesWindows, "C:/\u212a", "C:/k", false}, // KELVIN SIGN is another name
		{NamesWindows, "C:/\u00c9/x", "C:/\u00e9", true},
		{NamesWindows, "C:/e\u0301", "C:/\u00e9", false},
		{NamesDarwin, "/e\u0301/x", "/\u00c9", true},
		{NamesDarwin, "/a", "/a/b", false},
	} {
		assert.Equal(t, c.want, c.names.Within(c.path, c.root), c)
	}
	assert.True(t, NamesDarwin.Same("A", "a"))
	assert.True(t, NamesDarwin.Same("e\u0301", "\u00c9"))
	assert.False(t, NamesExact.Same("A", "a"))
	assert.Equal(t, []Names{NamesExact, NamesExact, NamesDarwin, NamesWindows},
		[]Names{NamesOf("linux"), NamesOf(""), NamesOf("darwin"), NamesOf("windows")})
}

func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"README": "readme", ".\u017f\u017fh": ".ssh", ".\u00dfh": ".ssh", "\u212aey": "key", ".g\u200cit": ".git", ".gi\ufe0ft": ".git",
		"e\u0301": "\u00e9", "\u00c9": "\u00e9", "\u0130": "i\u0307", ".e\U000e0001nv": ".env",
	} {
		assert.Equal(t, want, Fold(name), "%q", name)
	}
}

func TestFoldedWithin(t *testing.T) {
	for _, path := range []string{"/a/b", "/a/b/c", "/A/B", "/a/B\u200c/c"} {
		assert.True(t, FoldedWithin(path, "/a/b"), path)
	}
	for _, path := range []string{"/a/bc", "/a", "/", "/a/B\u00e9"} {
		assert.False(t, FoldedWithin(path, "/a/b"), path)
	}
}

// The short name of a file is found by the disk and listed by no directory.
func TestShortNamesAreNotFollowed(t *testing.T) {
	root := tree(t)
	require.NoError(t, os.WriteFile(root+"/proj/LISTED~1", nil, 0o600))
	r := Resolver{nodes: map[string]node{root + "/proj/GIT~1": {stamp: stat.Stamp{Kind: stat.Directory}}}}
	_, err := r.Resolve(root + "/proj/GIT~1/config")
	require.ErrorIs(t, err, ErrAlias)
	_, err = r.Resolve(root + "/proj/LISTED~1")
	require.NoError(t, err)
	_, err = r.Resolve(root + "/proj/HEAD~1")
	require.NoError(t, err)
}

func TestMap(t *testing.T) {
	m, err := NewMap([]Mapping{{"/w", "/m"}, {"/w/a", "/n/x/"}, {"/", "/root"}})
	require.NoError(t, err)
	for agent, want := range map[string]string{
		"/w": "/m", "/w/b": "/m/b", "/w/a": "/n/x", "/w/a/b": "/n/x/b", "/w/ab": "/m/ab", "/": "/root", "/z": "/root/z",
	} {
		got, visible := m.Sidecar(agent)
		assert.True(t, visible)
		assert.Equal(t, want, got, agent)
	}
	m, err = NewMap([]Mapping{{"/w/a", "/"}})
	require.NoError(t, err)
	got, visible := m.Sidecar("/w/a/etc")
	assert.True(t, visible)
	assert.Equal(t, "/etc", got)
	_, visible = m.Sidecar("/w")
	assert.False(t, visible)
	assert.True(t, m.Crosses("/w"))
	assert.False(t, m.Crosses("/w/a"))
	assert.Equal(t, node{err: errHidden}, m.look("/x"))
	assert.Equal(t, directoryNode, m.look("/w"))
	m, err = NewMap(nil)
	require.NoError(t, err)
	assert.Nil(t, m)
}
