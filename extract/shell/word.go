package shell

import (
	"slices"
	"strings"
	"unicode/utf8"

	"policyd/extract/shell/guard"
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
	// Fed words stand for the names that another command finds: Text is the
	// directory, or file, that it looks in.
	Fed
	// Output words are what a command substitution prints; the command itself
	// is reported as a command of its own.
	Output
)

// Word is one word of a command after brace, tilde and parameter expansion.
type Word struct {
	Kind WordKind
	// Text is the word of a Literal, the pattern of a Glob (what was quoted is
	// escaped by a backslash), and the source text of the others.
	Text string
	// Variables are the names of the variables that were expanded.
	Variables []string
	// Split is true when the shell would split the word at blanks and expand
	// patterns in it, because an expansion stands outside of quotes.
	Split bool
	// Letters is true for a word that is a Number but for other text about it:
	// shells evaluate such text as an expression wherever they want a number.
	Letters bool
	// Led is true when the word begins with text that is known and is no dash, so
	// that whatever follows it can't make it an option.
	Led bool
	// Dashed is true when the word begins with a dash where nothing is left of what the
	// shell expands at its head.
	Dashed bool
	// Option is the name of the option that the word begins with in plain
	// text, up to the sign behind it.
	Option string
	// Solid is true when the text is never empty: a command that fails prints
	// nothing, a number in arithmetic is always there.
	Solid bool
	// Signed is true for a Number that may be below zero, and begin with a dash.
	Signed bool
	// Scaled is true for a Number that is a product, or a sum of large numbers, and may be
	// too large for another.
	Scaled bool
	// Expands is true for a Glob that becomes as many words as it has matches; false
	// where a variable holds one of them.
	Expands bool
	// Joined is true for a Number whose digits come from more than one place, so
	// that they may be those of an octal number, or of none.
	Joined bool
	// Vanishes is true when the shell may make no word at all of it: nothing in
	// it is quoted, and all of it may be empty.
	Vanishes bool
	// Recut is true when names that were found stand in it outside of quotes, through a
	// variable: the shell cuts them once more.
	Recut bool
	// Extended is a pattern that must match nothing for the word to be what it
	// is, where zsh might read it as a pattern itself.
	Extended string
	// holes are where numbers stand in the Text of a Number, each by its start and
	// its end, and those of them that may be empty by their start.
	holes, hollow []int
	// feed is where the names of a Fed word come from.
	feed *feed
	// blob is where the names come from of which the word, as Output, is one, behind a
	// revision and a colon.
	blob *feed
	// begins is where the name comes from that the word begins with, as Output, before more
	// text.
	begins *feed
	// origins are the patterns of which matches stand in it that variables hold.
	origins []origin
	// bare is true for text of the run that holds no dash in front of what the line writes.
	bare bool
	// lines is true for an Output of numbers, one a line, as $(grep -n x f | cut -d: -f1) prints
	// them: an expression has a value where there is one, and fails where there are several.
	lines bool
	// selects is true for a script of sed that does no more than choose lines, whatever such
	// numbers stand in it.
	selects bool
	// dirs are the working directories that the matches of a Glob were looked for
	// in, where a variable holds it.
	dirs []string
	// array is what a variable holds that is one. Read as a single word such a
	// variable is Dynamic.
	array *array
}

// literal reports whether the word is exactly text.
func (w Word) literal(text string) bool { return w.Kind == Literal && w.Text == text }

// isOption reports whether the word begins with a dash, or may.
func (w Word) isOption() bool {
	return w.Kind == Literal && len(w.Text) > 1 && w.Text[0] == '-'
}

// words expands one word of the source into the words that the shell makes of it.
func (w *walker) words(st *state, word *syntax.Word) []Word {
	return w.appendWords(nil, st, word)
}

// appendWords does the same, behind the words that are there.
func (w *walker) appendWords(out []Word, st *state, word *syntax.Word) []Word {
	if members, ok := w.members(st, word); ok {
		return append(out, members...)
	}
	if fields, ok := w.fields(st, word); ok {
		return append(out, fields...)
	}
	if !hasBrace(word) {
		return append(out, w.word(st, word))
	}
	return w.appendAlternatives(out, st, word)
}

