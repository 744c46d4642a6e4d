package lexical

import (
	"slices"
	"strings"

	"policyd/extract/shell/guard"
)

// DashlessBytes are the bytes that lines without a dash are made of: none begins an option, and
// none is read in a pattern if nothing quotes the line.
const DashlessBytes = guard.WordBytes + "./,=\"'<>#;&$ "

// MatchesDashless reports whether all that a regular expression matches is made of dashless bytes.
func MatchesDashless(text string, extended bool) bool {
	e := dashlessExpression{text: text, extended: extended}
	for i := 0; i < len(text); {
		size := e.token(i)
		if size == 0 {
			return false
		}
		i += size
	}
	return text != ""
}

type dashlessExpression struct {
	text     string
	extended bool
}

// token returns the length of the token at i, 0 if it can match other bytes or programs disagree
// about it.
func (e *dashlessExpression) token(i int) int {
	c, rest := e.text[i], e.text[i:]
	opened := i == 0 || strings.IndexByte("^(|", e.text[i-1]) >= 0 // nothing precedes that can be repeated
	switch {
	case c == '[':
		return dashlessBracket(rest)
	case c == '\\':
		return e.escape(rest)
	case c == '^', c == '*' && !opened:
		return 1
	case e.extended && strings.IndexByte("+?()|{", c) >= 0:
		return extendedOperator(rest, i == 0, opened)
	case c == '.' || strings.IndexByte(DashlessBytes, c) < 0:
		return 0
	}
	return 1
}

// extendedOperator returns the length of the operator that a text begins with, 0 if programs
// disagree about it: at the beginning of the expression, or behind what opens a group.
func extendedOperator(text string, first, opened bool) int {
	switch c := text[0]; {
	case c == '{' && !first:
		return repetition(text)
	case c == '{', strings.HasPrefix(text, "(?"), strings.HasPrefix(text, "(*"), first && c != '(', opened && (c == '+' || c == '?'):
		return 0
	}
	return 1
}

// escape returns the length of a backslash and what it quotes, 0 if that can match other bytes.
func (e *dashlessExpression) escape(rest string) int {
	if len(rest) < 2 || strings.IndexByte(`.wsb<>"'/$`, rest[1]) < 0 && (e.extended || strings.IndexByte("(|)+?", rest[1]) < 0) {
		return 0
	}
	return 2
}

// repetition returns the length of the bounds that a text begins with ({7,40}), 0 for other texts.
func repetition(text string) int {
	end := strings.IndexByte(text, '}')
	if end < 2 || strings.Trim(text[1:end], decimalDigits+",") != "" {
		return 0
	}
	return end + 1
}

// dashlessBracket returns the length of the bracket expression that a text begins with, if it
// holds dashless bytes alone: letters, digits, ranges of those, and signs. It is 0 for others.
func dashlessBracket(text string) int {
	end := strings.IndexByte(text, ']')
	if end < 2 {
		return 0
	}
	for set := text[1:end]; set != ""; {
		if len(set) > 2 && set[1] == '-' {
			if !slices.ContainsFunc([]string{"az", "AZ", "09"}, func(all string) bool {
				return all[0] <= set[0] && set[0] <= set[2] && set[2] <= all[1]
			}) {
				return 0
			}
			set = set[3:]
			continue
		}
		if strings.IndexByte(DashlessBytes, set[0]) < 0 {
			return 0
		}
		set = set[1:]
	}
	return end + 1
}

// IsPortableExpression reports whether every program accepts text as a regular expression: nothing
// in it opens a group, or repeats what can't be repeated.
func IsPortableExpression(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || strings.IndexByte(`.|bBsSwW<>*+?"'/-$^[]`, text[i]) < 0 {
				return false
			}
		case strings.IndexByte("*+?", c) >= 0 && (i == 0 || !guard.IsNameByte(text[i-1]) && text[i-1] != '.'):
			return false
		case c == '|' && (i == 0 || i+1 == len(text) || text[i-1] == '|'):
			return false
		case strings.IndexByte("[](){}", c) >= 0:
			return false
		}
	}
	return true
}
