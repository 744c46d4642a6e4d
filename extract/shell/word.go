package shell

import (
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
	// Scaled is true for a Number that is a product, or a sum of large numbers, and can be too large
	// for another.
	Scaled bool
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
