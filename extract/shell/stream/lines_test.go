package stream_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/argv/filter"
	"policyd/extract/shell/stream"
)

func TestForms(t *testing.T) {
	names := found("src")
	for _, row := range []struct {
		lines                              stream.Lines
		names, files, byLine, byNUL, known bool
	}{
		{lines: stream.Lines{}},
		{lines: stream.NameLines(nil), known: true},
		{lines: stream.NameLines(found()), known: true},
		{lines: stream.NameLines(names), names: true, files: true, byLine: true, known: true},
		{lines: stream.NameRecords(names), names: true, files: true, byNUL: true, known: true},
		{lines: stream.WordLines(names), names: true, files: true, known: true},
		{lines: stream.HashLines("/repo", ""), names: true, known: true},
		{lines: stream.HashLines("/repo", " "), known: true},
		{lines: stream.NumberLines(stream.Numbers{}), known: true},
	} {
		assert.Equal(t, row.known, row.lines.Known())
		assert.Equal(t, row.names, row.lines.Names() != nil)
		assert.Equal(t, row.files, row.lines.Files() != nil)
		assert.Equal(t, row.byLine, row.lines.FilesBy(false) != nil)
		assert.Equal(t, row.byNUL, row.lines.FilesBy(true) != nil)
		_, hashed := row.lines.FirstFields()
		assert.Equal(t, row.lines.BeginWithHash(2, " ") || row.lines.BeginWithHash(1, " "), hashed)
	}
}

func TestFieldsOfLines(t *testing.T) {
	for behind, cut := range map[string]bool{"": true, " ": true, " %s": true, "|%s": false, "\t": false} {
		lines, ok := stream.HashLines("/repo", behind).FirstFields()
		require.Equal(t, cut, ok, behind)
		assert.Equal(t, cut, lines.Names() != nil)
	}
}

// With adds to a copy: other streams refer to the same names.
func TestExtraTexts(t *testing.T) {
	names := found("src")
	names.Extra = make([]string, 1, 4)
	first, second := stream.NameLines(names).With("a"), stream.NameLines(names).With("b")
	assert.Equal(t, []string{"", "a"}, first.Names().Extra)
	assert.Equal(t, []string{"", "b"}, second.Names().Extra)
	assert.Equal(t, []string{""}, names.Extra)
	assert.Equal(t, stream.Lines{}, stream.Lines{}.With("a"))
}

func TestHashesThatReadAssigns(t *testing.T) {
	for _, row := range []struct {
		behind     string
		variables  int
		separators string
		alone      bool
	}{
		{"", 1, " ", true},
		{" %s", 1, " ", false},
		{" %s", 2, " ", true},
		{" %s", 2, "|", false},
		{"|%s", 2, "|", true},
		{"|%s", 2, " ", false},
		{" %s", 2, "", false}, // nothing is cut
		{"", 2, " ", false},
	} {
		assert.Equal(t, row.alone, stream.HashLines("/repo", row.behind).BeginWithHash(row.variables, row.separators), "%+v", row)
	}
	assert.False(t, stream.NameLines(found("src")).BeginWithHash(1, " "))
}

func TestNumbersThatReadAssigns(t *testing.T) {
	for _, row := range []struct {
		behind     byte
		padded     bool
		variables  int
		separators string
		isDefault  bool
		alone      bool
	}{
		{0, true, 1, "", true, true},
		{0, true, 1, " ", false, true},
		{0, false, 1, "", false, true},
		{0, true, 1, "", false, false},
		{0, false, 2, "", true, false},
		{':', false, 1, ":", false, false},
		{':', false, 2, ":", false, true},
		{':', true, 2, ":", false, false},
		{':', false, 2, "", true, false},
		{' ', true, 2, "", true, true},
		{'\t', false, 2, "", true, true},
		{' ', true, 2, " ", false, false},
	} {
		numbers := stream.Numbers{Line: filter.Line{Behind: row.behind, Padded: row.padded}}
		assert.Equal(t, row.alone, numbers.AloneIn(row.variables, row.separators, row.isDefault), "%+v", row)
	}
}

func TestTextsWithRefs(t *testing.T) {
	ref := stream.RefText
	for text, refs := range map[string]int{
		ref: 1, ref + "~2": 1, ref + "^": 1, "main.." + ref: 1, ref + "..." + ref: 2, ".." + ref: 1, ref + "..": 1, ref + "^.." + ref: 2,
	} {
		assert.True(t, stream.IsRevisionOfRef(text, refs), text)
		assert.False(t, stream.IsRevisionOfRef(text, refs+1), text)
	}
	for _, text := range []string{ref + "x", "x" + ref, ref + ":x", "--x=" + ref, "-x.." + ref, "a/../b.." + ref, ".x.." + ref, ref + "@{1}", ref + "/x"} {
		assert.False(t, stream.IsRevisionOfRef(text, 1), text)
	}
	for text, is := range map[string]bool{
		ref + ":a/b": true, ref + ":": false, ref + ":/a": false, ref + "::a": false, ref + ":../a": false, ref + ":a b": false, ref + "~1:a": false, "x" + ref + ":a": false,
	} {
		assert.Equal(t, is, stream.IsObjectOfRef(text), text)
	}
}