// fields splits an unquoted variable that stands alone at its blanks, as the
// shell does while IFS is as it was.
func (w *walker) fields(st *state, word *syntax.Word) ([]Word, bool) {
	if len(word.Parts) != 1 || w.zsh || st.assigned("IFS") {
		return nil, false
	}
	part, ok := word.Parts[0].(*syntax.ParamExp)
	if !ok || part.Param == nil || part.Index != nil || !unchanged(part) {
		return nil, false
	}
	held, ok := st.variable(part.Param.Value)
	if !ok || held.Kind != Literal || !strings.ContainsFunc(held.Text, value.Separates) || w.matches(held.Text) {
		return nil, false
	}
	var out []Word
	for _, field := range strings.FieldsFunc(held.Text, value.Separates) {
		out = append(out, Word{Kind: Literal, Text: field, Variables: []string{part.Param.Value}})
	}
	return out, true
}

func isLit(part syntax.WordPart) bool {
	_, ok := part.(*syntax.Lit)
	return ok
}

// wordBuilder gathers the parts of one word.
type wordBuilder struct {
	text      strings.Builder
	kind      WordKind
	glob      bool
	split     bool
	unsplit   bool // whether nothing split it before the expansion that is added now
	letters   bool // something but digits stands in the word
	solid     bool // some part is never empty
	kept      bool // some part is quoted, so that a word stands there
	extended  string
	holes     []int
	hollow    []int
	signed    bool
	scaled    bool
	expands   bool
	recut     bool
	dashed    bool
	lone      string // the text, where it is one whole number
	origins   []origin
	feed      *feed
	holds     int  // how many times names that a command finds stand in it
	mixed     bool // whether they come from several, other than refs of one repository
	names     []nameIn
	bare      int  // how many expansions hold no dash
	lines     bool // whether a substitution prints numbers, one a line
	lined     bool // whether such numbers are among those at the holes
	variables []string
}

// finds adds names that a command finds.
func (b *wordBuilder) finds(f *feed) {
	if b.holds++; b.feed == nil || f == nil || b.feed == f {
		b.mixed = b.mixed || f == nil || b.feed == nil && b.holds > 1
		b.feed = f
		return
	}
	b.mixed = b.mixed || !b.feed.refs || !f.refs || b.feed.dir != f.dir
	both := *f
	both.said, both.many = f.said || b.feed.said, f.many || b.feed.many
	b.feed = &both
}

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

// dashless notes of what the shell expands that it holds no dash.
func (b *wordBuilder) dashless(holds bool) {
	if holds {
		b.bare++
	}
}

// number adds digits that only the run can tell.
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

// printed reports whether words of a kind are what commands of the line print,
// so that together they are no more than output.
func printed(kind WordKind) bool {
	return kind == Number || kind == Output || kind == Fed || kind == Hash
}

// nothing reports whether nothing is left of a word outside of quotes.
func (w Word) nothing() bool { return w.Kind == Dynamic && w.Text == "" && w.Vanishes && w.Split }

// word evaluates a word without braces to a single Word.
func (w *walker) word(st *state, word *syntax.Word) Word {
	out := w.unsplit(st, word)
	if out.Kind == Literal && out.Text == "" && out.Vanishes {
		out.Kind, out.Split = Dynamic, true
	}
	return out
}

