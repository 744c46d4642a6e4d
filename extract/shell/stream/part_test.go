package stream_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

func part(extent stream.Extent, roots ...string) stream.Name {
	return stream.Name{Stream: found(roots...).PartOf(stream.Part{Extent: extent}, false), Root: roots[0]}
}

func TestExtents(t *testing.T) {
	for _, row := range []struct {
		name               stream.Name
		segment, shortened bool
		extent             stream.Extent
	}{
		{stream.Name{Root: "a"}, true, false, stream.Segment},
		{stream.Name{Root: "a"}, true, true, stream.Shortened},
		{stream.Name{Root: "a"}, false, false, stream.Rest},
		{stream.Name{Root: "a"}, false, true, stream.Rest},
		{part(stream.Shortened, "a"), true, false, stream.Shortened},
		{part(stream.Shortened, "a"), false, false, stream.Rest},
		{part(stream.Segment, "a"), true, false, stream.Segment},
	} {
		assert.Equal(t, row.extent, stream.ExtentOf(row.name, row.segment, row.shortened))
	}
}

// A part begins anywhere in a name, so that what it begins with isn't known.
func TestPartsAreNotRooted(t *testing.T) {
	names := found("src")
	names.Rooted, names.Several, names.Entries, names.Handing = true, true, "src", value.Whole
	parts := names.PartOf(stream.Part{}, false)
	assert.False(t, parts.Rooted || parts.Several || parts.Entries != "")
	assert.Equal(t, value.Whole, parts.Handing)
	assert.Equal(t, value.AsWords, names.PartOf(stream.Part{}, true).Handing)
}

func TestDirectories(t *testing.T) {
	extra, several, entries := found("src/a"), found("src/a"), found(".")
	extra.Extra, several.Several, entries.Entries = []string{"Binary"}, true, "src"
	for _, row := range []struct {
		names *stream.NameStream
		split bool
		roots string
	}{
		{found("src"), false, "."},
		{found("a/b", "c"), false, "a ."},
		{extra, false, "src ."},
		{several, false, "src"},
		{several, true, ""},
		{entries, false, ""},
		{found("../src"), false, ""},
		{found("a b/c"), false, ""},
		{stream.NewWritten("/repo", "src"), false, ""},
		{stream.NewTracked("/repo", nil), false, "."},
		{stream.NewTracked("/repo", []string{"../x"}), false, ""},
		{stream.NewTracked("/repo", []string{":!src"}), false, "."},
		{stream.NewTracked("/repo", []string{":!/src"}), false, ""},
		{found("src").PartOf(stream.Part{}, false), false, ""},
	} {
		dirs, ok := stream.Name{Stream: row.names, Root: row.names.Roots[0]}.Directory(row.split, true)
		require.Equal(t, row.roots != "", ok, "%v", row.names)
		if ok {
			assert.Equal(t, row.roots, strings.Join(dirs.Stream.Roots, " "))
			assert.True(t, dirs.Stream.Empty)
			assert.False(t, dirs.Stream.IsComposed() || dirs.Stream.IsNew())
			assert.Equal(t, row.names.Tracked != nil, len(dirs.Stream.Composed.Names) > 0, "a tracked name can be on no disk")
			again, ok := dirs.Directory(false, false)
			require.True(t, ok)
			assert.Equal(t, dirs.Stream.Composed.Names, again.Stream.Composed.Names)
		}
	}
	_, ok := stream.Name{Root: "src"}.Directory(false, false)
	assert.False(t, ok)
}

func TestSiblings(t *testing.T) {
	stem := func(name stream.Name) *stream.Part {
		return &stream.Part{Stem: &stream.Stem{Name: name, Ending: ".go"}}
	}
	names := stem(stream.Name{Stream: found("src", "a.go"), Root: "src"})
	for ending, ok := range map[string]bool{"_test.go": true, ".c": true, ".x-y": true, "": false, ".": false, "..": false, "-x": false, "/x": false, "a b": false} {
		sibling, is := names.Sibling(ending)
		require.Equal(t, ok, is, ending)
		if ok {
			assert.Equal(t, []string{ending, "src" + ending, "a" + ending}, sibling.Stream.Extra, "a root can be the file itself")
			assert.True(t, sibling.Stream.IsNew() && sibling.Stream.IsComposed())
		}
	}
	several, climbing := found("src"), stream.NewTracked("/repo", []string{"../x"})
	several.Several = true
	for _, names := range []*stream.NameStream{nil, several, climbing, found(".."), stream.NewWritten("/repo", "src"), part(stream.Segment, "src").Stream} {
		_, ok := stem(stream.Name{Stream: names, Root: ".."}).Sibling(".c")
		assert.False(t, ok, "%v", names)
	}
	for _, other := range []*stream.Part{nil, {}} {
		_, ok := other.Sibling(".c")
		assert.False(t, ok)
	}
	tracked := stream.NewTracked("/repo", nil)
	tracked.Rooted = true
	sibling, ok := stem(stream.Name{Stream: tracked, Root: "."}).Sibling(".c")
	require.True(t, ok)
	assert.False(t, sibling.Stream.Rooted)
	assert.Len(t, sibling.Stream.Composed.Names, 1)
}

func TestPathsLieBelowTheDirectoryBeforeTheirNames(t *testing.T) {
	entries := found(".")
	entries.Entries = "src"
	elsewhere := part(stream.Segment, "a")
	elsewhere.Stream.Dir = "/other"
	for _, row := range []struct {
		text string
		name stream.Name
		root string
	}{
		{"internal/#", part(stream.Segment, "a"), "internal"},
		{"internal/#", stream.Name{Stream: entries, Root: "."}, "internal"},
		{"/tmp/x-#.txt", part(stream.Shortened, "a"), "/tmp"},
		{"internal/#/..", part(stream.Segment, "a"), ""},
		{"internal/#", part(stream.Shortened, "a"), ""}, // a dot or two may be left of it
		{"internal/.#", part(stream.Segment, "a"), ""},
		{"internal/#", part(stream.Rest, "a"), ""},
		{"#/x", part(stream.Segment, "a"), ""},
		{"/#", part(stream.Segment, "a"), ""},
		{"-x/#", part(stream.Segment, "a"), ""},
		{"../x/#", part(stream.Segment, "a"), ""},
		{"a b/#", part(stream.Segment, "a"), ""},
		{"internal/#", elsewhere, ""},
		{"internal/#", stream.Name{Stream: found("a"), Root: "a"}, ""},
		{"internal/#", stream.Name{Root: "a"}, ""},
	} {
		path, ok := stream.Path("/repo", strings.ReplaceAll(row.text, "#", stream.Hole), []stream.Name{row.name})
		require.Equal(t, row.root != "", ok, row.text)
		if ok {
			assert.Equal(t, []string{row.root}, path.Stream.Roots)
			assert.True(t, path.Stream.Rooted && path.Stream.IsComposed() && !path.Stream.IsNew())
			assert.Len(t, path.Stream.Composed.Names, 1)
		}
	}
}
