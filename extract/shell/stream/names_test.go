package stream_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

func found(roots ...string) *stream.NameStream {
	return &stream.NameStream{Kind: stream.Found, Dir: "/repo", Roots: roots, Walk: value.Walk{Follow: true}}
}

// A word that the line spells can be an option if it begins with a dash, or with a pattern.
func TestWrittenWordsAreRootedIfNoneCanBeAnOption(t *testing.T) {
	for word, rooted := range map[string]bool{"a": true, "./-a": true, "a*": true, "-a": false, "*": false, "?a": false, "[-]a": false} {
		assert.Equal(t, rooted, stream.NewWritten("/repo", "x", word).Rooted, word)
	}
}

func TestTrackedNamesAreAllWithoutPathspec(t *testing.T) {
	assert.Equal(t, value.AllTracked, stream.NewTracked("/repo", nil).Tracked)
	assert.Equal(t, []string{"*.go"}, stream.NewTracked("/repo", []string{"*.go"}).Tracked)
}

func TestPathspecsBelow(t *testing.T) {
	for spec, below := range map[string]bool{
		"": false, "a": true, "*.go": true, "a/b": true, "/a": false, ":a": false, ":(top)a": false, "../a": false, "a/../../b": false, "a b": false, "-a": false, "[a]": false,
	} {
		assert.Equal(t, below, stream.IsPathspecBelow(spec), spec)
	}
}

func TestMatchesLieBelowTheDirectoryInLiteralText(t *testing.T) {
	for pattern, row := range map[string]struct {
		root string
		ok   bool
	}{
		"src/*": {"src", true}, "src/*/x": {"src", true}, "a/b*": {"a", true},
		"*": {"", false}, "-x/*": {"-x", false}, "../*": {"..", false}, `a\*/b*`: {"", false}, "a b/*": {"a b", false}, "src/*/../x": {"src", false},
	} {
		names := found()
		names.OnlyFiles, names.Follow, names.NamedLinks = true, false, true
		ok := names.AddMatches(pattern)
		assert.Equal(t, row.ok, ok, pattern)
		if ok {
			assert.Equal(t, []string{row.root}, names.Roots, pattern)
		}
		// A match can be a link.
		assert.True(t, names.Follow && !names.NamedLinks && !names.OnlyFiles, pattern)
	}
}

func TestTextAroundNames(t *testing.T) {
	entries := found(".")
	entries.Entries = "src"
	empty, extra, several, tracked := *found("src"), *found("src"), *found("src"), stream.NewTracked("/repo", nil)
	empty.Empty, extra.Extra, several.Several = true, []string{"x"}, true
	for _, row := range []struct {
		names         *stream.NameStream
		before, after string
		root          string
	}{
		{entries, "src/", "", "src"},
		{entries, "./src/", "/a.txt", "src"},
		{found("src"), "", "/a.txt", "src"},
		{found("src"), "", "", ""},
		{found("src"), "src/", "", ""},
		{found("src"), "", ".txt", ""},
		{found("src"), "", "/../x", ""},
		{found("src"), "", "/$x", ""},
		{entries, "src", "", ""},
		{entries, "other/", "", ""},
		{entries, "src/", "/..", ""},
		{&empty, "", "/a.txt", ""},
		{&extra, "", "/a.txt", ""},
		{&several, "", "/a.txt", ""},
		{tracked, "", "/a.txt", ""},
		{stream.NewWritten("/repo", "src"), "", "/a.txt", ""},
	} {
		names := row.names.Surrounded(row.before, row.after)
		if row.root == "" {
			assert.Nil(t, names, "%s…%s", row.before, row.after)
			continue
		}
		require.NotNil(t, names, "%s…%s", row.before, row.after)
		assert.Equal(t, []string{row.root}, names.Roots)
		assert.Equal(t, row.before != "", names.Rooted)
		assert.Empty(t, names.Entries)
	}
	assert.True(t, found("src").Surrounded("", "/*.txt").Several, "a pattern matches several files")
	assert.False(t, found("src").Surrounded("", "/a.txt").Several)
}

