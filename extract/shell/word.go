package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv/script"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// WordKind says how much is known of a word before it runs. The zero value is
// the one that nothing may rely on.
type WordKind uint8

// Kinds of words.
const (
	// Dynamic words are only known when they run.
	Dynamic WordKind = iota
	// Literal words are known to the byte.
	Literal
	// Glob words expand to names on the disk, or to themselves.
	Glob
	// Number words are decimal digits that only the shell knows ($?, $#).
	Number
	// Pipe words name what a process substitution prints; its commands are
	// reported as commands of their own.
	Pipe
	// Hash words are the hash of a commit that git prints: letters and digits.
	Hash
	// Names words stand for the names that another command finds: Text is the
	// directory, or file, that it looks in.
	Names
	// Output words are what a command substitution prints; the command itself
	// is reported as a command of its own.
	Output
)

// Word is one word of a command after brace, tilde and parameter expansion.
type Word struct {
	Kind WordKind
	// Split is true if the shell splits the word at blanks and expands patterns in it, because an
	// expansion stands outside of quotes.
	Split bool
	// Vanishes is true if the shell can make no word of it: nothing in it is quoted, and all of it can
	// be empty.
	Vanishes bool
	// Text is the word of a Literal, the pattern of a Glob (what was quoted is
	// escaped by a backslash), and the source text of the others.
	Text string
	// Variables are the names of the variables that were expanded.
	Variables []string
	// Option is the name of the option that the word begins with in literal text, up to the sign
	// behind it.
	Option string
	// class is what the text can be, nil if it can be anything. Literal and Glob words have none.
	class *value.Class
	wordNumeral
	wordMatch
	wordStream
	// array is what a variable holds that is one. Read as a single word such a
	// variable is Dynamic.
	array *array
}

// wordNumeral is what is known of the digits in a word.
type wordNumeral struct {
	// holes are where numbers stand in the Text of a Number, or of an Output that is text and numbers.
	holes []numberHole
	// Joined is true if the digits of numbers come from more than one place, so that they can be
	// those of an octal number, or of none.
	Joined bool
}

// numberHole is where a number stands in a text.
type numberHole struct {
	start, end int32
	class      *value.Class
}

// wordMatch is what is known of a pattern, and of matches in a word.
type wordMatch struct {
	// Expands is true for a Glob that becomes as many words as it has matches; false if a variable
	// holds one of them.
	Expands bool
	// Recut is true if names that were found stand in the word outside of quotes, through a variable:
	// the shell cuts them once more.
	Recut bool
	// Extended is a pattern that must match nothing for the word to be what it is, because zsh can
	// read it as a pattern itself.
	Extended string
	// origins are the patterns of which matches stand in the word that variables hold.
	origins []origin
	// dirs are the working directories that the matches of a Glob were looked for in, if a variable
	// holds it.
	dirs []string
}

// wordStream is the streams that the names in a word come from.
type wordStream struct {
	// stream is what a Names word stands for.
	stream *stream.NameStream
	// blob is the names of which an Output is one, behind a revision and a colon.
	blob *stream.NameStream
	// begins is the names of which an Output begins with one, before more text.
	begins *stream.NameStream
}

// literal reports whether the word is exactly text.
func (w Word) literal(text string) bool { return w.Kind == Literal && w.Text == text }

// isOption reports whether the word begins with a dash, or may.
func (w Word) isOption() bool {
	return w.Kind == Literal && len(w.Text) > 1 && w.Text[0] == '-'
}

// nothing reports whether nothing is left of a word outside of quotes.
func (w Word) nothing() bool { return w.Kind == Dynamic && w.Text == "" && w.Vanishes && w.Split }

// Classes of what the shell and commands of the line print. Words share them.
var (
	anyText = &value.Class{}
	// counts are numbers, one a line, or none.
	counts = orNothing(value.Strings(value.Digits, value.Digits.Union(value.Bytes("\n")), false))
	// objectName is the name that git prints for an object, or the revision that it can't resolve.
	objectName = orNothing(value.Strings(value.Bytes(value.NameBytes+"./@^~{}"), value.Bytes(value.NameBytes+"./@^~{}-"), false))
	// identifier is letters and digits.
	identifier = classOf(value.Strings(value.Letters.Union(value.Digits), value.Letters.Union(value.Digits), false))

	numerals = [...]*value.Class{&value.Number, orNothing(value.Number), &value.SignedNumber, orNothing(value.SignedNumber)}
	shared   = append([]*value.Class{&value.NonEmpty, counts, objectName, identifier}, numerals[:]...)
)

// orNothing returns the class of what a command prints, which may fail.
func orNothing(c value.Class) *value.Class { return classOf(c.OrEmpty()) }

func classOf(c value.Class) *value.Class { return &c }

