package syntax

import "strings"

// literalLength is how many bytes come before the first wildcard.
func literalLength(pattern string) int {
	if at := strings.IndexAny(pattern, "*?[\\"); at >= 0 {
		return at
	}
	return len(pattern)
}

// loosen replaces each bracket expression with "?", which matches more. ok is false for a pattern that isn't read
// here: git takes an expression that doesn't end for no match, and some hold classes and escapes.
func loosen(pattern string) (loose string, ok bool) {
	var out strings.Builder
	for pattern != "" {
		size, text := 1, pattern[:1]
		switch pattern[0] {
		case '\\':
			if len(pattern) == 1 {
				return "", false
			}
			size, text = 2, pattern[:2]
		case '[':
			inside := pattern[1:]
			if inside != "" && (inside[0] == '!' || inside[0] == '^') {
				inside = inside[1:]
			}
			end := strings.IndexByte(inside[min(1, len(inside)):], ']')
			if end < 0 || strings.ContainsAny(inside[:end+1], "[\\") {
				return "", false
			}
			size, text = len(pattern)-len(inside)+end+2, "?"
		}
		out.WriteString(text)
		pattern = pattern[size:]
	}
	return out.String(), true
}

// wildMatch matches bytes as git's pathspecs do: no wildcard stops at a slash.
// Only the last star needs to be tried again, since a star matches anything.
func wildMatch(pattern, text string) bool {
	starPattern, starText, starred := "", "", false
	for {
		if pattern != "" && pattern[0] == '*' {
			pattern = pattern[1:]
			starPattern, starText, starred = pattern, text, true
			continue
		}
		if pattern == "" && text == "" {
			return true
		}
		if size, ok := matchOne(pattern, text); ok {
			pattern, text = pattern[size:], text[1:]
			continue
		}
		if !starred || starText == "" {
			return false
		}
		starText = starText[1:]
		pattern, text = starPattern, starText
	}
}

// matchOne matches the first byte of text; size is how much of pattern that used.
func matchOne(pattern, text string) (size int, ok bool) {
	if pattern == "" || text == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '\\':
		return 2, len(pattern) > 1 && pattern[1] == text[0]
	default:
		return 1, pattern[0] == text[0]
	}
}
