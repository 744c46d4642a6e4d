package disk

import (
	"regexp"
	"slices"
	"strings"
)

// Climbs reports whether a segment of a glob could stand for "..", or for
// nothing and so for the beginning of an absolute path. Globs are matched with
// names that a directory lists, which ".." is not among: it takes braces or
// groups that spell it. Where a pattern isn't plainly read it climbs.
func Climbs(segment string) bool {
	switch {
	case segment == "..":
		return true
	case strings.Contains(segment, `\`), !balanced(segment), oddSequence(segment), characterClass.MatchString(segment),
		strings.Contains(segment, "{") && strings.ContainsAny(segment, "~:"):
		return true
	case segment == "", wildcard(segment):
		return false
	}
	return spellsDots(segment, true)
}

// balanced reports whether every group of a segment ends in it. One that doesn't
// holds a slash.
func balanced(segment string) bool {
	return slices.IndexFunc([]string{"{}", "()", "[]"}, func(pair string) bool {
		return strings.Count(segment, pair[:1]) != strings.Count(segment, pair[1:])
	}) < 0
}

var (
	// characterClass is one by name, as in [[:punct:]].
	characterClass = regexp.MustCompile(`\[.*\[[:.=].*[:.=]\]`)
	braceSequence  = regexp.MustCompile(`\{[^{},]*\.\.[^{},]*\}`)
	plainSequence  = regexp.MustCompile(`^\{[0-9A-Za-z]+\.\.[0-9A-Za-z]+(\.\.[0-9]+)?\}$`)
)

// oddSequence reports whether braces count through more than letters and
// digits, as {+..0} does through the dot and the slash.
func oddSequence(segment string) bool {
	return slices.ContainsFunc(braceSequence.FindAllString(segment, -1), func(found string) bool { return !plainSequence.MatchString(found) })
}

// wildcard reports whether a text begins with a star or a question mark that is
// not of a group. Neither matches a dot in front.
func wildcard(text string) bool {
	return (text[0] == '*' || text[0] == '?') && !strings.HasPrefix(text[1:], "(")
}

// spellsDots reports whether a text could be nothing but dots, or nothing.
// whole is true for a segment, which with neither groups nor wildcards has to
// be two dots.
func spellsDots(text string, whole bool) bool {
	length, open, groups := 0, false, false
	for text != "" {
		switch {
		case text[0] == '.':
			length, text = length+1, text[1:]
		case wildcard(text):
			open, text = true, text[1:]
		default:
			dots, one, rest := cutDots(text)
			if !dots {
				return false
			}
			if groups, text = true, rest; one {
				length++
			} else {
				open = true
			}
		}
	}
	return !whole || groups && (open || length == 2)
}

// cutDots cuts a bracket expression or a group off a text. dots is true if it could be nothing but dots, and one if
// it is one character.
func cutDots(text string) (dots, one bool, rest string) {
	var group string
	switch c := text[0]; {
	case c == '[':
		group, rest = cutBracket(text)
		return holdsDot(group), true, rest
	case c == '{':
		group, rest = cutGroup(text, '{', '}')
		return anyDots(group, ','), false, rest
	case c == '(':
		group, rest = cutGroup(text, '(', ')')
		return anyDots(group, '|'), false, rest
	case strings.IndexByte("@+*?!", c) >= 0 && strings.HasPrefix(text[1:], "("):
		group, rest = cutGroup(text[1:], '(', ')')
		return c != '@' && c != '+' || anyDots(group, '|'), false, rest // the others stand for nothing, or for anything, too
	}
	return false, false, text
}

// cutBracket cuts a bracket expression off a text that begins with one.
func cutBracket(text string) (inside, rest string) {
	end := strings.IndexByte(text[min(2, len(text)):], ']')
	if end < 0 {
		return ".", ""
	}
	return text[1 : end+2], text[end+3:]
}

// holdsDot reports whether a bracket expression could match a dot.
func holdsDot(inside string) bool {
	if inside == "" || strings.ContainsAny(inside[:1], "!^") || strings.Contains(inside, ".") {
		return true
	}
	for i := 1; i+1 < len(inside); i++ {
		if inside[i] == '-' && inside[i-1] <= '.' && inside[i+1] >= '.' {
			return true
		}
	}
	return false
}

// cutGroup cuts a group off a text that begins with one.
func cutGroup(text string, begin, end byte) (inside, rest string) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case begin:
			depth++
		case end:
			if depth--; depth == 0 {
				return text[1:i], text[i+1:]
			}
		}
	}
	return "", ""
}

// anyDots reports whether an alternative of a group could be nothing but dots.
func anyDots(group string, separator byte) bool {
	depth, start := 0, 0
	for i := range len(group) {
		switch c := group[i]; {
		case strings.IndexByte("{([", c) >= 0:
			depth++
		case strings.IndexByte("})]", c) >= 0:
			depth--
		case c == separator && depth == 0:
			if spellsDots(group[start:i], false) {
				return true
			}
			start = i + 1
		}
	}
	return spellsDots(group[start:], false)
}
