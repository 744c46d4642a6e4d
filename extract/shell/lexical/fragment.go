package lexical

import (
	"strings"

	"policyd/extract/shell/guard"
)

// A fragment is a part of a line that doesn't parse. What is read here is what it can run.

// BehindOpening returns what follows the bracket or the reserved word that a text begins with (one
// that closes a condition, a pattern or a body too), or else what follows its first command.
func BehindOpening(text string) (behind string, opens bool) {
	text = strings.TrimLeft(text, " \t\n")
	if text == "" {
		return "", false
	}
	if strings.IndexByte("{}()", text[0]) >= 0 {
		return text[1:], true
	}
	end := strings.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
	if end > 0 && guard.ReservedWord(text[:end]) {
		return text[end:], true
	}
	at := strings.IndexAny(text, ";&|\n")
	return text[at+1:], at >= 0
}

// SeparatesCommands reports whether commands can stand on both sides of a character.
func SeparatesCommands(r rune) bool { return strings.ContainsRune("\n;|&(){}`", r) }

// Fields returns the words of a fragment, split at quotes as well.
func Fields(fragment string) []string {
	return strings.FieldsFunc(fragment, func(r rune) bool { return strings.ContainsRune(" \t<>'\"", r) })
}

// RedirectionFields returns how many of a fragment's last fields can be those of redirections.
func RedirectionFields(fragment string) int {
	at := strings.IndexAny(fragment, "<>")
	if at < 0 {
		return 0
	}
	return len(Fields(fragment[at:]))
}

// FragmentEnd returns where the fragment ends that begins at an index: at a separator that is no
// part of a redirection.
func FragmentEnd(text string, at int) int {
	for ; at < len(text); at++ {
		if (text[at] == '&' || text[at] == '|') && at > 0 && (text[at-1] == '>' || text[at-1] == '<') {
			continue
		}
		if SeparatesCommands(rune(text[at])) {
			break
		}
	}
	return at
}

// QuotedFragmentEnd is FragmentEnd if closed quotes hide separators.
func QuotedFragmentEnd(text string, at int) int {
	for at < len(text) {
		size := quotedSize(text[at:])
		if size == 1 && FragmentEnd(text[:at+1], at) == at {
			break
		}
		at += size
	}
	return at
}

// quotedSize returns the length of the unit that a text begins with: closed quotes, a backslash
// with what it quotes, or one byte.
func quotedSize(text string) int {
	switch {
	case text[0] == '\\' && len(text) > 1:
		return 2
	case text[0] == '\'':
		if end := strings.IndexByte(text[1:], '\''); end >= 0 {
			return end + 2
		}
	case text[0] == '"':
		for at := 1; at < len(text); at++ {
			if text[at] == '"' {
				return at + 1
			}
			if text[at] == '\\' {
				at++
			}
		}
	}
	return 1
}

// FragmentWords returns the words of a fragment without their quotes, from its first word that is
// no reserved word and no assignment, and apart from them the targets of redirections.
func FragmentWords(fragment string) (words, targets []string) {
	r := fragmentReader{rest: fragment}
	for r.rest != "" {
		switch c := r.rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || strings.HasPrefix(r.rest, "\\\n"):
			r.rest = r.rest[quotedSize(r.rest):]
		case c == '<' || c == '>':
			r.operator()
		default:
			r.word()
		}
	}
	return r.words, r.targets
}

type fragmentReader struct {
	rest           string
	words, targets []string
	// redirects is true behind the operator of a redirection.
	redirects bool
}

func (r *fragmentReader) operator() {
	r.redirects = true
	behind := strings.TrimLeft(r.rest, "<>&|")
	if r.rest[:len(r.rest)-len(behind)] == "<<" {
		behind = strings.TrimPrefix(behind, "-")
	}
	r.rest = behind
}

func (r *fragmentReader) word() {
	word, size := unquoted(r.rest)
	r.rest = r.rest[size:]
	descriptor := r.rest != "" && (r.rest[0] == '<' || r.rest[0] == '>') && strings.Trim(word, decimalDigits) == ""
	switch {
	case word == "":
		r.redirects = false
	case r.redirects:
		r.targets, r.redirects = append(r.targets, word), false
	case !descriptor && (len(r.words) > 0 || !strings.Contains(word, "=") && !guard.ReservedWord(word)):
		r.words = append(r.words, word)
	}
}

// unquoted returns the first word of a text without its quotes, and its length in the text.
func unquoted(text string) (word string, size int) {
	var out strings.Builder
	for size < len(text) && strings.IndexByte(" \t\n<>", text[size]) < 0 {
		part := text[size : size+quotedSize(text[size:])]
		size += len(part)
		switch {
		case part == "\\\n":
		case len(part) > 1 && part[0] == '\\':
			out.WriteString(part[1:])
		case len(part) > 1:
			out.WriteString(part[1 : len(part)-1])
		default:
			out.WriteString(part)
		}
	}
	return out.String(), size
}
