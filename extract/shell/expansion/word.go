package expansion

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// Kind says how much is known of a word before it runs. The zero value is
// the one that nothing may rely on.
type Kind uint8

// Kinds of words.
const (
	// Dynamic words are only known when they run.
	Dynamic Kind = iota
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
	Kind Kind
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
	// Class is what the text can be, nil if it can be anything. Literal and Glob words have none.
	Class *value.Class
	wordNumeral
	wordMatch
	wordStream
	// Array is what a variable holds that is one. Read as a single word such a
	// variable is Dynamic.
	Array *Array
}

// wordNumeral is what is known of the digits in a word.
type wordNumeral struct {
	// Holes are where numbers stand in the Text of a Number, or of an Output that is text and numbers.
	Holes []numberHole
	// Joined is true if the digits of numbers come from more than one place, so that they can be
	// those of an octal number, or of none.
	Joined bool
}

// numberHole is where a number stands in a text.
type numberHole struct {
	Start, end int32
	Class      *value.Class
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
	// Origins are the patterns of which matches stand in the word that variables hold.
	Origins []Origin
	// dirs are the working directories that the matches of a Glob were looked for in, if a variable
	// holds it.
	dirs []string
}

// wordStream is the streams that the names in a word come from.
type wordStream struct {
	// Stream is what a Names word stands for.
	Stream *stream.NameStream
	// Blob is the names of which an Output is one, behind a revision and a colon.
	Blob *stream.NameStream
	// Begins is the names of which an Output begins with one, before more text.
	Begins *stream.NameStream
}

// Is reports whether the word is exactly text.
func (w Word) Is(text string) bool { return w.Kind == Literal && w.Text == text }

// IsOption reports whether the word begins with a dash for certain.
func (w Word) IsOption() bool {
	return w.Kind == Literal && len(w.Text) > 1 && w.Text[0] == '-'
}

// Classes of what the shell and commands of the line print. Words share them.
var (
	// AnyText is any text, an empty one among that.
	AnyText = &value.Class{}
	// counts are numbers, one a line, or none.
	counts = orNothing(value.Strings(value.Digits, value.Digits.Union(value.Bytes("\n")), false))
	// ObjectName is the name that git prints for an object, or the revision that it can't resolve.
	ObjectName = orNothing(value.Strings(value.Bytes(value.NameBytes+"./@^~{}"), value.Bytes(value.NameBytes+"./@^~{}-"), false))
	// Identifier is letters and digits.
	Identifier = classOf(value.Strings(value.Letters.Union(value.Digits), value.Letters.Union(value.Digits), false))

	numerals = [...]*value.Class{&value.Number, orNothing(value.Number), &value.SignedNumber, orNothing(value.SignedNumber)}
	shared   = append([]*value.Class{&value.NonEmpty, counts, ObjectName, Identifier}, numerals[:]...)
)

// orNothing returns the class of what a command prints, which may fail.
func orNothing(c value.Class) *value.Class { return classOf(c.OrEmpty()) }

func classOf(c value.Class) *value.Class { return &c }

// Numeral returns the class of a number.
func Numeral(signed, mayBeEmpty bool) *value.Class {
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
		return AnyText
	}
	return &value.NonEmpty
}

