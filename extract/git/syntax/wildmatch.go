package syntax

import "strings"

// literalLength is how many bytes come before the first wildcard.
func literalLength(pattern string) int {
	if at := strings.IndexAny(pattern, "*?[\\"); at >= 0 {
		return at
	}
	return len(pattern)
}

// checkPattern refuses what wildMatch does not read as git does.
func checkPattern(pattern string) error {
	for pattern != "" {
		size := 1
		switch pattern[0] {
		case '\\':
			if size = 2; len(pattern) == 1 {
				return ErrPathspecUnknown
			}
		case '[':
			var valid bool
			if _, size, valid = bracket(pattern, 0); !valid {
				return ErrPathspecUnknown
			}
		}
		pattern = pattern[size:]
	}
	return nil
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

// globMatch matches bytes as git does with the magic glob: wildcards end at slashes, and only
// "**" matches segments, at least one if it is the last.
func globMatch(pattern, text string) bool {
	patterns, texts := strings.Split(pattern, "/"), strings.Split(text, "/")
	var starPatterns, starTexts []string
	for {
		switch {
		case len(patterns) == 1 && patterns[0] == "**":
			return len(texts) > 0
		case len(patterns) > 0 && patterns[0] == "**":
			patterns = patterns[1:]
			starPatterns, starTexts = patterns, texts
		case len(patterns) == 0 && len(texts) == 0:
			return true
		case len(patterns) > 0 && len(texts) > 0 && wildMatch(patterns[0], texts[0]):
			patterns, texts = patterns[1:], texts[1:]
		case len(starTexts) == 0:
			return false
		default:
			starTexts = starTexts[1:]
			patterns, texts = starPatterns, starTexts
		}
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
	case '[':
		matched, size, valid := bracket(pattern, text[0])
		return size, valid && matched
	default:
		return 1, pattern[0] == text[0]
	}
}

// bracket reads a bracket expression at the start of pattern, such as [a-z] or [!_], and
// reports whether c is in it.
func bracket(pattern string, c byte) (matched bool, size int, valid bool) {
	rest := pattern[1:]
	negated := rest != "" && (rest[0] == '!' || rest[0] == '^')
	if negated {
		rest = rest[1:]
	}
	for first := true; rest != ""; first = false {
		if rest[0] == ']' && !first {
			return matched != negated, len(pattern) - len(rest) + 1, true
		}
		low, high, behind, ok := byteRange(rest)
		if !ok {
			return false, 0, false
		}
		// What a range begins with counts by itself, wherever it ends.
		matched = matched || c == low || low <= c && c <= high
		rest = behind
	}
	return false, 0, false
}

// byteRange reads one byte of a bracket expression, or a range of them.
func byteRange(text string) (low, high byte, rest string, ok bool) {
	low, rest, ok = bracketByte(text)
	high = low
	if ok && len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		high, rest, ok = bracketByte(rest[1:])
	}
	return low, high, rest, ok
}

// bracketByte reads one byte of a bracket expression; named classes are not read.
func bracketByte(text string) (c byte, rest string, ok bool) {
	if text == "" || text[0] == '[' && len(text) > 1 && strings.IndexByte(":.=", text[1]) >= 0 {
		return 0, "", false
	}
	if text[0] == '\\' {
		text = text[1:]
	}
	if text == "" {
		return 0, "", false
	}
	return text[0], text[1:], true
}
