package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// wordBuilder gathers the parts of one word. Its text keeps a backslash before each character that a
// pattern would read.
type wordBuilder struct {
	text       strings.Builder
	kind       WordKind
	class      value.Class
	variables  []string
	expansions int
	wordSplitting
	wordPattern
	wordNumbers
	wordNames
}

// wordSplitting is what the shell can make of a word but one word.
type wordSplitting struct {
	split   bool
	unsplit bool // nothing split the word before the expansion that is added now
	kept    bool // some part is quoted, so that a word stands there
}

// wordPattern is what a word matches.
type wordPattern struct {
	glob     bool
	expands  bool   // the pattern stands in the source
	recut    bool   // matches or names stand outside of quotes
	extended string // see Word.Extended
	origins  []origin
}

// wordNumbers are the numbers in a word.
type wordNumbers struct {
	holes []numberHole // see Word
	lone  string       // the text, if it is one whole number, or numbers, one a line
}

// wordNames are the names from name streams in a word.
type wordNames struct {
	stream *stream.NameStream
	count  int  // how many names stand in it
	mixed  bool // they are from several streams, other than refs of one repository
	names  []nameIn
}

// addName adds a name from a stream.
func (n *wordNames) addName(names *stream.NameStream) {
	if n.count++; n.stream == nil || names == nil || n.stream == names {
		n.mixed = n.mixed || names == nil || n.stream == nil && n.count > 1
		n.stream = names
		return
	}
	n.mixed = n.mixed || !n.stream.AreRefs() || !names.AreRefs() || n.stream.Dir != names.Dir
	both := *names
	both.Kind, both.Several = max(names.Kind, n.stream.Kind), names.Several || n.stream.Several
	n.stream = &both
}

// weaken adds a part without a text of its own, which only the run knows.
func (b *wordBuilder) weaken(kind WordKind) { b.unknown(kind, "", anyText) }

// lower lowers the kind of the word to that of a part.
func (b *wordBuilder) lower(kind WordKind) {
	switch {
	case b.kind == Literal:
		b.kind = kind
	case b.kind != kind && isPrinted(b.kind) && isPrinted(kind):
		b.kind = Output
	case b.kind != kind:
		b.kind = Dynamic
	}
}

// isPrinted reports whether words of a kind are what commands of the line print, so that together they
// are output.
func isPrinted(kind WordKind) bool {
	return kind == Number || kind == Output || kind == Names || kind == Hash
}

// unknown adds a part that only the run knows, as its source shows it.
func (b *wordBuilder) unknown(kind WordKind, source string, class *value.Class) {
	b.lower(kind)
	b.class = b.class.Concat(class)
	b.text.WriteString(source)
}

// number adds digits that only the run knows.
func (b *wordBuilder) number(kind WordKind, text string, class *value.Class) {
	if b.lone = ""; b.text.Len() == 0 {
		b.lone = text
	}
	start := int32(b.text.Len())                                                                     //nolint:gosec // no text is longer than maxText
	b.holes = append(b.holes, numberHole{start: start, end: start + int32(len(text)), class: class}) //nolint:gosec // see above
	b.unknown(kind, text, class)
}

// literal adds text that stands for itself.
func (b *wordBuilder) literal(text string) {
	b.class.Append(text)
	lexical.Escape(&b.text, text)
}

// wildcard adds an unquoted character of a pattern.
func (b *wordBuilder) wildcard(c byte) {
	b.glob, b.expands = true, true
	b.class = b.class.Concat(&value.NonEmpty)
	b.text.WriteByte(c)
}

// extend notes what zsh can match with a character that it reads as a pattern: all that begins as
// the word does. Before "#" the last character can be missing, too. If it is the first of its
// segment, a name that begins with a dot matches, which "*" doesn't match.
func (b *wordBuilder) extend(c byte) {
	text := b.text.String()
	if c == '#' {
		_, size := utf8.DecodeLastRuneInString(text)
		text = strings.TrimRight(text[:len(text)-size], `\`)
		if text == "" || strings.HasSuffix(text, "/") {
			b.weaken(Dynamic)
		}
	}
	b.extended = text + "*"
}

// finish returns the word that the parts make, st being the state of the shell.
func (b *wordBuilder) finish(st *state, word *syntax.Word) Word {
	out := Word{
		Kind: b.kind, Text: b.text.String(), Variables: b.variables, Split: b.split,
		Vanishes:  len(word.Parts) > 0 && b.class.MayBeEmpty() && !b.kept,
		wordMatch: wordMatch{Recut: b.recut, Extended: b.extended},
	}
	b.describe(&out, word)
	parts := len(word.Parts)
	if b.extended != "" && (b.glob || parts > 1 && b.kind != Literal) || out.Kind == Pipe && parts > 1 {
		out.Kind, out.class = Dynamic, nil
	}
	if out.Kind == Names {
		out = b.ofNames(st, word, out)
	}
	out.origins = b.origins
	return b.matching(out)
}

// describe notes what the source of a word with expansions shows of it.
func (b *wordBuilder) describe(out *Word, word *syntax.Word) {
	if out.Kind != Literal {
		out.Option, out.class = tree.LeadingOption(word), refer(&b.class)
	}
	if out.Kind == Number || out.Kind == Output && len(b.holes) == b.expansions {
		out.Joined, out.holes = b.lone != out.Text, b.holes
	}
}

// matching is a word with what its pattern, if it has one, makes of its kind.
func (b *wordBuilder) matching(out Word) Word {
	printsOne := out.Kind == Number || out.Kind == Hash
	switch {
	case out.Kind == Literal && b.glob:
		out.Kind, out.Expands = Glob, b.expands
	case out.Kind == Literal:
		out.Text = lexical.Unescape(out.Text)
	case b.expands && (printsOne || out.Kind == Output):
		out.Kind, out.Split, out.holes = Dynamic, true, nil // as many words as there are matches
	case b.glob && printsOne:
		out.Kind, out.holes = Output, nil // a name stands in it
	}
	return out
}

// ofNames is a word with names from a name stream in it.
func (b *wordBuilder) ofNames(st *state, word *syntax.Word, out Word) Word {
	out.stream, out.Text = b.stream, lexical.Unescape(out.Text)
	switch {
	case b.stream != nil && b.stream.AreRefs() && !b.mixed && !tree.IsOneExpansion(word):
		return withRefs(out, b.count)
	case b.stream == nil || !tree.IsOneExpansion(word):
		out = withText(word, out)
		if path, ok := b.pathOf(st); ok && out.Kind != Names {
			return path
		}
	}
	return out
}
