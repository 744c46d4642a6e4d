package shell

import (
	"strings"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"

	"mvdan.cc/sh/v3/syntax"
)

// parameter adds ${…}.
func (w *walker) parameter(st *state, b *wordBuilder, part *syntax.ParamExp, quoted bool) {
	if part.Param == nil {
		w.messy(guard.MessyExpansion)
		b.weaken(Dynamic)
		return
	}
	name := part.Param.Value
	w.expands(st, name)
	if !st.assigned(name) {
		b.variables = append(b.variables, name)
		w.expandedNames = append(w.expandedNames, name)
	}
	if name == "@" || name == "*" || part.Index != nil && tree.IsAllMembers(part.Index) {
		b.split = b.split || !part.Length // as many words as there are members
		b.unsplit = false
	}
	value, ok := w.held(st, part)
	if tree.IsValue(part) {
		w.spliceParameter(st, b, name, value, ok, quoted)
		return
	}
	if text, exact := w.applied(st, part, value); ok && exact {
		w.splice(st, b, Word{Kind: Literal, Text: text}, quoted)
		return
	}
	if shorter, cut := w.cutSuffix(st, part, value); ok && cut {
		w.splice(st, b, shorter, quoted)
		return
	}
	if other, known := renamed(part, value); ok && known {
		w.splice(st, b, other, quoted)
		return
	}
	if cut, known := w.partOfName(st, part, value, quoted); ok && known {
		b.finds(cut.feed)
		w.splice(st, b, cut, quoted)
		return
	}
	kind := w.operated(st, b, part)
	if kind == Dynamic {
		// Other operators evaluate arithmetic, prompts or assignments in
		// text that the line hides in a variable.
		w.messy(guard.MessyExpansion)
	}
	w.measures(part, ok)
	if kind == Output && !ok && !tree.IsAlternate(part) {
		kind = Dynamic // a part of what is not known is as little known
	}
	if kind == Number {
		b.number("${"+name+"…}", part.Length)
		return
	}
	b.weaken(kind)
	b.text.WriteString("${" + name + "…}")
}

func (w *walker) spliceParameter(st *state, b *wordBuilder, name string, value Word, ok, quoted bool) {
	switch name {
	case "?", "#", "$", "UID", "EUID", "PPID":
		b.number("$"+name, true)
		return
	case "!": // nothing, where no command runs in the background
		b.number("$"+name, false)
		return
	}
	if !ok {
		b.weaken(Dynamic)
		b.text.WriteString("$" + name)
		return
	}
	if value.Kind == Fed {
		b.finds(value.feed)
	}
	w.splice(st, b, value, quoted)
}

// held is what an expansion reads, before any operator.
func (w *walker) held(st *state, part *syntax.ParamExp) (Word, bool) {
	name := part.Param.Value
	if part.Index != nil {
		return w.member(st, part)
	}
	if value, _ := st.variable(name); value.array != nil {
		one := len(value.array.words) < 2 && !value.array.more
		if (name == "@" || name == "*") && (!one || !tree.IsValue(part)) {
			return Word{Kind: Output, Text: "$" + name}, value.array.plain() // all of them, and not the first
		}
		return value.array.first()
	}
	return w.value(st, name)
}

// operated says what an expansion with one operator gives: a number for
// ${#name}, text that only the run can tell for operators that cut, replace,
// change the case or default. Dynamic is for all others.
func (w *walker) operated(st *state, b *wordBuilder, part *syntax.ParamExp) WordKind {
	set := 0
	for _, held := range []bool{part.Length, part.Repl != nil, part.Exp != nil, part.Slice != nil} {
		if held {
			set++
		}
	}
	switch {
	case set != 1 || tree.HasRareOperator(part) || part.Index != nil && !w.plainSubscript(st, part):
		return Dynamic
	case part.Length:
		return Number
	case part.Slice != nil:
		return outputIf(tree.IsDecimalSlice(part.Slice) && !w.Posix)
	case part.Repl != nil:
		return outputIf(w.plainText(st, b, part.Repl.Orig) && w.plainText(st, b, part.Repl.With))
	}
	switch part.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return outputIf(w.plainText(st, b, part.Exp.Word))
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return outputIf(!w.Posix && !w.Zsh && w.plainText(st, b, part.Exp.Word))
	default:
		return Dynamic
	}
}

func outputIf(plain bool) WordKind {
	if plain {
		return Output
	}
	return Dynamic
}

// plainText reports whether what stands behind an operator is text, be it that
// only the run can tell it, or nothing at all.
func (w *walker) plainText(st *state, b *wordBuilder, word *syntax.Word) bool {
	if word == nil || len(word.Parts) == 0 {
		return true
	}
	text := w.word(st, word)
	b.variables = append(b.variables, text.Variables...)
	return text.Kind != Dynamic && text.Kind != Pipe
}

