package shell

import (
	"slices"
	"strings"

	"policyd/extract/argv/filter"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// Classes of what the shell and commands of the line print. Words share them.
var (
	anyText = &value.Class{}
	// counts are numbers, one a line, or none.
	counts = orNothing(value.Strings(value.Digits, value.Digits.Union(value.Bytes("\n")), false))
	// bareLines are lines that no program takes for an option, and no shell for a pattern.
	bareLines = orNothing(value.Strings(value.Bytes(filter.BareBytes), value.Bytes(filter.BareBytes+"\n"), false))
	// objectName is the name that git prints for an object, or the revision that it can't resolve.
	objectName = orNothing(value.Strings(value.Bytes(value.NameBytes+"./@^~{}"), value.Bytes(value.NameBytes+"./@^~{}-"), false))
	// identifier is letters and digits.
	identifier = classOf(value.Strings(value.Letters.Union(value.Digits), value.Letters.Union(value.Digits), false))

	numerals = [...]*value.Class{&value.Number, orNothing(value.Number), &value.SignedNumber, orNothing(value.SignedNumber)}
	shared   = append([]*value.Class{&value.NonEmpty, counts, bareLines, objectName, identifier}, numerals[:]...)
)

// orNothing returns the class of what a command prints, which may fail.
func orNothing(c value.Class) *value.Class { return classOf(c.OrEmpty()) }

func classOf(c value.Class) *value.Class { return &c }

// classOfLines returns the class of text in lines that are no names, nil if it can be anything.
func classOfLines(lines stream.Lines) *value.Class {
	if lines.Dashless() {
		return bareLines
	}
	return nil
}

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
