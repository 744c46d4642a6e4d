package expansion

import (
	"strings"

	"policyd/extract/shell/lexical"
)

// AddUnquoted adds unquoted text without a tilde that begins it.
func (b *Builder) AddUnquoted(text string, first, only bool) {
	unquoted{b}.add(text, first, only)
}

// unquoted adds text outside of quotes to a word.
type unquoted struct{ *Builder }

func (b unquoted) add(text string, first, only bool) {
	inside := b.expandsInside(text, first, only)
	if inside && text[0] == '=' {
		b.Weaken(Dynamic)
	}
	set := false // a set of characters began, and may not have ended yet
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; set && strings.IndexByte(text[i:], ']') >= 0 {
				b.Weaken(Dynamic) // it takes the meaning from a sign that negates, or spans a range
			}
			b.escaped(text[i:])
		case '*', '?':
			b.wildcard(c)
		case '[':
			set = b.bracket(text[i:], only) || set
		default:
			b.character(c)
		}
	}
	if inside {
		b.Weaken(Dynamic)
	}
}

// expandsInside reports whether the shell expands more of an unquoted text than a tilde at its
// beginning: in words that look like assignments a tilde behind "=" and ":", and in zsh the name of a
// program behind "=".
func (b unquoted) expandsInside(text string, first, only bool) bool {
	return strings.Contains(text, "=~") || strings.Contains(text, ":~") ||
		b.Zsh && (lexical.HasZshEquals(text) || first && strings.HasPrefix(text, "=") && (len(text) > 1 || !only))
}

// character adds an unquoted character that no pattern reads, but for those of zsh.
func (b unquoted) character(c byte) {
	if b.Zsh && (c == '^' || c == '~' || c == '#') && b.extended == "" {
		b.extend(c)
	}
	b.class.AppendByte(c)
	b.text.WriteByte(c)
}

// escaped adds the character that a backslash quotes.
func (b unquoted) escaped(behind string) {
	switch {
	case behind == "":
		b.text.WriteString(`\\`)
	case behind[0] != '\n':
		b.Literal(behind[:1])
	default:
		// The shell removes the newline.
	}
}

// bracket adds an unquoted bracket, and reports whether a set of characters begins with it.
func (b unquoted) bracket(text string, only bool) bool {
	if strings.IndexByte(text, ']') > 0 {
		b.wildcard('[')
		return true
	}
	if !only {
		b.Weaken(Dynamic) // another part may close it: what is quoted in it counts all the same
	}
	b.Literal("[")
	return false
}
