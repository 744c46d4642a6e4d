package extract

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"policyd/extract/disk"
	"policyd/extract/shell"
	"policyd/extract/value"
)

// handed says what a name reaches by the way it is handed on: cut into words, it
// names other files, or options. named is the name as it is printed.
func (w *trees) handed(named, base string, names *value.Names) string {
	if names.Reading.Misread(named) || names.Parts && dashed(named) {
		return disk.ReachesUnknown
	}
	// It may be printed without the directory that it lies in.
	if last := path.Base(named); !names.Rooted && (strings.HasPrefix(last, "-") || names.Reading.Misread(last)) {
		return disk.ReachesUnknown
	}
	trimmed := !blankEnds(named)
	switch names.Handing {
	case value.Whole:
		return disk.ReachesNone
	case value.AsLines:
		return unknownUnless(trimmed && !strings.Contains(named, "\n"))
	case value.AsItems:
		return unknownUnless(trimmed && !strings.ContainsAny(named, "\n'\"\\"))
	default:
	}
	if strings.ContainsAny(named, "\n\r\v\f'\"\\*?[") || shell.Groups(named) || names.Braces && strings.Contains(named, "{") {
		return disk.ReachesUnknown
	}
	return unknownUnless(!strings.ContainsAny(named, " \t") || !names.Uncut && w.nothing(named, base))
}

// nothing reports whether no piece of a text that is cut at its blanks names anything.
func (w *trees) nothing(text, base string) bool {
	for word := range strings.FieldsFuncSeq(text, shell.Separates) {
		if word[0] == '-' || word[0] == '/' || slices.Contains(strings.Split(word, "/"), "..") || base == "" || w.view.Exists(base+"/"+word) {
			return false
		}
	}
	return true
}

// printedAs reports whether what git prints of a name is that name, or pieces of it that name
// nothing: git status has names with blanks in quotes, and what they were before in front.
// Where quotes are read, some take all that stands up to the next one for a word.
func (w *trees) printedAs(named, base string, names *value.Names) bool {
	if names.Quoted && strings.Contains(named, " ") && (names.Handing != value.AsLines || !w.nothing(`"`+named+`"`, base)) {
		return false
	}
	return quotedAsItIs(named, names.Handing)
}

// blankEnds reports whether a segment of a name begins with a blank, or the name ends with one:
// names are printed from a segment on ("./" left out, or all but the last one), and read and
// xargs take away what stands at the ends of a line. Of " .." the directory above is left.
func blankEnds(named string) bool {
	for segment := range strings.SplitSeq(named, "/") {
		if strings.TrimLeftFunc(segment, unicode.IsSpace) != segment {
			return true
		}
	}
	return strings.TrimSpace(named) != named
}

// dashed reports whether a part of a name may be read as an option: a segment, or what stands
// behind a blank.
func dashed(named string) bool {
	parts := strings.FieldsFunc(named, func(r rune) bool { return r == '/' || unicode.IsSpace(r) })
	return slices.ContainsFunc(parts, func(part string) bool { return part[0] == '-' })
}

func unknownUnless(plain bool) string {
	if plain {
		return disk.ReachesNone
	}
	return disk.ReachesUnknown
}
