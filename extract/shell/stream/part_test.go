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
			assert.True(t, path.Stream.Rooted && path.Stream.IsComposed())
			assert.Len(t, path.Stream.Composed, 1)
		}
	}
}
