package shell

import (
	"strings"

	"policyd/extract/shell/tree"
	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
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

// wordStream is where the names in a word come from.
type wordStream struct {
	// stream is where the names of a Names word come from.
	stream *NameStream
	// blob is where the names come from of which an Output is one, behind a revision and a colon.
	blob *NameStream
	// begins is where the name comes from that an Output begins with, before more text.
	begins *NameStream
}

// literal reports whether the word is exactly text.
func (w Word) literal(text string) bool { return w.Kind == Literal && w.Text == text }

// isOption reports whether the word begins with a dash, or may.
func (w Word) isOption() bool {
	return w.Kind == Literal && len(w.Text) > 1 && w.Text[0] == '-'
}

// nothing reports whether nothing is left of a word outside of quotes.
func (w Word) nothing() bool { return w.Kind == Dynamic && w.Text == "" && w.Vanishes && w.Split }

// aboutName is a name that a command found with text about it: a name itself, if the text leads nowhere
// else, and text that only the run knows if not.
func aboutName(word *syntax.Word, name Word) Word {
	before, behind, direct := tree.AroundExpansion(word, func(text string) bool { return !hasMeta(text) })
	if direct = direct && name.stream != nil; direct {
		if before == "" {
			if other, ok := beside(name, behind); ok {
				return other
			}
		}
		if f := name.stream.about(before, behind); f != nil {
			name.stream, name.Text, name.Split = f, f.roots[0], name.Split || f.many
			return name
		}
	}
	name.Kind = Output
	// Of some names nothing is left: then what follows them begins the word.
	if direct && before == "" && name.stream.namesFiles() && strings.TrimLeft(behind, `-\`) == behind {
		name.begins = name.stream
	} else if !tree.LedByText(word) {
		name.Text = "…" + name.Text // if nothing is left, or a later part, no "./" stands in front
	}
	if direct && behind == "" && name.stream.plainNames() && plainRevision(before) {
		name.blob = name.stream
	}
	return name
}

// plainRevision reports whether a text names one revision and ends in a colon.
func plainRevision(text string) bool {
	rev, colon := strings.CutSuffix(text, ":")
	return colon && oneRevision(rev) && rev[0] != '^' && rev[0] != '.' && !strings.Contains(rev, "..") && !strings.ContainsAny(rev, "{}")
}
