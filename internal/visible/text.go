// Package visible makes foreign text safe to look at, for prompts that a person
// answers: what the person sees has to be what would run (A11).
package visible

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxShown is how many bytes of a text a person is shown: all of any command line that can be
// allowed.
const MaxShown = 16 << 10

// Text is Whole for a text of any length: it also cuts what is too long.
func Text(text string) (shown string, altered bool) {
	cut := text
	if len(cut) > MaxShown {
		cut = strings.ToValidUTF8(cut[:MaxShown], "") + "…"
	}
	shown, _ = Whole(cut)
	return shown, shown != text
}

// Whole writes everything that a person can't see, or that moves what they see,
// as an escape. Line feeds and tabs stay, and the selectors that draw a symbol as an emoji. altered
// reports whether it had to change anything.
func Whole(text string) (shown string, altered bool) { return escape(text, drawn) }

// Line is Whole for names, which stay on one line and could be confused: line feeds, tabs and every selector
// are written as escapes, too.
func Line(text string) (shown string, altered bool) {
	shown, altered = escape(text, func(rune) bool { return false })
	if strings.ContainsAny(shown, "\n\t") {
		return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(shown), true
	}
	return shown, altered
}

// emojiStyle is the selector that draws the symbol before it in color.
const emojiStyle = '\ufe0f'

// drawn reports whether the selector only changes how a character is drawn: a symbol stays the same symbol.
func drawn(before rune) bool {
	return before > unicode.MaxASCII && unicode.In(before, unicode.So, unicode.Sm)
}

// escape writes hidden characters as escapes, except for selectors after a character that supports them.
func escape(text string, takes func(before rune) bool) (shown string, altered bool) {
	if strings.IndexFunc(text, hidden) < 0 && utf8.ValidString(text) {
		return text, false
	}
	var out strings.Builder
	before := rune(0)
	for _, r := range text {
		if (hidden(r) || r == utf8.RuneError) && (r != emojiStyle || !takes(before)) {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			altered = true
		} else {
			out.WriteRune(r)
		}
		before = r
	}
	return out.String(), altered
}

// hidden reports whether a character is invisible or looks like another one: all that isn't printable
// (control, format and direction characters, every space except the common one), the letters that are drawn
// blank, and the selectors that change the character before them.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800', '\u034f':
		return true
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r)
}
