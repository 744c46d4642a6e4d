package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
)

// wordBuilder gathers the parts of one word. Its text keeps a backslash before each character that a
// pattern would read.
type wordBuilder struct {
	text      strings.Builder
	kind      WordKind
	letters   bool // something but digits stands in the word
	dashed    bool // a value at its beginning can begin with a dash
	dashless  int  // how many expansions hold no dash
	variables []string
	wordSplitting
	wordPattern
	wordNumbers
	wordNames
}

// wordSplitting is what the shell can make of a word but one word.
type wordSplitting struct {
	split   bool
	unsplit bool // nothing split the word before the expansion that is added now
	solid   bool // some part is never empty
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
	holes, hollow  []int // see Word
	signed, scaled bool
	lone           string // the text, if it is one whole number
	lines          bool   // a substitution prints numbers, one a line
	lined          bool   // such numbers are among those at the holes
}

// wordNames are the names from name streams in a word.
type wordNames struct {
	stream *NameStream
	count  int  // how many names stand in it
	mixed  bool // they are from several streams, other than refs of one repository
	names  []nameIn
}

// addName adds a name from a stream.
func (n *wordNames) addName(f *NameStream) {
	if n.count++; n.stream == nil || f == nil || n.stream == f {
		n.mixed = n.mixed || f == nil || n.stream == nil && n.count > 1
		n.stream = f
		return
	}
	n.mixed = n.mixed || !n.stream.refs || !f.refs || n.stream.dir != f.dir
	both := *f
	both.said, both.many = f.said || n.stream.said, f.many || n.stream.many
	n.stream = &both
}

// weaken lowers what is known of the word to what is known of a part.
func (b *wordBuilder) weaken(kind WordKind) {
	switch {
	case b.kind == Literal:
		b.kind = kind
	case b.kind != kind && printed(b.kind) && printed(kind):
		b.kind = Output
	case b.kind != kind:
		b.kind = Dynamic
	}
}

// printed reports whether words of a kind are what commands of the line print, so that together they
// are output.
func printed(kind WordKind) bool {
	return kind == Number || kind == Output || kind == Names || kind == Hash
}

// unknown adds a part that only the run knows, as its source shows it.
func (b *wordBuilder) unknown(kind WordKind, source string) {
	b.weaken(kind)
	b.text.WriteString(source)
}

// withoutDash notes whether an expansion holds no dash.
func (b *wordBuilder) withoutDash(holds bool) {
	if holds {
		b.dashless++
	}
}

// number adds digits that only the run knows.
func (b *wordBuilder) number(text string, solid bool) {
	if b.lone = ""; b.text.Len() == 0 {
		b.lone = text
	}
	b.weaken(Number)
	b.solid = b.solid || solid
	start := b.text.Len()
	b.holes = append(b.holes, start, start+len(text))
	if !solid {
		b.hollow = append(b.hollow, start)
	}
	b.text.WriteString(text)
}

// literal adds text that stands for itself.
func (b *wordBuilder) literal(text string) {
	b.letters = b.letters || text != "" && !lexical.IsDigits(text)
	b.solid = b.solid || text != ""
	lexical.Escape(&b.text, text)
}

// wildcard adds an unquoted character of a pattern.
func (b *wordBuilder) wildcard(c byte) {
	b.glob, b.expands, b.solid = true, true, true
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
		Kind: b.kind, Text: b.text.String(), Variables: b.variables, Split: b.split, Solid: b.solid,
		Vanishes:    len(word.Parts) > 0 && !b.solid && !b.kept,
		wordHead:    wordHead{Led: tree.LedByText(word)},
		wordNumeral: wordNumeral{Letters: b.letters, Signed: b.signed, Scaled: b.scaled},
		wordMatch:   wordMatch{Recut: b.recut, Extended: b.extended},
	}
	b.describe(&out, word)
	parts := len(word.Parts)
	if b.extended != "" && (b.glob || parts > 1 && b.kind != Literal) || out.Kind == Pipe && parts > 1 {
		out.Kind = Dynamic
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
		out.Option, out.Dashed = tree.LeadingOption(word), b.dashed || tree.DashBehindExpansion(word)
	}
	switch out.Kind {
	case Number:
		out.Joined, out.holes, out.hollow = b.lone != out.Text, b.holes, b.hollow
	case Output:
		expansions := tree.CountExpansions(word)
		out.bare = b.dashless > 0 && b.dashless == expansions
		out.lines = b.lines && tree.IsSubstitution(word)
		out.selects = b.lined && !b.split && len(b.holes) == 2*expansions && b.onlySelects()
	default:
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
		out.Kind, out.Split, out.holes, out.hollow = Dynamic, true, nil, nil // as many words as there are matches
	case b.glob && printsOne:
		out.Kind, out.holes, out.hollow = Output, nil, nil // a name stands in it
	}
	return out
}

// ofNames is a word with names from a name stream in it.
func (b *wordBuilder) ofNames(st *state, word *syntax.Word, out Word) Word {
	out.stream, out.Text = b.stream, lexical.Unescape(out.Text)
	switch {
	case b.stream != nil && b.stream.refs && !b.mixed && !tree.IsOneExpansion(word):
		return aboutRefs(out, b.count)
	case b.stream == nil || !tree.IsOneExpansion(word):
		out = aboutName(word, out)
		if path, ok := b.pathOf(st); ok && out.Kind != Names {
			return path
		}
	}
	return out
}
