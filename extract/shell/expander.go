package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// words expands one word of the source into the words that the shell makes of it.
func (w *walker) words(st *state, word *syntax.Word) []Word {
	return splitter{w: w, st: st}.appendWords(nil, word)
}

// splitter splits words of the source into words of a command, in a state.
type splitter struct {
	w  *walker
	st *state
}

// appendWords appends what words returns.
func (s splitter) appendWords(out []Word, word *syntax.Word) []Word {
	if members, ok := s.members(word); ok {
		return append(out, members...)
	}
	if fields, ok := s.w.fields(s.st, word); ok {
		return append(out, fields...)
	}
	if !tree.HasBrace(word) {
		return append(out, s.w.word(s.st, word))
	}
	return s.appendAlternatives(out, word)
}

// fields splits an unquoted variable that is the whole word, if IFS has its default.
func (s *surroundings) fields(st *state, word *syntax.Word) ([]Word, bool) {
	part, quoted := tree.LoneParameter(word)
	if part == nil || quoted || s.Zsh || st.assigned("IFS") || part.Param == nil || part.Index != nil || !tree.IsValue(part) {
		return nil, false
	}
	held, ok := st.variable(part.Param.Value)
	if !ok || held.Kind != Literal || !strings.ContainsFunc(held.Text, value.Separates) || s.Matches(held.Text) {
		return nil, false
	}
	var out []Word
	for _, field := range strings.FieldsFunc(held.Text, value.Separates) {
		out = append(out, Word{Kind: Literal, Text: field, Variables: []string{part.Param.Value}})
	}
	return out, true
}

// word evaluates a word without braces to a single Word.
func (w *walker) word(st *state, word *syntax.Word) Word {
	out := w.unsplit(st, word)
	if out.Kind == Literal && out.Text == "" && out.Vanishes {
		out.Kind, out.Split = Dynamic, true
	}
	return out
}

// unsplit evaluates a word that the shell doesn't split: the value of an assignment.
func (w *walker) unsplit(st *state, word *syntax.Word) Word {
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && lexical.IsLiteral(lit.Value) && (!w.Zsh || !lexical.HasZshEquals(lit.Value)) {
			return Word{Kind: Literal, Text: lit.Value}
		}
	}
	x := w.expander(st)
	for i, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			x.unquoted(part.Value, i == 0, len(word.Parts) == 1)
		case *syntax.SglQuoted:
			x.kept = true
			x.singleQuoted(part)
		case *syntax.DblQuoted:
			x.kept = true
			x.doubleQuoted(part)
		default:
			x.expansion(part, false)
		}
	}
	return x.finish(st, word)
}

// expander expands the parts of one word.
type expander struct {
	w  *walker
	st *state
	wordBuilder
}

func (w *walker) expander(st *state) expander {
	return expander{w: w, st: st, wordBuilder: wordBuilder{kind: Literal, class: value.Empty}}
}

// unquoted adds unquoted text. first and only say where in the word it stands.
func (x *expander) unquoted(text string, first, only bool) {
	if first {
		text = x.tilde(text, only)
	}
	inside := x.expandsInside(text, first, only)
	if inside && text[0] == '=' {
		x.weaken(Dynamic)
	}
	set := false // a set of characters began, and may not have ended yet
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; set && strings.IndexByte(text[i:], ']') >= 0 {
				x.weaken(Dynamic) // it takes the meaning from a sign that negates, or spans a range
			}
			x.escaped(text[i:])
		case '*', '?':
			x.wildcard(c)
		case '[':
			set = x.bracket(text[i:], only) || set
		default:
			x.character(c)
		}
	}
	if inside {
		x.weaken(Dynamic)
	}
}

// expandsInside reports whether the shell expands more of an unquoted text than a tilde at its
// beginning: in words that look like assignments a tilde behind "=" and ":", and in zsh the name of a
// program behind "=".
func (x *expander) expandsInside(text string, first, only bool) bool {
	return strings.Contains(text, "=~") || strings.Contains(text, ":~") ||
		x.w.Zsh && (lexical.HasZshEquals(text) || first && strings.HasPrefix(text, "=") && (len(text) > 1 || !only))
}

