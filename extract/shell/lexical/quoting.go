package lexical

import (
	"strings"

	"policyd/extract/value"
)

// DoubleQuoted removes the backslashes that double quotes honour.
func DoubleQuoted(text string) string { return RemoveBackslashes(text, "$`\"\\\n") }

// RemoveBackslashes removes the backslashes before the given bytes. A backslash before a newline
// removes the newline, too.
func RemoveBackslashes(text, before string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(before, text[i+1]) >= 0 {
			if i++; text[i] == '\n' {
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// Escape writes text so that a pattern matches it literally: a backslash before each byte that a
// pattern reads. value.Unescape is its inverse.
func Escape(out *strings.Builder, text string) {
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(`*?[]\`, text[i]) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteByte(text[i])
	}
}

// IsOneWord reports whether a text is one word to everything that cuts text into words, and no
// option: letters, digits, what stands in paths, and the bytes of more.
func IsOneWord(text, more string) bool {
	return text != "" && text[0] != '-' && strings.Trim(text, value.NameBytes+"./@+,:=%-"+more) == ""
}

// HasWildcard reports whether a text holds a character that patterns begin with.
func HasWildcard(text string) bool { return strings.ContainsAny(text, "*?[") }
