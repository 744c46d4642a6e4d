package lexical

import (
	"strings"

	"policyd/extract/value"
)

// IsPortableExpression reports whether every program accepts text as a regular expression: nothing
// in it opens a group, or repeats what can't be repeated.
func IsPortableExpression(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || strings.IndexByte(`.|bBsSwW<>*+?"'/-$^[]`, text[i]) < 0 {
				return false
			}
		case strings.IndexByte("*+?", c) >= 0 && (i == 0 || !value.IsNameByte(text[i-1]) && text[i-1] != '.'):
			return false
		case c == '|' && (i == 0 || i+1 == len(text) || text[i-1] == '|'):
			return false
		case strings.IndexByte("[](){}", c) >= 0:
			return false
		}
	}
	return true
}
