package shell

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

// plainBracket returns the index behind a bracket expression in which none of
// the bytes in without stands, or -1. Programs differ about a delimiter or a
// quote in brackets, and about a backslash before their end.
func plainBracket(text string, start int, without string) int {
	end := bracketEnd(text, start)
	if end < 0 || strings.ContainsAny(text[start:end], without) || text[end-2] == '\\' {
		return -1
	}
	return end
}
