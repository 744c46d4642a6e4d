package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// words expands one word of the source into the words that the shell makes of it.
func (w *walker) words(st *state.State, word *syntax.Word) []expansion.Word {
	return splitter{w: w, st: st}.appendWords(nil, word)
}

// splitter splits words of the source into words of a command, in a state.
type splitter struct {
	w  *walker
	st *state.State
}

// appendWords appends what words returns.
func (s splitter) appendWords(out []expansion.Word, word *syntax.Word) []expansion.Word {
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
func (s *surroundings) fields(st *state.State, word *syntax.Word) ([]expansion.Word, bool) {
	part, quoted := tree.LoneParameter(word)
	if part == nil || quoted || s.Zsh || st.Assigned("IFS") || part.Param == nil || part.Index != nil || !tree.IsValue(part) {
		return nil, false
	}
	held, ok := st.Variable(part.Param.Value)
	if !ok || held.Kind != expansion.Literal || !strings.ContainsFunc(held.Text, value.Separates) || s.Matches(held.Text) {
		return nil, false
	}
	var out []expansion.Word
	for _, field := range strings.FieldsFunc(held.Text, value.Separates) {
		out = append(out, expansion.Word{Kind: expansion.Literal, Text: field, Variables: []string{part.Param.Value}})
	}
	return out, true
}

// word evaluates a word without braces to a single Word.
func (w *walker) word(st *state.State, word *syntax.Word) expansion.Word {
	out := w.unsplit(st, word)
	if out.Kind == expansion.Literal && out.Text == "" && out.Vanishes {
		out.Kind, out.Split = expansion.Dynamic, true
	}
	return out
}

// unsplit evaluates a word that the shell doesn't split: the value of an assignment.
func (w *walker) unsplit(st *state.State, word *syntax.Word) expansion.Word {
	if len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && lexical.IsLiteral(lit.Value) && (!w.Zsh || !lexical.HasZshEquals(lit.Value)) {
			return expansion.Word{Kind: expansion.Literal, Text: lit.Value}
		}
	}
	x := w.expander(st)
	for i, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			x.unquoted(part.Value, i == 0, len(word.Parts) == 1)
		case *syntax.SglQuoted:
			x.Keep()
			x.singleQuoted(part)
		case *syntax.DblQuoted:
			x.Keep()
			x.doubleQuoted(part)
		default:
			x.expansion(part, false)
		}
	}
	return x.Finish(word)
}

// expander expands the parts of one word.
type expander struct {
	w  *walker
	st *state.State
	expansion.Builder
}

func (w *walker) expander(st *state.State) expander {
	return expander{w: w, st: st, Builder: expansion.NewBuilder(expansion.Context{Dialect: w.Dialect, Cwd: &st.Cwd, AssignsIFS: st.Assigned("IFS")})}
}

// unquoted adds unquoted text. first and only say where in the word it stands.
func (x *expander) unquoted(text string, first, only bool) {
	if first {
		text = x.tilde(text, only)
	}
	x.AddUnquoted(text, first, only)
}

// tilde expands a leading tilde and returns what is left of the text.
func (x *expander) tilde(text string, only bool) string {
	if !strings.HasPrefix(text, "~") {
		return text
	}
	name, _, slash := strings.Cut(text[1:], "/")
	if home := x.w.Options.Home; name == "" && (slash || only) && home != "" && !x.st.Assigned("HOME") {
		x.Literal(home)
		return text[1:]
	}
	x.Weaken(expansion.Dynamic)
	return text
}

func (x *expander) singleQuoted(part *syntax.SglQuoted) {
	if !part.Dollar {
		x.Literal(part.Value)
		return
	}
	if x.w.Posix {
		x.w.messy(guard.MessyDialect)
	}
	text, ok := lexical.DecodeANSI(part.Value)
	if !ok {
		x.Weaken(expansion.Dynamic)
		x.w.messy(guard.MessyExpansion)
	}
	if lexical.HasLocaleEscapes(part.Value) || x.w.OldBash && guard.NewEscapes(part.Value) {
		x.Weaken(expansion.Output)
	}
	x.Literal(text)
}

func (x *expander) doubleQuoted(part *syntax.DblQuoted) {
	if part.Dollar {
		// $"…" is translated through the locale's catalog.
		x.w.messy(guard.MessyExpansion)
		x.Weaken(expansion.Dynamic)
	}
	for _, inner := range part.Parts {
		lit, ok := inner.(*syntax.Lit)
		if !ok {
			x.expansion(inner, true)
			continue
		}
		x.Literal(lexical.DoubleQuoted(lit.Value))
	}
}

// expansion adds a parameter, command or arithmetic expansion.
func (x *expander) expansion(part syntax.WordPart, quoted bool) {
	x.Begin(quoted)
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
		x.w.beside++ // shells don't wait for it
		x.w.substituted = x.printing(part.Stmts)
		x.w.beside--
		x.Unknown(expansion.Pipe, "", &value.NonEmpty)
	default: // ExtGlob, BraceExp out of place, and whatever a later parser adds
		x.w.messy(guard.MessyExpansion)
		x.Weaken(expansion.Dynamic)
	}
}

// command adds a command substitution.
func (x *expander) command(part *syntax.CmdSubst, quoted bool) {
	known, ok := x.w.substitution(x.st, part, quoted)
	if !ok {
		x.Unknown(expansion.Output, "$(…)", expansion.AnyText)
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
	x.Number(expansion.Number, "$((…))", expansion.Numeral(true, false)) // what overflows is below zero
}

// maxAlternatives limits what the braces of a word expand to.
const maxAlternatives = 64

// appendAlternatives expands a word with braces. Some of the shells called sh know none: there
// the word as it is written stands behind what the others make of it.
func (s splitter) appendAlternatives(out []expansion.Word, word *syntax.Word) []expansion.Word {
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

func (s splitter) appendExpanded(out []expansion.Word, word *syntax.Word) []expansion.Word {
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

// members expands a word that is all members of an array, or all positional parameters, into one
// word each. A slice of them, and their subscripts, aren't followed.
func (s splitter) members(word *syntax.Word) ([]expansion.Word, bool) {
	part, quoted := tree.LoneParameter(word)
	if part == nil {
		return nil, false
	}
	name, star, ok := tree.AllMembers(part)
	if !ok || part.Index != nil && s.w.Zsh {
		return nil, false
	}
	list := s.st.Array(name)
	if list == nil || s.st.Assigned("IFS") || !quoted && slices.ContainsFunc(list.Words, s.w.resplits) {
		return nil, false
	}
	switch {
	case part.Slice != nil || part.Excl:
		return nil, false
	case quoted && star:
		return list.Joined()
	}
	return expansion.InPlace(&s.st.Cwd, slices.Clone(list.Words), quoted), true
}

// resplits reports whether a word outside of quotes becomes others than it is.
func (s *surroundings) resplits(word expansion.Word) bool {
	return word.Kind == expansion.Literal && (word.Text == "" || s.Rereads(word.Text))
}

// splice adds a value.
func (x *expander) splice(value expansion.Word, quoted bool) {
	if !x.Splice(value, quoted, maxSpliced-x.w.spliced) {
		x.w.messy(guard.MessyLimits)
	}
	x.w.spliced += len(value.Text)
}
