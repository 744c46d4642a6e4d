package lexical

import (
	"strings"

	"policyd/extract/value"
)

// HasZshEquals reports whether zsh replaces the name of a program in an unquoted text by its
// path: in the value of a variable it does so after each colon.
func HasZshEquals(text string) bool { return strings.Contains(text, ":=") }

// MatchStar matches text against a pattern of stars, question marks and other bytes.
func MatchStar(pattern, text string) bool {
	star, mark := -1, 0
	p := 0
	for t := 0; t < len(text); {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// IsLiteral reports whether an unquoted literal stands for itself.
func IsLiteral(text string) bool {
	return text == "" || text == "[" || !strings.ContainsAny(text, "\\*?[~^#") && text[0] != '='
}

// maxMatched limits the texts that patterns are tried on.
const maxMatched = 128

// RemoveMatch removes the shortest or the longest beginning or end that a pattern of stars and
// question marks matches. It reports false for a text that is too long to try.
func RemoveMatch(text, pattern string, prefix, longest bool) (rest string, ok bool) {
	if len(text) > maxMatched {
		return "", false
	}
	for i := range len(text) + 1 {
		at := i
		if prefix == longest {
			at = len(text) - i
		}
		switch {
		case prefix && MatchStar(pattern, text[:at]):
			return text[at:], true
		case !prefix && MatchStar(pattern, text[at:]):
			return text[:at], true
		}
	}
	return text, true
}

// OperandBytes are the bytes that patterns and replacements read literally.
const OperandBytes = value.NameBytes + "./-:,=@%+ "
