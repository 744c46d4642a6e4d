package expansion

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// Context is what the expansion of a word depends on besides its source.
type Context struct {
	lexical.Dialect
	Cwd *value.Directories
	// AssignsIFS is true if the line assigned IFS.
	AssignsIFS bool
}

// Builder gathers the parts of one word. Its text keeps a backslash before each character that a
// pattern would read.
type Builder struct {
	Context
	text  strings.Builder
	kind  Kind
	class value.Class
	// Variables are the names of the variables that were expanded.
	Variables []string
	wordSplitting
	wordPattern
	wordNumbers
	wordNames
}

// NewBuilder returns a builder of a word without parts yet.
func NewBuilder(context Context) Builder {
	return Builder{Context: context, kind: Literal, class: value.Empty}
}

// wordSplitting is what the shell can make of a word but one word.
type wordSplitting struct {
	expansions int
	split      bool
	unsplit    bool // nothing split the word before the expansion that is added now
	kept       bool // some part is quoted, so that a word stands there
}

// wordPattern is what a word matches.
type wordPattern struct {
	glob     bool
	expands  bool   // the pattern stands in the source
	recut    bool   // matches or names stand outside of quotes
	extended string // see Word.Extended
	origins  []Origin
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

// Weaken adds a part without a text of its own, which only the run knows.
func (b *Builder) Weaken(kind Kind) { b.Unknown(kind, "", AnyText) }

// lower lowers the kind of the word to that of a part.
func (b *Builder) lower(kind Kind) {
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
func isPrinted(kind Kind) bool {
	return kind == Number || kind == Output || kind == Names || kind == Hash
}

// Unknown adds a part that only the run knows, as its source shows it.
func (b *Builder) Unknown(kind Kind, source string, class *value.Class) {
	b.lower(kind)
	b.class = b.class.Concat(class)
	b.text.WriteString(source)
}

// Number adds digits that only the run knows.
func (b *Builder) Number(kind Kind, text string, class *value.Class) {
	if b.lone = ""; b.text.Len() == 0 {
		b.lone = text
	}
	start := int32(b.text.Len())                                                                     //nolint:gosec // no text is longer than maxText
	b.holes = append(b.holes, numberHole{Start: start, end: start + int32(len(text)), Class: class}) //nolint:gosec // see above
	b.Unknown(kind, text, class)
}

// Literal adds text that stands for itself.
func (b *Builder) Literal(text string) {
	b.class.Append(text)
	lexical.Escape(&b.text, text)
}

// wildcard adds an unquoted character of a pattern.
func (b *Builder) wildcard(c byte) {
	b.glob, b.expands = true, true
	b.class = b.class.Concat(&value.NonEmpty)
	b.text.WriteByte(c)
}

// extend notes what zsh can match with a character that it reads as a pattern: all that begins as
// the word does. Before "#" the last character can be missing, too. If it is the first of its
// segment, a name that begins with a dot matches, which "*" doesn't match.
func (b *Builder) extend(c byte) {
	text := b.text.String()
	if c == '#' {
		_, size := utf8.DecodeLastRuneInString(text)
		text = strings.TrimRight(text[:len(text)-size], `\`)
		if text == "" || strings.HasSuffix(text, "/") {
			b.Weaken(Dynamic)
		}
	}
	b.extended = text + "*"
}

// Finish returns the word that the parts make of a word of the source.
func (b *Builder) Finish(word *syntax.Word) Word {
	out := Word{
		Kind: b.kind, Text: b.text.String(), Variables: b.Variables, Split: b.split,
		Vanishes:  len(word.Parts) > 0 && b.class.MayBeEmpty() && !b.kept,
		wordMatch: wordMatch{Recut: b.recut, Extended: b.extended},
	}
	b.describe(&out, word)
	parts := len(word.Parts)
	if b.extended != "" && (b.glob || parts > 1 && b.kind != Literal) || out.Kind == Pipe && parts > 1 {
		out.Kind, out.Class = Dynamic, nil
	}
	if out.Kind == Names {
		out = b.ofNames(word, out)
	}
	out.Origins = b.origins
	return b.matching(out)
}

// describe notes what the source of a word with expansions shows of it.
func (b *Builder) describe(out *Word, word *syntax.Word) {
	if out.Kind != Literal {
		out.Option, out.Class = tree.LeadingOption(word), refer(&b.class)
	}
	if out.Kind == Number || out.Kind == Output && len(b.holes) == b.expansions {
		out.Joined, out.Holes = b.lone != out.Text, b.holes
	}
}

// matching is a word with what its pattern, if it has one, makes of its kind.
func (b *Builder) matching(out Word) Word {
	printsOne := out.Kind == Number || out.Kind == Hash
	switch {
	case out.Kind == Literal && b.glob:
		out.Kind, out.Expands = Glob, b.expands
	case out.Kind == Literal:
		out.Text = value.Unescape(out.Text)
	case b.expands && (printsOne || out.Kind == Output):
		out.Kind, out.Split, out.Holes = Dynamic, true, nil // as many words as there are matches
	case b.glob && printsOne:
		out.Kind, out.Holes = Output, nil // a name stands in it
	}
	return out
}

// ofNames is a word with names from a name stream in it.
func (b *Builder) ofNames(word *syntax.Word, out Word) Word {
	out.Stream, out.Text = b.stream, value.Unescape(out.Text)
	switch {
	case b.stream != nil && b.stream.AreRefs() && !b.mixed && !tree.IsOneExpansion(word):
		return withRefs(out, b.count)
	case b.stream == nil || !tree.IsOneExpansion(word):
		out = withText(word, out)
		if path, ok := b.pathOf(); ok && out.Kind != Names {
			return path
		}
	}
	return out
}

// maxText is how long a word may become by what variables hold.
const maxText = guard.MaxLine

// Keep notes that a part is quoted, so that a word stands there.
func (b *wordSplitting) Keep() { b.kept = true }

// Begin notes that an expansion is added.
func (b *wordSplitting) Begin(quoted bool) {
	b.expansions++
	b.unsplit, b.split = !b.split, b.split || !quoted // zsh splits parameters with SH_WORD_SPLIT alone
}

// Members notes that the expansion is as many words as there are members, or how many there are.
func (b *wordSplitting) Members(counted bool) {
	b.split = b.split || !counted
	b.unsplit = false
}

// IsText reports whether the parts so far are text, which only the run may know.
func (b *Builder) IsText() bool { return b.kind != Dynamic && b.kind != Pipe }

// Splice adds a value. Outside of quotes, a value that the shell splits or matches again isn't
// followed. It reports false if the value is longer than a limit, or makes the word too long: then it
// isn't known.
func (b *Builder) Splice(value Word, quoted bool, limit int) bool {
	if value.Kind == Names {
		b.addName(value.Stream)
	}
	b.recut = b.recut || !quoted && isCutAgain(value.Kind)
	switch {
	case len(value.Text) > limit || b.text.Len()+len(value.Text) > maxText:
		b.Unknown(Dynamic, "", unread(value.MayBeEmpty()))
		return false
	case value.Kind == Glob:
		b.spliceMatch(value, quoted)
	case IsNumber(value) && value.Kind == Number, value.IsCounts():
		b.spliceNumber(value)
	case value.Kind != Literal:
		b.spliceUnknown(value)
	case !quoted && b.Rereads(value.Text):
		b.Unknown(Dynamic, "", unread(value.MayBeEmpty()))
	default:
		b.unbroken(b.AssignsIFS)
		b.Literal(value.Text)
	}
	return true
}

// isCutAgain reports whether the shell cuts values of a kind once more if nothing quotes them.
func isCutAgain(kind Kind) bool { return kind == Glob || kind == Names }

// unbroken notes that the value that is added holds no blank to split at.
func (b *wordSplitting) unbroken(assignsIFS bool) {
	if b.unsplit && !assignsIFS {
		b.split = false
	}
}

// spliceMatch adds one match of a pattern: a loop over a pattern, or an array, gives such a value.
func (b *Builder) spliceMatch(value Word, quoted bool) {
	switch {
	case strings.HasPrefix(value.Text, "/") || slices.Equal(value.dirs, b.Cwd.Known):
		b.glob = true
		b.matched(value, quoted)
	case quoted:
		b.lower(Output) // a name that was found elsewhere is text like any other
	default:
		b.lower(Dynamic)
	}
	b.class = b.class.Concat(unread(false))
	b.text.WriteString(value.Text)
}

func (b *Builder) spliceNumber(value Word) {
	if value.Kind == Number && !value.MayBeEmpty() && !hollow(value.Holes) {
		b.unbroken(b.AssignsIFS)
	}
	b.Number(value.Kind, value.Text, value.Class)
	if value.Joined {
		b.lone = ""
	}
}

func (b *Builder) spliceUnknown(value Word) {
	class := value.Class
	if value.Kind == Names {
		b.named(value)
		class = unread(value.MayBeEmpty()) // the shell can cut it
	}
	if class == nil {
		class = AnyText
	}
	b.Unknown(value.Kind, value.Text, class)
}

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
