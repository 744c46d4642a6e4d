package disk

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"policyd/extract/value"
)

// Handed says what a name reaches by the way it is handed on: cut into words, it
// names other files, or options. named is the name as it is printed.
func (w *Walker) Handed(named, base string, names *value.Names) string {
	last := path.Base(named) // it may be printed without the directory that it lies in
	switch {
	case names.Reading.Misread(named), names.Parts && dashed(named):
	case !names.Rooted && (strings.HasPrefix(last, "-") || names.Reading.Misread(last)):
	case w.staysWhole(named, base, names):
		return ReachesNone
	}
	return ReachesUnknown
}

// staysWhole reports whether a name is one word to who is handed it, or pieces that name nothing.
func (w *Walker) staysWhole(named, base string, names *value.Names) bool {
	switch names.Handing {
	case value.Whole:
		return true
	case value.AsLines:
		return !blankEnds(named) && !strings.Contains(named, "\n")
	case value.AsItems:
		return !blankEnds(named) && !strings.ContainsAny(named, "\n'\"\\")
	default:
	}
	if strings.ContainsAny(named, "\n\r\v\f'\"\\*?[") || value.HasGroup(named) || names.Braces && strings.Contains(named, "{") {
		return false
	}
	return !strings.ContainsAny(named, " \t") || !names.Uncut && w.nothing(named, base)
}

// nothing reports whether no piece of a text that is cut at its blanks names anything.
func (w *Walker) nothing(text, base string) bool {
	for word := range strings.FieldsFuncSeq(text, value.Separates) {
		if word[0] == '-' || word[0] == '/' || slices.Contains(strings.Split(word, "/"), "..") || base == "" || w.View.Exists(base+"/"+word) {
			return false
		}
	}
	return true
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

// PrintedAsItIs reports whether git prints a path as it is: without -z it writes
// unusual characters in quotes and with backslashes (core.quotePath).
func PrintedAsItIs(path string, handing value.Handing) bool {
	if handing == value.Whole {
		return true
	}
	return strings.IndexFunc(path, func(r rune) bool { return r < ' ' || r >= 0x7f || r == '"' || r == '\\' }) < 0
}

// PlainWord reports whether a word is one that git takes for a path as it stands.
func PlainWord(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-,=@%") == "" && word[0] != '-'
}