// character adds an unquoted character that no pattern reads, but for those of zsh.
func (x *expander) character(c byte) {
	if x.w.Zsh && (c == '^' || c == '~' || c == '#') && x.extended == "" {
		x.extend(c)
	}
	x.class.AppendByte(c)
	x.text.WriteByte(c)
}

// escaped adds the character that a backslash quotes.
func (x *expander) escaped(behind string) {
	switch {
	case behind == "":
		x.text.WriteString(`\\`)
	case behind[0] != '\n':
		x.literal(behind[:1])
	default:
		// The shell removes the newline.
	}
}

// bracket adds an unquoted bracket, and reports whether a set of characters begins with it.
func (x *expander) bracket(text string, only bool) bool {
	if strings.IndexByte(text, ']') > 0 {
		x.wildcard('[')
		return true
	}
	if !only {
		x.weaken(Dynamic) // another part may close it: what is quoted in it counts all the same
	}
	x.literal("[")
	return false
}

// tilde expands a leading tilde and returns what is left of the text.
func (x *expander) tilde(text string, only bool) string {
	if !strings.HasPrefix(text, "~") {
		return text
	}
	name, _, slash := strings.Cut(text[1:], "/")
	if home := x.w.options.Home; name == "" && (slash || only) && home != "" && !x.st.assigned("HOME") {
		x.literal(home)
		return text[1:]
	}
	x.weaken(Dynamic)
	return text
}

func (x *expander) singleQuoted(part *syntax.SglQuoted) {
	if !part.Dollar {
		x.literal(part.Value)
		return
	}
	if x.w.Posix {
		x.w.messy(guard.MessyDialect)
	}
	text, ok := lexical.DecodeANSI(part.Value)
	if !ok {
		x.weaken(Dynamic)
		x.w.messy(guard.MessyExpansion)
	}
	if lexical.HasLocaleEscapes(part.Value) || x.w.OldBash && guard.NewEscapes(part.Value) {
		x.weaken(Output)
	}
	x.literal(text)
}

func (x *expander) doubleQuoted(part *syntax.DblQuoted) {
	if part.Dollar {
		// $"…" is translated through the locale's catalog.
		x.w.messy(guard.MessyExpansion)
		x.weaken(Dynamic)
	}
	for _, inner := range part.Parts {
		lit, ok := inner.(*syntax.Lit)
		if !ok {
			x.expansion(inner, true)
			continue
		}
		x.literal(lexical.DoubleQuoted(lit.Value))
	}
}

// expansion adds a parameter, command or arithmetic expansion.
func (x *expander) expansion(part syntax.WordPart, quoted bool) {
	x.expansions++
	x.unsplit, x.split = !x.split, x.split || !quoted // zsh splits parameters with SH_WORD_SPLIT alone
	switch part := part.(type) {
	case *syntax.ParamExp:
		x.parameter(part, quoted)
	case *syntax.CmdSubst:
		x.command(part, quoted)
	case *syntax.ArithmExp:
		x.arithmetic(part.X)
	case *syntax.ProcSubst:
		if part.Op != syntax.CmdIn || x.w.Posix || quoted {
			x.w.messy(guard.MessyProcess)
		}
		x.w.inside(part.Stmts)
		x.w.substituted = x.printing(part.Stmts)
		x.unknown(Pipe, "", &value.NonEmpty)
	default: // ExtGlob, BraceExp out of place, and whatever a later parser adds
		x.w.messy(guard.MessyExpansion)
		x.weaken(Dynamic)
	}
}

// command adds a command substitution.
func (x *expander) command(part *syntax.CmdSubst, quoted bool) {
	known, ok := x.w.substitution(x.st, part, quoted)
	if !ok {
		x.unknown(Output, "$(…)", anyText)
		return
	}
	x.splice(known, quoted)
}

// arithmetic adds an arithmetic expansion.
func (x *expander) arithmetic(expr syntax.ArithmExpr) {
	a := arithmetic{w: x.w, st: x.st}
	if assigned, plain := a.read(expr); !plain || len(assigned) > 0 {
		x.w.messy(guard.MessyArithmetic)
	} else if !a.total(expr) {
		x.w.aborts(x.st)
	}
	x.number(Number, "$((…))", numeral(true, false)) // what overflows is below zero
}