// unsplit evaluates a word where shells don't split: in assignments.
func (w *walker) unsplit(st *state, word *syntax.Word) Word {
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && plainLiteral(lit.Value) && (!w.zsh || !equals(lit.Value)) {
			return Word{Kind: Literal, Text: lit.Value}
		}
	}
	b := wordBuilder{kind: Literal}
	for i, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			w.literalPart(st, &b, part.Value, i == 0, len(word.Parts) == 1)
		case *syntax.SglQuoted:
			b.kept = true
			w.singleQuoted(&b, part)
		case *syntax.DblQuoted:
			b.kept = true
			w.doubleQuoted(st, &b, part)
		default:
			w.expansion(st, &b, part, false)
		}
	}
	out := Word{Kind: b.kind, Text: b.text.String(), Variables: b.variables, Split: b.split, Letters: b.letters, Solid: b.solid}
	out.Signed, out.Scaled, out.Led, out.Recut = b.signed, b.scaled, led(word), b.recut
	if out.Kind != Literal {
		out.Option, out.Dashed = optionOf(word), b.dashed || dashBehind(word)
		out.bare = out.Kind == Output && b.bare > 0 && b.bare == expansions(word)
		out.lines = out.Kind == Output && b.lines && loneSubstitution(word)
		out.selects = out.Kind == Output && b.lined && !b.split && len(b.holes) == 2*expansions(word) && b.onlySelects()
	}
	out.Joined = b.kind == Number && b.lone != out.Text
	if out.Kind == Number {
		out.holes, out.hollow = b.holes, b.hollow
	}
	out.Vanishes = len(word.Parts) > 0 && !b.solid && !b.kept
	if b.extended != "" {
		out.Extended = b.extended
		if b.glob || len(word.Parts) > 1 && b.kind != Literal {
			out.Kind = Dynamic
		}
	}
	if out.Kind == Pipe && len(word.Parts) > 1 {
		out.Kind = Dynamic
	}
	if out.Kind == Fed {
		out = b.ofNames(st, word, out)
	}
	out.origins = b.origins
	switch {
	case out.Kind == Literal && b.glob:
		out.Kind, out.Expands = Glob, b.expands
	case out.Kind == Literal:
		out.Text = unescape(out.Text)
	case b.expands && (out.Kind == Number || out.Kind == Hash || out.Kind == Output):
		out.Kind, out.Split, out.holes, out.hollow = Dynamic, true, nil, nil // as many words as there are matches
	case b.glob && (out.Kind == Number || out.Kind == Hash):
		out.Kind, out.holes, out.hollow = Output, nil, nil // a name stands in it
	}
	return out
}

// ofNames is a word that names stand in which a command found.
func (b *wordBuilder) ofNames(st *state, word *syntax.Word, out Word) Word {
	out.feed, out.Text = b.feed, unescape(out.Text)
	switch {
	case b.feed != nil && b.feed.refs && !b.mixed && !wholeExpansion(word):
		return aboutRefs(out, b.holds)
	case b.feed == nil || !wholeExpansion(word):
		out = aboutName(word, out)
		if path, ok := b.pathOf(st); ok && out.Kind != Fed {
			return path
		}
	}
	return out
}

