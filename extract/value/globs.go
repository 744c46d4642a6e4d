package value

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// maxAlternatives bounds the globs that braces stand for.
const maxAlternatives = 64

// Alternatives are the globs without braces that one stands for, where ripgrep and npm's glob read its braces alike.
// known is false for sequences, braces around a single word or in brackets, and those that don't pair.
func Alternatives(glob string) (globs []string, known bool) {
	if strings.Contains(glob, `\`) || strings.Contains(glob, "${") || strings.Contains(glob, "..") && strings.Contains(glob, "{") {
		return nil, false
	}
	for globs = []string{glob}; ; {
		at := slices.IndexFunc(globs, func(glob string) bool { return strings.ContainsAny(glob, "{}") })
		if at < 0 {
			return globs, true
		}
		group := innermost.FindStringSubmatchIndex(globs[at])
		if group == nil || len(globs) > maxAlternatives {
			return nil, false
		}
		text := globs[at]
		globs = slices.Delete(globs, at, at+1)
		for word := range strings.SplitSeq(text[group[2]:group[3]], ",") {
			globs = append(globs, text[:group[0]]+word+text[group[1]:])
		}
	}
}

// Widened is a glob that matches whatever one with sets of characters may: tools differ in what a range holds if no case
// counts, unless it is one of digits or of letters of one case. From any other set on, a segment matches any name.
func Widened(glob string) string {
	segments := strings.Split(glob, "/")
	for i, segment := range segments {
		if at := strings.IndexByte(segment, '['); at >= 0 && !plainSegment.MatchString(segment) {
			segments[i] = segment[:at] + "*"
		}
	}
	return strings.Join(segments, "/")
}

// plainSegment is one whose sets hold letters, digits and ranges of one kind of them.
var plainSegment = regexp.MustCompile(`^([^\[\]\\]|\[[!^]?([a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[A-Za-z0-9_.])+\])*$`)

// innermost are braces around several words, with no braces inside.
var innermost = regexp.MustCompile(`\{([^{}\[\]]*,[^{}\[\]]*)\}`)

// RuleAsWritten reports whether a glob that a program reads as a line of ignore rules stands
// for itself: an empty one and a comment stand for none, and blanks at the end are taken away.
func RuleAsWritten(glob string) bool {
	return glob != "" && glob[0] != '#' && strings.TrimRightFunc(glob, unicode.IsSpace) == glob
}

// BaseNames are globs over the base names of all that a glob may match: to ripgrep, and to programs that read neither
// braces nor sets. known is false if it may match any name.
func BaseNames(glob string) (names []string, known bool) {
	globs, known := Alternatives(glob)
	if !known || !RuleAsWritten(glob) || strings.ContainsAny(glob, "!()") || strings.Contains(glob, "[^") || !plainSegment.MatchString(glob) {
		return nil, false
	}
	if strings.ContainsAny(glob, "{[") {
		globs = append(globs, strings.NewReplacer("{", "?", "}", "?", "[", "?", "]", "?").Replace(glob))
	}
	for _, glob := range globs {
		name := glob[strings.LastIndexByte(glob, '/')+1:]
		if strings.Trim(name, ".") == "" {
			return nil, false // a directory
		}
		names = append(names, name)
	}
	return names, true
}

// Unescape removes each backslash that quotes a byte of a pattern or a word.
func Unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		out.WriteByte(text[i])
	}
	return out.String()
}