func TestNamesOfSeveralRootsCanComeFromEach(t *testing.T) {
	assert.Equal(t, []string{"a", "b"}, stream.Name{Stream: found("a", "b"), Root: "a"}.Roots())
	assert.Equal(t, []string{"a"}, stream.Name{Stream: found("a"), Root: "a"}.Roots())
	assert.Equal(t, []string{"a"}, stream.Name{Root: "a"}.Roots())
}

func TestEntriesAreNoStepsUp(t *testing.T) {
	for root, entry := range map[string]bool{"src": true, "src/*": true, "../src": false, "src/..": false, "src/.*": false, ".*": false, ".git": true, "a/.*/": false} {
		assert.Equal(t, entry, stream.Name{Root: root}.IsEntry(), root)
		assert.Equal(t, entry, stream.Name{Stream: found("a", root), Root: "a"}.IsEntry(), root)
	}
	for extent, entry := range map[stream.Extent]bool{stream.Rest: false, stream.Shortened: true, stream.Segment: true} {
		assert.Equal(t, entry, stream.Name{Stream: found("..").PartOf(stream.Part{Extent: extent}, false), Root: ".."}.IsEntry())
	}
}

func TestKindsOfNames(t *testing.T) {
	for kind, row := range map[stream.Kind]struct{ files, refs, words bool }{
		stream.Unknown: {}, stream.Found: {files: true}, stream.Written: {files: true, words: true}, stream.Hashes: {}, stream.Refs: {refs: true}, stream.TagRefs: {refs: true},
	} {
		names := stream.NameStream{Kind: kind, Roots: []string{"a"}}
		assert.Equal(t, row.files, names.AreFiles())
		assert.Equal(t, row.refs, names.AreRefs())
		assert.Equal(t, row.words, names.AreWords())
		assert.Equal(t, kind == stream.Found, names.IsFile())
		assert.False(t, names.PartOf(stream.Part{}, false).AreWords())
		assert.False(t, names.PartOf(stream.Part{}, false).IsFile())
	}
	assert.False(t, found("a", "b").IsFile(), "which of the roots a name counts from isn't known")
}

// OrNone and One leave the stream that others refer to as it is.
func TestCopiesOfStreams(t *testing.T) {
	names := found("a")
	names.Several = true
	assert.True(t, names.OrNone().Empty)
	assert.False(t, names.One().Several)
	assert.False(t, names.Empty)
	assert.True(t, names.Several)
}

// Two streams are one only if they differ in nothing, and each byte that one refers to is measured.
func TestEveryFieldIsComparedAndMeasured(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[stream.NameStream]()) {
		if field.Anonymous {
			continue
		}
		var zero, one, same stream.NameStream
		for _, names := range []*stream.NameStream{&one, &same} {
			switch set := reflect.ValueOf(names).Elem().FieldByIndex(field.Index); set.Kind() {
			case reflect.Bool:
				set.SetBool(true)
			case reflect.Uint8:
				set.SetUint(1)
			case reflect.String:
				set.SetString("x")
			case reflect.Slice:
				set.Set(reflect.MakeSlice(set.Type(), 1, 1))
			default:
				set.Set(reflect.New(set.Type().Elem()))
			}
		}
		assert.True(t, one.Equal(&same), field.Name)
		assert.False(t, one.Equal(&zero), field.Name)
		set := reflect.ValueOf(&one).Elem().FieldByIndex(field.Index)
		assert.Equal(t, set.Kind() == reflect.String || set.Kind() == reflect.Slice || set.Kind() == reflect.Pointer, one.Size() > 0, field.Name)
	}
	path, ok := stream.Path("/repo", "a/"+stream.Hole, []stream.Name{{Stream: found("a").PartOf(stream.Part{Extent: stream.Segment}, false), Root: "a"}})
	require.True(t, ok)
	other := *path.Stream
	other.Composed = nil
	assert.False(t, path.Stream.Equal(&other))
	assert.Greater(t, path.Stream.Size(), other.Size())
}
