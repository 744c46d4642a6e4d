package script

import "strings"

// bracketEnd returns the index behind the bracket expression that begins at
// text[start], which is "[", by the rules of POSIX: a "]" that stands first, or
// first behind "^", is a member, and so is one inside "[:class:]". It returns
// -1 when the expression doesn't end.
func bracketEnd(text string, start int) int {
	i := start + 1
	if i < len(text) && text[i] == '^' {
		i++
	}
	if i < len(text) && text[i] == ']' {
		i++
	}
	for i < len(text) {
		switch {
		case text[i] == ']':
			return i + 1
		case text[i] == '[' && i+1 < len(text) && strings.IndexByte(":.=", text[i+1]) >= 0:
			end := strings.Index(text[i+2:], text[i+1:i+2]+"]")
			if end < 0 {
				return -1
			}
			i += end + 4
		default:
			i++
		}
	}
	return -1
}