// aboutName is a name that a command found with text about it: a name itself,
// where the text leads nowhere else, and text that only the run can tell if not.
func aboutName(word *syntax.Word, name Word) Word {
	var text [2]string // in front of the name, and behind it
	at := 0
	add := func(part syntax.WordPart) bool {
		switch part := part.(type) {
		case *syntax.Lit:
			text[at] += part.Value
		case *syntax.ParamExp, *syntax.CmdSubst:
			at++
		default:
			return false
		}
		return at < 2
	}
	plain := name.feed != nil
	part := name
	for _, part := range word.Parts {
		quoted, ok := part.(*syntax.DblQuoted)
		if !ok {
			plain = plain && add(part)
			continue
		}
		for _, inner := range quoted.Parts {
			lit, ok := inner.(*syntax.Lit)
			plain = plain && add(inner) && (!ok || !hasMeta(lit.Value))
		}
	}
	if plain && at == 1 && text[0] == "" {
		if other, ok := beside(part, text[1]); ok {
			return other
		}
	}
	if plain && at == 1 {
		if f := name.feed.about(text[0], text[1]); f != nil {
			name.feed, name.Text, name.Split = f, f.roots[0], name.Split || f.many
			return name
		}
	}
	name.Kind = Output
	// Of some names nothing is left: then what stands behind them begins the word.
	if plain && at == 1 && text[0] == "" && name.feed.namesFiles() && strings.TrimLeft(text[1], `-\`) == text[1] {
		name.begins = name.feed
	} else if !led(word) {
		name.Text = "…" + name.Text // where nothing is left, or a later part, no "./" stands in front
	}
	if plain && at == 1 && text[1] == "" && name.feed.plainNames() && plainRevision(text[0]) {
		name.blob = name.feed
	}
	return name
}

// plainRevision reports whether a text names one revision and ends in a colon.
func plainRevision(text string) bool {
	rev, colon := strings.CutSuffix(text, ":")
	return colon && oneRevision(rev) && rev[0] != '^' && rev[0] != '.' && !strings.Contains(rev, "..") && !strings.ContainsAny(rev, "{}")
}

// dashBehind reports whether the text behind the expansions that a word begins with begins
// with a dash. An expression is never empty.
func dashBehind(word *syntax.Word) bool {
	dashed, found := false, false
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node := node.(type) {
		case nil, *syntax.Word, *syntax.DblQuoted:
			return !found
		case *syntax.ParamExp, *syntax.CmdSubst:
		case *syntax.Lit:
			if !found && node.Value != "" {
				found, dashed = true, strings.TrimLeft(node.Value, `-\`) != node.Value
			}
		case *syntax.SglQuoted:
			if !found && node.Value != "" {
				found, dashed = true, node.Dollar || node.Value[0] == '-'
			}
		default:
			found = true
		}
		return false
	})
	return dashed
}

// led reports whether the source of a word begins with plain text, and not with
// a dash or with what the shell reads.
func led(word *syntax.Word) bool {
	if len(word.Parts) == 0 {
		return false
	}
	text, read := firstText(word), ""
	if isLit(word.Parts[0]) {
		read = "\\~=*?[{"
	}
	return text != "" && text[0] != '-' && strings.IndexByte(read, text[0]) < 0
}

// expansions counts what the shell expands in a word; nil is the value of "x=".
func expansions(word *syntax.Word) int {
	if word == nil {
		return 0
	}
	count := 0
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			count += expansions(&syntax.Word{Parts: part.Parts})
		default:
			count++
		}
	}
	return count
}

// firstText is the plain text that the source of a word begins with, "" for none.
func firstText(word *syntax.Word) string {
	if len(word.Parts) == 0 {
		return ""
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value
	case *syntax.SglQuoted:
		if !part.Dollar {
			return part.Value
		}
	case *syntax.DblQuoted:
		if !part.Dollar && len(part.Parts) > 0 {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok {
				return decodeDouble(lit.Value)
			}
		}
	}
	return ""
}

// optionOf returns the option that the source of a word names before anything in it is
// expanded: --name of --name=$value, -n of -n$value.
func optionOf(word *syntax.Word) string {
	if len(word.Parts) == 0 {
		return ""
	}
	text := ""
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		text = part.Value
	case *syntax.DblQuoted:
		if !part.Dollar && len(part.Parts) > 0 {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok {
				text = lit.Value
			}
		}
	}
	if len(word.Parts) == 2 && len(text) == 2 && text[0] == '-' && guard.IsNameByte(text[1]) {
		return text
	}
	name, _, found := strings.Cut(text, "=")
	if !found || !strings.HasPrefix(name, "--") || strings.Trim(name, guard.WordBytes+"-") != "" {
		return ""
	}
	return name
}

// wholeExpansion reports whether a word is one expansion, quoted or not.
func wholeExpansion(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	part, quoted := word.Parts[0].(*syntax.DblQuoted)
	return !quoted || len(part.Parts) == 1
}

// loneSubstitution reports whether a word is what one substitution prints, and nothing else.
func loneSubstitution(word *syntax.Word) bool {
	if !wholeExpansion(word) {
		return false
	}
	part := word.Parts[0]
	if quoted, ok := part.(*syntax.DblQuoted); ok {
		part = quoted.Parts[0]
	}
	_, ok := part.(*syntax.CmdSubst)
	return ok
}

// plainLiteral reports whether an unquoted literal stands for itself.
func plainLiteral(text string) bool {
	return text == "" || text == "[" || !strings.ContainsAny(text, "\\*?[~^#") && text[0] != '='
}

// equals reports whether zsh takes the name of a program in an unquoted text for
// its path: in the value of a variable it does so behind each colon.
func equals(text string) bool { return strings.Contains(text, ":=") }

// literalPart adds unquoted text. The builder's text keeps a backslash before
// every character that a glob would read.
func (w *walker) literalPart(st *state, b *wordBuilder, text string, first, only bool) {
	if first {
		text = w.tilde(st, b, text, only)
		if w.zsh && strings.HasPrefix(text, "=") && (len(text) > 1 || !only) {
			b.weaken(Dynamic)
		}
	}
	if strings.Contains(text, "=~") || strings.Contains(text, ":~") {
		// In assignment-like words a tilde expands behind = and : too.
		b.weaken(Dynamic)
	}
	if w.zsh && equals(text) {
		b.weaken(Dynamic)
	}
	set := false // a set of characters began, and may not have ended yet
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if set && strings.IndexByte(text[i:], ']') > 0 {
				b.weaken(Dynamic) // it takes the meaning from a sign that negates, or spans a range
			}
			if i++; i == len(text) {
				b.text.WriteString(`\\`)
				break
			}
			if text[i] != '\n' {
				b.quoted(text[i : i+1])
			}
		case '*', '?':
			b.glob, b.expands, b.solid = true, true, true
			b.text.WriteByte(c)
		case '[':
			switch {
			case strings.IndexByte(text[i:], ']') > 0:
				b.glob, b.expands, b.solid, set = true, true, true, true
				b.text.WriteByte(c)
			case only:
				b.quoted("[")
			default:
				// A bracket that another part may close: what is quoted in it
				// counts all the same.
				b.weaken(Dynamic)
				b.quoted("[")
			}
		default:
			b.letters, b.solid = b.letters || c < '0' || c > '9', true
			if w.zsh && (c == '^' || c == '~' || c == '#') && b.extended == "" {
				b.extend(c)
			}
			b.text.WriteByte(c)
		}
	}
}

// extend notes what zsh may match with a character that it reads as a pattern: all that
// begins as the word does. In front of "#" the last character may be missing, too, and where
// it is the first of its segment, a name that begins with a dot is one, which "*" isn't.
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

// quoted adds text that stands for itself.
func (b *wordBuilder) quoted(text string) {
	b.letters = b.letters || strings.Trim(text, "0123456789") != ""
	b.solid = b.solid || text != ""
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(`*?[]\`, text[i]) >= 0 {
			b.text.WriteByte('\\')
		}
		b.text.WriteByte(text[i])
	}
}

func unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// tilde expands a leading tilde and returns what is left of the text.
func (w *walker) tilde(st *state, b *wordBuilder, text string, only bool) string {
	if !strings.HasPrefix(text, "~") {
		return text
	}
	name, _, slash := strings.Cut(text[1:], "/")
	if name == "" && (slash || only) && w.options.Home != "" && !st.assigned("HOME") {
		b.quoted(w.options.Home)
		return text[1:]
	}
	b.weaken(Dynamic)
	return text
}

func (w *walker) singleQuoted(b *wordBuilder, part *syntax.SglQuoted) {
	if !part.Dollar {
		b.quoted(part.Value)
		return
	}
	if w.posix {
		w.messy(guard.MessyDialect)
	}
	text, ok := decodeANSI(part.Value)
	if !ok {
		b.weaken(Dynamic)
		w.messy(guard.MessyExpansion)
	}
	if localEscapes(part.Value) || w.oldBash && guard.NewEscapes(part.Value) {
		b.weaken(Output)
	}
	b.quoted(text)
}

func (w *walker) doubleQuoted(st *state, b *wordBuilder, part *syntax.DblQuoted) {
	if part.Dollar {
		// $"…" is translated through the locale's catalog.
		w.messy(guard.MessyExpansion)
		b.weaken(Dynamic)
	}
	for _, inner := range part.Parts {
		lit, ok := inner.(*syntax.Lit)
		if !ok {
			w.expansion(st, b, inner, true)
			continue
		}
		b.quoted(decodeDouble(lit.Value))
	}
}

// decodeDouble removes the backslashes that double quotes honour.
func decodeDouble(text string) string { return decodeBackslashes(text, "$`\"\\\n") }