// splice adds a value. Outside of quotes, a value that the shell splits or matches again isn't
// followed.
func (x *expander) splice(value Word, quoted bool) {
	if value.Kind == Names {
		x.addName(value.stream)
	}
	x.recut = x.recut || !quoted && isCutAgain(value.Kind)
	switch {
	case x.exceedsLimits(value.Text):
		x.w.messy(guard.MessyLimits)
		x.unknown(Dynamic, "", unread(value.mayBeEmpty()))
	case value.Kind == Glob:
		x.spliceMatch(value, quoted)
	case isNumber(value) && value.Kind == Number, value.isCounts():
		x.spliceNumber(value)
	case value.Kind != Literal:
		x.spliceUnknown(value)
	case !quoted && x.w.Rereads(value.Text):
		x.unknown(Dynamic, "", unread(value.mayBeEmpty()))
	default:
		x.unbroken()
		x.literal(value.Text)
	}
}

// exceedsLimits reports whether the word, or the line, becomes too long by the text of a value.
func (x *expander) exceedsLimits(text string) bool {
	x.w.spliced += len(text)
	return x.w.spliced > maxSpliced || x.text.Len()+len(text) > maxText
}

// isCutAgain reports whether the shell cuts values of a kind once more if nothing quotes them.
func isCutAgain(kind WordKind) bool { return kind == Glob || kind == Names }

// unbroken notes that the value that is added holds no blank to split at.
func (x *expander) unbroken() {
	if x.unsplit && !x.st.assigned("IFS") {
		x.split = false
	}
}

// spliceMatch adds one match of a pattern: a loop over a pattern, or an array, gives such a value.
func (x *expander) spliceMatch(value Word, quoted bool) {
	switch {
	case strings.HasPrefix(value.Text, "/") || slices.Equal(value.dirs, x.st.cwd.Known):
		x.glob = true
		x.matched(value, quoted)
	case quoted:
		x.lower(Output) // a name that was found elsewhere is text like any other
	default:
		x.lower(Dynamic)
	}
	x.class = x.class.Concat(unread(false))
	x.text.WriteString(value.Text)
}

func (x *expander) spliceNumber(value Word) {
	if value.Kind == Number && !value.mayBeEmpty() && !hollow(value.holes) {
		x.unbroken()
	}
	x.number(value.Kind, value.Text, value.class)
	if value.Joined {
		x.lone = ""
	}
}

func (x *expander) spliceUnknown(value Word) {
	class := value.class
	if value.Kind == Names {
		x.named(value)
		class = unread(value.mayBeEmpty()) // the shell can cut it
	}
	if class == nil {
		class = anyText
	}
	x.unknown(value.Kind, value.Text, class)
}

// maxAlternatives limits what the braces of a word expand to.
const maxAlternatives = 64

// appendAlternatives expands a word with braces. Some of the shells called sh know none: there
// the word as it is written stands behind what the others make of it.
func (s splitter) appendAlternatives(out []Word, word *syntax.Word) []Word {
	plain := tree.AgreeOnBraces(word, s.w.Dialect)
	if s.w.Posix || !plain {
		s.w.messy(guard.MessyBraces)
	}
	if plain {
		out = s.appendExpanded(out, word)
	}
	if s.w.Posix || !plain {
		out = append(out, s.w.word(s.st, word))
	}
	return out
}

func (s splitter) appendExpanded(out []Word, word *syntax.Word) []Word {
	split := *word
	split.Parts = append([]syntax.WordPart(nil), word.Parts...)
	if !syntax.SplitBraces(&split) {
		if s.w.Posix {
			return out
		}
		return append(out, s.w.word(s.st, word))
	}
	before := len(out)
	for alternative, err := range expand.BracesSeq(&expand.Config{}, &split) {
		if err != nil || len(out)-before >= maxAlternatives {
			s.w.messy(guard.MessyBraces)
			break
		}
		if len(alternative.Parts) == 0 || len(alternative.Parts) == 1 && alternative.Lit() == "" && tree.IsLiteral(alternative.Parts[0]) {
			continue // an empty alternative without quotes is no word
		}
		out = append(out, s.w.word(s.st, alternative))
	}
	return out
}