// refer returns a pointer to a class, a shared one if there is one, and nil for that of any text.
func refer(c *value.Class) *value.Class {
	if *c == *AnyText {
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

// Bytes returns the class of what the word can be.
func (w *Word) Bytes() value.Class {
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
	case w.Class == nil:
		return *AnyText
	}
	return *w.Class
}

// MayBeginWithDash reports whether the word can begin with a dash.
func (w *Word) MayBeginWithDash() bool {
	c := w.Bytes()
	return c.MayBegin('-')
}

// MayBeEmpty reports whether the word can be empty.
func (w *Word) MayBeEmpty() bool {
	if w.Kind == Literal {
		return w.Text == ""
	}
	return w.Kind != Glob && (w.Class == nil || w.Class.MayBeEmpty())
}

// IsNumber reports whether the word is decimal digits, with a sign at most.
func IsNumber(word Word) bool {
	if word.Kind == Literal {
		return lexical.IsDigits(word.Text)
	}
	return word.Kind == Number && word.Class != nil && isNumeral(word.Class)
}

// isNumeral reports whether a class is that of numbers. A sign that stands in the line makes the text of
// an expression: only numbers themselves can begin with one or with a digit.
func isNumeral(c *value.Class) bool {
	return c.In(Numeral(true, true)) && c.First().Meets(value.Digits)
}

// IsCounts reports whether the word is numbers, one a line: an expression has a value if there is one,
// and fails if there are several.
func (w *Word) IsCounts() bool {
	return w.Kind == Output && w.Class != nil && !w.Joined && w.Class.In(counts)
}

// OrNone is the word, or nothing: at the end of its input.
func (w Word) OrNone() Word {
	if w.Stream != nil {
		w.Stream = w.Stream.OrNone()
	}
	c := w.Bytes()
	c = c.OrEmpty()
	w.Class = refer(&c)
	return w
}

// hollow reports whether one of some numbers can be empty.
func hollow(numbers []numberHole) bool {
	return slices.ContainsFunc(numbers, func(number numberHole) bool { return number.Class.MayBeEmpty() })
}

// Pieces returns the text between the numbers that stand in the word.
func (w *Word) Pieces() []string {
	out, end := make([]string, 0, len(w.Holes)+1), int32(0)
	for _, number := range w.Holes {
		out = append(out, value.Unescape(w.Text[end:number.Start]))
		end = number.end
	}
	return append(out, value.Unescape(w.Text[end:]))
}

// signed reports whether a number in a word can be below zero.
func signed(w Word) bool {
	return slices.ContainsFunc(w.Holes, func(number numberHole) bool { return number.Class.MayBegin('-') }) ||
		len(w.Holes) == 0 && (w.Class == nil || w.Class.All().Meets(value.Bytes("-")))
}

// Argument returns what the parse of an argument vector depends on.
func (w Word) Argument() argv.Argument {
	out := argv.Argument{Text: w.Text, MayBeNone: w.Vanishes}
	if !w.Split {
		out.Option = w.Option
	}
	switch {
	case w.Kind == Literal:
		out.Class, out.Option = argv.Literal, ""
	case w.Kind == Glob:
		out.Class = argv.Pattern
	case w.Kind == Number && !signed(w):
		out.Class = argv.Digits
	case w.Kind == Number, w.Kind == Hash, w.Kind == Output:
		out.Class = argv.OneWord
	}
	return out
}

// Join is what is known of a variable that holds one of two words.
func Join(name string, a, b *Word) *Word {
	if sameNames(a, b) {
		one := *a
		one.Stream = a.Stream.OrNone()
		return &one
	}
	switch {
	case IsNumber(*a) && IsNumber(*b) && !IsOctal(*a) && !IsOctal(*b):
		return &Word{Kind: Number, Text: "$" + name, Class: Numeral(a.MayBeginWithDash() || b.MayBeginWithDash(), a.MayBeEmpty() || b.MayBeEmpty())}
	case onlyText(*a) && onlyText(*b):
		return &Word{Kind: Output, Text: "$" + name, Class: unread(a.MayBeEmpty() || b.MayBeEmpty())}
	}
	return &Word{}
}

// sameNames reports whether two words are the same names, or none.
func sameNames(a, b *Word) bool {
	if a.Kind != Names || b.Kind != Names || a.Stream == nil || b.Stream == nil {
		return false
	}
	one, two := *a, *b
	one.Stream, two.Stream = a.Stream.OrNone(), b.Stream.OrNone()
	return one.Equal(&two)
}

// onlyText reports whether a variable holds text of the line's own, or that its
// commands print.
func onlyText(word Word) bool {
	return word.Array == nil && (word.Kind == Literal || word.Kind == Number || word.Kind == Hash || word.Kind == Output)
}

// IsOctal reports whether shells may read a number as an octal one, or fail to.
func IsOctal(word Word) bool {
	return word.Kind == Literal && !value.IsDecimal(word.Text) || word.Kind == Number && word.Joined
}