// decodeBackslashes removes the backslashes in front of some characters, and with them the newline that
// such a one takes away.
func decodeBackslashes(text, before string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(before, text[i+1]) >= 0 {
			if i++; text[i] == '\n' {
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// expansion adds a parameter, command or arithmetic expansion.
func (w *walker) expansion(st *state, b *wordBuilder, part syntax.WordPart, quoted bool) {
	b.unsplit, b.split = !b.split, b.split || !quoted // zsh leaves parameters whole, but where SH_WORD_SPLIT is set
	switch part := part.(type) {
	case *syntax.ParamExp:
		w.parameter(st, b, part, quoted)
	case *syntax.CmdSubst:
		if known, ok := w.substitution(st, part, quoted); ok {
			if known.Kind == Fed {
				b.finds(known.feed)
			}
			b.lines = b.lines || known.lines
			w.splice(st, b, known, quoted)
			return
		}
		b.weaken(Output)
		b.text.WriteString("$(…)")
	case *syntax.ArithmExp:
		if assigned, plain := w.arithmetic(st, part.X); !plain || len(assigned) > 0 {
			w.messy(guard.MessyArithmetic)
		} else if !w.total(st, part.X) {
			w.aborts(st)
		}
		signed := w.signed(st, part.X)
		b.signed, b.scaled = b.signed || signed, b.scaled || w.grows(st, part.X)
		b.dashless(!signed)
		b.number("$((…))", true)
	case *syntax.ProcSubst:
		if part.Op != syntax.CmdIn || w.posix || quoted {
			w.messy(guard.MessyProcess)
		}
		w.inside(part.Stmts)
		w.substituted = w.printing(st, part.Stmts)
		b.weaken(Pipe)
		b.solid = true
	default: // ExtGlob, BraceExp out of place, and whatever a later parser adds
		w.messy(guard.MessyExpansion)
		b.weaken(Dynamic)
	}
}

// splice adds the value of a variable. Unquoted, a value that the shell would
// split or expand again is not followed.
func (w *walker) splice(st *state, b *wordBuilder, value Word, quoted bool) {
	b.solid = b.solid || value.Solid || value.Kind == Glob || value.Kind == Literal && value.Text != ""
	w.spliced += len(value.Text)
	b.dashed = b.dashed || value.Dashed
	b.recut = b.recut || !quoted && (value.Kind == Glob || value.Kind == Fed)
	switch {
	case w.spliced > maxSpliced || b.text.Len()+len(value.Text) > maxText:
		w.messy(guard.MessyLimits)
		b.weaken(Dynamic)
	case value.Kind == Glob && !strings.HasPrefix(value.Text, "/") && !slices.Equal(value.dirs, st.dirs):
		// Its matches are names that were found elsewhere: in quotes, text like any other.
		if quoted {
			b.weaken(Output)
		} else {
			b.weaken(Dynamic)
		}
		b.text.WriteString(value.Text)
	case value.Kind == Glob:
		// Only a loop over a glob, or an array, gives such a value; each match is
		// one word.
		b.glob = true
		b.matched(value, quoted)
		b.text.WriteString(value.Text)
	case value.Kind == Number && !value.Letters:
		b.signed, b.scaled = b.signed || value.Signed, b.scaled || value.Scaled
		b.dashless(!value.Signed)
		if b.unsplit && value.Solid && len(value.hollow) == 0 && !st.assigned("IFS") {
			b.split = false // digits alone, and no blank to split them at
		}
		b.number(value.Text, value.Solid)
		if value.Joined {
			b.lone = ""
		}
	case value.Kind != Literal:
		if value.Kind == Fed {
			b.named(value)
		}
		b.dashless(value.bare)
		if value.lines {
			b.lined = true
			b.holes = append(b.holes, b.text.Len(), b.text.Len()+len(value.Text))
		}
		b.weaken(value.Kind)
		b.letters = b.letters || value.Letters
		b.text.WriteString(value.Text)
	case !quoted && w.rereads(value.Text):
		b.weaken(Dynamic)
	default:
		if b.unsplit && !st.assigned("IFS") {
			b.split = false // there is no blank to split it at
		}
		b.quoted(value.Text)
	}
}

// rereads reports whether the shell still reads something in what an expansion outside
// of quotes gives: it cuts words there, and looks for patterns.
func (w *walker) rereads(text string) bool {
	return strings.ContainsFunc(text, value.Separates) || w.matches(text)
}

// matches reports whether such a text is a pattern, or more words. ksh, which may be what
// sh is, splits braces then.
func (w *walker) matches(text string) bool {
	return strings.ContainsAny(text, "*?[\\") || value.HasGroup(text) || w.posix && strings.ContainsAny(text, "{(")
}

// value returns what a variable is known to hold.
func (w *walker) value(st *state, name string) (Word, bool) {
	if value, ok := st.variable(name); ok {
		return value, value.Kind != Dynamic
	}
	if slices.Contains(w.table.Words.Variables.Public, name) {
		return Word{Kind: Output, Text: "$" + name}, true
	}
	switch name {
	case "HOME":
		return Word{Kind: Literal, Text: w.options.Home}, w.options.Home != ""
	case "PWD":
		if len(st.dirs) == 1 && !st.unknown {
			return Word{Kind: Literal, Text: st.dirs[0]}, true
		}
	}
	return Word{}, false
}
