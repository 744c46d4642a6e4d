package git

import "strings"

// plainLength is how many bytes come before the first wildcard.
func plainLength(pattern string) int {
	if at := strings.IndexAny(pattern, "*?[\\"); at >= 0 {
		return at
	}
	return len(pattern)
}

// checkPattern refuses what wildMatch does not read as git does.
func checkPattern(pattern string) error {
	for pattern != "" {
		switch pattern[0] {
		case '\\':
			if len(pattern) == 1 {
				return ErrPathspecUnknown
			}
			pattern = pattern[2:]
		case '[':
			_, size, ok := bracket(pattern, 0)
			if !ok {
				return ErrPathspecUnknown
			}
			pattern = pattern[size:]
		default:
			pattern = pattern[1:]
		}
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
// "**" stands for segments, one at least where it is the last.
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

// matchOne matches the first byte of text; size is what it used of pattern.
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

// bracket reads one set, such as [a-z] or [!_], and tells whether it holds c.
func bracket(pattern string, c byte) (matched bool, size int, valid bool) {
	at := 1
	negated := at < len(pattern) && (pattern[at] == '!' || pattern[at] == '^')
	if negated {
		at++
	}
	for first := true; ; first = false {
		if at >= len(pattern) {
			return false, 0, false
		}
		if pattern[at] == ']' && !first {
			return matched != negated, at + 1, true
		}
		low, next, ok := member(pattern, at)
		if !ok {
			return false, 0, false
		}
		high := low
		if next+1 < len(pattern) && pattern[next] == '-' && pattern[next+1] != ']' {
			if high, next, ok = member(pattern, next+1); !ok {
				return false, 0, false
			}
		}
		// What a range begins with counts by itself, wherever it ends.
		if c == low || low <= c && c <= high {
			matched = true
		}
		at = next
	}
}

// member reads one byte of a set; named classes are not read.
func member(pattern string, at int) (c byte, next int, ok bool) {
	if at >= len(pattern) || pattern[at] == '[' && at+1 < len(pattern) && strings.IndexByte(":.=", pattern[at+1]) >= 0 {
		return 0, 0, false
	}
	if pattern[at] != '\\' {
		return pattern[at], at + 1, true
	}
	if at+1 >= len(pattern) {
		return 0, 0, false
	}
	return pattern[at+1], at + 2, true
}
