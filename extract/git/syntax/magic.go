package syntax

import "strings"

// Magic is the prefix of a pathspec (gitglossary(7)).
type Magic struct {
	Exclude, Top, Literal bool
	// Glob is true if no wildcard but "**" matches a slash.
	Glob bool
}

// CutMagic cuts the magic off a pathspec. known is false for magic that isn't read here, such
// as attributes, "icase" and what a "glob" excludes; rest is then what would be the pattern if git knew it.
func CutMagic(pathspec string) (m Magic, rest string, known bool) {
	rest, found := strings.CutPrefix(pathspec, ":")
	if !found {
		return m, pathspec, true
	}
	if long, ok := strings.CutPrefix(rest, "("); ok {
		return longMagic(long)
	}
	return shortMagic(rest)
}

// longMagic cuts off "exclude,top)" and the like.
func longMagic(text string) (m Magic, rest string, known bool) {
	words, rest, known := strings.Cut(text, ")")
	for word := range strings.SplitSeq(words, ",") {
		switch word {
		case "exclude":
			m.Exclude = true
		case "top":
			m.Top = true
		case "glob":
			m.Glob = true
		case "literal":
			m.Literal = true
		default:
			known = false
		}
	}
	return m, rest, known && (!m.Glob || !m.Literal && !m.Exclude)
}

// shortMagic cuts off "!", "^" and "/", which a further colon may end.
func shortMagic(rest string) (m Magic, _ string, known bool) {
	for ; rest != ""; rest = rest[1:] {
		switch rest[0] {
		case '!', '^':
			m.Exclude = true
		case '/':
			m.Top = true
		case ':':
			return m, rest[1:], true
		default:
			return m, rest, (m.Exclude || m.Top) && startsPattern(rest[0])
		}
	}
	return m, "", true
}

// startsPattern reports bytes that git does not reserve for magic to come.
func startsPattern(c byte) bool {
	letter := c|0x20 >= 'a' && c|0x20 <= 'z'
	return letter || c >= '0' && c <= '9' || strings.IndexByte("._*?[\\", c) >= 0
}
