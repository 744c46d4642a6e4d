package guard

import (
	"strings"
	"unicode/utf8"

	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
)

// The parser knows bash. What zsh reads otherwise, or may read otherwise by an
// option that a person has set, is messy here.

// ZshOnly reports whether a line holds an expansion that zsh reads otherwise:
// flags and subscripts without braces, history and its modifiers, parameters with
// longer names, and ranges of numbers, which look like redirections.
func ZshOnly(line string) bool {
	// Quotes in quotes are not followed, nor are bodies and comments.
	quotes := !strings.ContainsAny(line, "`#") && !strings.Contains(line, "$(") && !strings.Contains(line, "<<") &&
		!strings.Contains(line, "$'")
	double := false
	for i := 0; i+1 < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			double = !double
		case c == '\\':
			i++
		case c == '\'' && quotes && !double:
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return true
			}
			i += end + 1
		case zshExpands(c, line[i+1:], double && quotes):
			return true
		}
	}
	return false
}

// zshExpands reports whether zsh expands something at c that bash leaves alone or expands in another way.
func zshExpands(c byte, rest string, quoted bool) bool {
	switch c {
	case '!': // an interactive shell expands it from the history
		return strings.IndexByte(" \t\n=(\"'", rest[0]) < 0
	case '$':
		return zshParameter(rest)
	case '<':
		return !quoted && zshRange(rest)
	}
	return false
}

// zshParameter reports whether zsh takes more for a parameter than bash does,
// of the text behind a "$".
func zshParameter(text string) bool {
	if strings.IndexByte("=~^+#*@!-", text[0]) >= 0 || strings.HasPrefix(text, "{(") {
		return true
	}
	end := 0
	for end < len(text) && value.IsNameByte(text[end]) {
		end++
	}
	if wideName(text) || end > 1 && text[0] >= '0' && text[0] <= '9' {
		return true // $10 is the tenth parameter
	}
	return end > 0 && zshModifier(text[end:])
}

// zshModifier reports whether zsh takes the text behind the name of a parameter for a subscript or a modifier.
func zshModifier(text string) bool {
	switch {
	case strings.HasPrefix(text, "["):
		return true
	case strings.HasPrefix(text, ":") && len(text) > 1:
		return text[1] == '&' || value.IsNameByte(text[1])
	}
	return false
}

// wideName reports whether the name of a parameter goes on with a character
// beyond ASCII, as zsh and ksh read it, of the text behind a "$".
func wideName(text string) bool {
	end := 0
	for end < len(text) && value.IsNameByte(text[end]) {
		end++
	}
	return end < len(text) && text[end] >= utf8.RuneSelf
}

// WideNames reports whether a line may name such a parameter.
func WideNames(line string) bool {
	for _, behind := range strings.Split(line, "$")[1:] {
		if wideName(behind) {
			return true
		}
	}
	return false
}

// zshRange reports whether the text behind a "<" goes on as a range of numbers: <1-9>.
func zshRange(text string) bool {
	text = strings.TrimLeft(text, "0123456789")
	if !strings.HasPrefix(text, "-") {
		return false
	}
	return strings.HasPrefix(strings.TrimLeft(text[1:], "0123456789"), ">")
}

// ZshComments reports whether the comments of a line do nothing in a zsh that
// knows none, as one that a person types in: there the words behind "#" are
// arguments, and a line of its own is a command that isn't found.
func ZshComments(text string, file *syntax.File) bool {
	plain := true
	syntax.Walk(file, func(node syntax.Node) bool {
		comment, ok := node.(*syntax.Comment)
		if !ok {
			return true
		}
		before := text[:comment.Hash.Offset()]
		before = before[strings.LastIndexByte(before, '\n')+1:]
		plain = plain && strings.Trim(before, " \t") == "" && !strings.ContainsAny(comment.Text, "\"'`$\\;|&<>(){}[]*?~=^#!")
		return true
	})
	return plain
}