// numeral returns the class of a number.
func numeral(signed, mayBeEmpty bool) *value.Class {
	at := 0
	if signed {
		at = 2
	}
	if mayBeEmpty {
		at++
	}
	return numerals[at]
}

// unread returns the class of any text that can be empty or not.
func unread(mayBeEmpty bool) *value.Class {
	if mayBeEmpty {
		return anyText
	}
	return &value.NonEmpty
}

// refer returns a pointer to a class, a shared one if there is one, and nil for that of any text.
func refer(c *value.Class) *value.Class {
	if *c == *anyText {
		return nil
	}
	for _, known := range shared {
		if *known == *c {
			return known
		}
	}
	own := *c
	return &own
}

// bytes returns the class of what the word can be.
func (w *Word) bytes() value.Class {
	switch {
	case w.Kind == Literal:
		return value.Of(w.Text)
	case w.Kind == Glob:
		// A pattern without a match stands for itself. What matches it is never empty.
		c := value.Empty
		if text := strings.TrimPrefix(w.Text, `\`); text != "" && (text != w.Text || !lexical.HasWildcard(text[:1])) {
			c = value.Of(text[:1])
		}
		return c.Concat(&value.NonEmpty)
	case w.class == nil:
		return *anyText
	}
	return *w.class
}

// dashed reports whether the word can begin with a dash.
func (w *Word) dashed() bool {
	c := w.bytes()
	return c.MayBegin('-')
}

func (w *Word) mayBeEmpty() bool {
	if w.Kind == Literal {
		return w.Text == ""
	}
	return w.Kind != Glob && (w.class == nil || w.class.MayBeEmpty())
}

// isNumber reports whether the word is decimal digits, with a sign at most.
func isNumber(word Word) bool {
	if word.Kind == Literal {
		return lexical.IsDigits(word.Text)
	}
	return word.Kind == Number && word.class != nil && isNumeral(word.class)
}

// isNumeral reports whether a class is that of numbers. A sign that stands in the line makes the text of
// an expression: only numbers themselves can begin with one or with a digit.
func isNumeral(c *value.Class) bool {
	return c.In(numeral(true, true)) && c.First().Meets(value.Digits)
}

// isCounts reports whether the word is numbers, one a line: an expression has a value if there is one,
// and fails if there are several.
func (w *Word) isCounts() bool {
	return w.Kind == Output && w.class != nil && !w.Joined && w.class.In(counts)
}

// orEmpty returns the class of the word, or nothing.
func (w *Word) orEmpty() *value.Class {
	c := w.bytes()
	c = c.OrEmpty()
	return refer(&c)
}

// beginsWithNumber reports whether a number that can't be empty stands at the beginning of the word.
func (w *Word) beginsWithNumber() bool {
	return len(w.holes) > 0 && w.holes[0].start == 0 && !w.holes[0].class.MayBeEmpty()
}

// hollow reports whether one of some numbers can be empty.
func hollow(numbers []numberHole) bool {
	return slices.ContainsFunc(numbers, func(number numberHole) bool { return number.class.MayBeEmpty() })
}

// signed reports whether a number in the word can be below zero.
func (w *Word) signed() bool {
	return slices.ContainsFunc(w.holes, func(number numberHole) bool { return number.class.MayBegin('-') }) ||
		len(w.holes) == 0 && (w.class == nil || w.class.All().Meets(value.Bytes("-")))
}

// textBetween returns the text between the numbers that stand in the word.
func (w *Word) textBetween() []string {
	out, end := make([]string, 0, len(w.holes)+1), int32(0)
	for _, number := range w.holes {
		out = append(out, lexical.Unescape(w.Text[end:number.start]))
		end = number.end
	}
	return append(out, lexical.Unescape(w.Text[end:]))
}

// numbered returns the program texts that a word with numbers can be.
func (w *Word) numbered(language string) []string {
	empty := make([]int, 0, len(w.holes))
	for i := range w.holes {
		if w.holes[i].class.MayBeEmpty() {
			empty = append(empty, i)
		}
	}
	return script.Numbered(language, w.textBetween(), empty)
}

// onlySelects reports whether the word is a script of sed that only selects lines, whatever its numbers are.
func (w *Word) onlySelects() bool {
	if w.Kind != Output || w.Split || len(w.holes) == 0 {
		return false
	}
	for _, piece := range w.textBetween() {
		if !script.OnlySelects(piece) {
			return false
		}
	}
	return true
}

// extended returns what has to hold for a word with one of the characters that
// zsh reads as a pattern under EXTENDED_GLOB (HEAD^, main~2) to be itself: that
// nothing begins as it does. Without a match zsh reports an error.
func extended(word Word) []Access {
	if word.Kind != Literal || word.Extended == "" {
		return nil
	}
	return []Access{{Text: word.Extended, Op: v1.OpList, Naming: ByGlob, Matches: NoMatch}}
}