// applied is what one operator makes of a known text, where every shell makes
// the same of it.
func (w *walker) applied(st *state, part *syntax.ParamExp, value Word) (string, bool) {
	if w.Posix && (part.Slice != nil || part.Repl != nil) {
		return "", false // errors to some, and to busybox less or more than they say
	}
	if value.Kind != Literal || w.spliced > maxSpliced || !isASCII(value.Text) || tree.HasRareOperator(part) || part.Length {
		return "", false
	}
	switch {
	case part.Slice != nil && part.Repl == nil && part.Exp == nil:
		return tree.Slice(value.Text, part.Slice)
	case part.Repl != nil && part.Slice == nil && part.Exp == nil:
		return tree.Replace(value.Text, part.Repl)
	case part.Exp != nil && part.Slice == nil && part.Repl == nil:
		return w.expanded(st, value.Text, part.Exp)
	}
	return "", false
}

// cutSuffix is what is left of the matches of a pattern without the plain text
// that the pattern, and so each of them, ends in. It stands for more names than
// there are: all that what is left of the pattern matches.
func (w *walker) cutSuffix(st *state, part *syntax.ParamExp, value Word) (Word, bool) {
	if value.Kind != Glob || part.Exp == nil || part.Slice != nil || part.Repl != nil || part.Length || tree.HasRareOperator(part) || part.Index != nil ||
		part.Exp.Op != syntax.RemSmallSuffix && part.Exp.Op != syntax.RemLargeSuffix || part.Exp.Word == nil {
		return Word{}, false
	}
	suffix := w.word(st, part.Exp.Word)
	if suffix.Kind != Literal || suffix.Text == "" || strings.Trim(suffix.Text, guard.WordBytes+".-") != "" {
		return Word{}, false
	}
	text, ends := strings.CutSuffix(value.Text, suffix.Text)
	if !ends || !hasMeta(text) || strings.HasSuffix(text, `\`) || strings.ContainsAny(text, "[") {
		return Word{}, false
	}
	if name := text[strings.LastIndexByte(text, '/')+1:]; strings.Trim(name, "*") == "" && suffix.Text[0] != '.' {
		return Word{}, false // of a name that is the ending alone nothing is left; a hidden one is no match
	}
	value.origins, value.Text = origins(value), text
	return value, true
}

// renamed is what replacing some of the name makes of the matches of a pattern,
// where all else in the pattern is the directory that they lie in: names in that
// directory, and none that is hidden. It stands for all of them.
func renamed(part *syntax.ParamExp, value Word) (Word, bool) {
	if value.Kind != Glob || part.Repl == nil || part.Exp != nil || part.Slice != nil || part.Length || tree.HasRareOperator(part) || part.Index != nil ||
		part.Repl.Orig == nil {
		return Word{}, false
	}
	from, to := part.Repl.Orig.Lit(), ""
	if with := part.Repl.With; with != nil && len(with.Parts) > 0 {
		if to = with.Lit(); to == "" {
			return Word{}, false
		}
	}
	if from == "" || strings.Trim(from+to, guard.WordBytes+".-") != "" {
		return Word{}, false
	}
	// No match is hidden, so that one dot replaced by another makes none so.
	if from[0] != '.' && (to == "" || to[0] == '.' || to[0] == '-') {
		return Word{}, false
	}
	dir, name := "", value.Text
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		dir, name = name[:at+1], name[at+1:]
	}
	if hasMeta(dir) || strings.Contains(dir, from) || name == "" || name[0] == '.' || name[0] == '[' || strings.Contains(value.Text, `\`) {
		return Word{}, false
	}
	value.origins, value.Text = origins(value), dir+"*"
	return value, true
}

func (w *walker) expanded(st *state, text string, exp *syntax.Expansion) (string, bool) {
	operand := ""
	if exp.Word != nil && len(exp.Word.Parts) > 0 {
		word := w.word(st, exp.Word)
		if word.Kind != Literal && word.Kind != Glob || len(exp.Word.Parts) > 1 || !tree.IsLiteral(exp.Word.Parts[0]) || tree.LeadingText(exp.Word)[:1] == "~" || strings.Trim(word.Text, lexical.OperandBytes+"*?") != "" {
			return "", false
		}
		operand = word.Text
	}
	switch exp.Op {
	case syntax.DefaultUnsetOrNull, syntax.DefaultUnset:
		return text, text != ""
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		prefix := exp.Op == syntax.RemSmallPrefix || exp.Op == syntax.RemLargePrefix
		return lexical.RemoveMatch(text, operand, prefix, exp.Op == syntax.RemLargePrefix || exp.Op == syntax.RemLargeSuffix)
	default:
		return "", false
	}
}
