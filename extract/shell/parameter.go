package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// parameter is a parameter expansion with the value that its operator is applied to.
type parameter struct {
	w        *walker
	st       *state.State
	part     *syntax.ParamExp
	name     string
	quoted   bool
	operator tree.Operator
	value    expansion.Word
	// known is true if value is all that the expansion can read.
	known bool
}

// parameter adds ${…}.
func (x *expander) parameter(part *syntax.ParamExp, quoted bool) {
	if part.Param == nil {
		x.w.messy(guard.MessyExpansion)
		x.Weaken(expansion.Dynamic)
		return
	}
	p := parameter{w: x.w, st: x.st, part: part, name: part.Param.Value, quoted: quoted, operator: tree.OperatorOf(part)}
	x.w.expands(x.st, p.name)
	if !x.st.Assigned(p.name) {
		x.Variables = append(x.Variables, p.name)
		x.w.expandedNames = append(x.w.expandedNames, p.name)
	}
	if p.name == "@" || p.name == "*" || part.Index != nil && tree.IsAllMembers(part.Index) {
		x.Members(part.Length)
	}
	p.value, p.known = p.read()
	if tree.IsValue(part) {
		p.splice(x)
		return
	}
	if result, ok := p.operated(); ok {
		x.splice(result, quoted)
		return
	}
	p.unknown(x)
}

// operated is what the operator makes of a value that is known, or of names that are known in part.
func (p *parameter) operated() (expansion.Word, bool) {
	result, ok := p.applied()
	if !ok || !p.known {
		result, ok = p.cutSuffix()
	}
	if !ok || !p.known {
		result, ok = p.partOfName()
	}
	return result, ok && p.known
}

// splice adds the value as it is.
func (p *parameter) splice(x *expander) {
	switch p.name {
	case "?", "#", "$", "UID", "EUID", "PPID":
		x.Number(expansion.Number, "$"+p.name, expansion.Numeral(false, false))
		return
	case "RANDOM", "SECONDS", "LINENO":
		if countsByItself(p.w, p.st, p.name) {
			x.Number(expansion.Number, "$"+p.name, expansion.Numeral(false, false))
			return
		}
	case "!": // empty if no command runs in the background
		x.Number(expansion.Number, "$"+p.name, expansion.Numeral(false, true))
		return
	}
	if !p.known {
		x.Unknown(expansion.Dynamic, "$"+p.name, expansion.AnyText)
		return
	}
	x.splice(p.value, p.quoted)
}

// countsByItself reports whether bash and zsh give a number to a variable that the line doesn't assign, whatever the
// environment holds.
func countsByItself(w *walker, st *state.State, name string) bool {
	return !w.Posix && !st.Assigned(name) && !st.Has("assigns") && oneOf(" RANDOM SECONDS LINENO ", name)
}

// read is what the expansion reads, before any operator.
func (p *parameter) read() (expansion.Word, bool) {
	if p.part.Index != nil {
		return p.member()
	}
	if list := p.st.Array(p.name); list != nil {
		single := len(list.Words) < 2
		if (p.name == "@" || p.name == "*") && (!single || !tree.IsValue(p.part)) {
			return expansion.Word{Kind: expansion.Output, Text: "$" + p.name}, list.Plain() // all of them, and not the first
		}
		return list.First()
	}
	return p.w.value(p.st, p.name)
}

// member is the member of an array that the subscript names.
func (p *parameter) member() (expansion.Word, bool) {
	if !p.plainSubscript() {
		p.w.messy(guard.MessyExpansion)
		return expansion.Word{}, false
	}
	value, assigned := p.st.Variable(p.name)
	list, all := value.Array, tree.IsAllMembers(p.part.Index)
	switch {
	case !assigned && p.name == "PIPESTATUS" && !all:
		return expansion.Word{Kind: expansion.Number, Text: "$" + p.name, Class: expansion.Numeral(false, true)}, true
	case !assigned:
		return p.w.value(p.st, p.name)
	case list == nil:
		word, ok := p.part.Index.(*syntax.Word)
		return value, ok && word.Lit() == "0" && value.Kind != expansion.Dynamic
	case all:
		return expansion.Word{Kind: expansion.Output, Text: "$" + p.name}, true
	default:
		if found, ok := list.Numbered(p.part.Index); ok {
			return found, true
		}
	}
	return expansion.Word{Kind: expansion.Output, Text: "$" + p.name}, list.Plain()
}

// plainSubscript reports whether shells evaluate the subscript to itself: all members, digits, or a
// variable that holds a number.
func (p *parameter) plainSubscript() bool {
	w, st, index := p.w, p.st, p.part.Index
	value, assigned := st.Variable(p.name)
	list := value.Array
	switch {
	case w.Zsh || w.Posix && list == nil:
		return false
	case tree.IsAllMembers(index) && assigned:
		return list != nil && list.Plain()
	case tree.IsAllMembers(index):
		return w.isPublic(p.name)
	}
	if !tree.IsDecimal(index) {
		w.aborts(st) // one below the first is an error
	}
	a := arithmetic{w: w, st: st}
	names, plain := a.read(index)
	return plain && len(names) == 0 && (list == nil || list.Plain())
}

// unknown adds what only the run knows of an expansion with an operator.
func (p *parameter) unknown(x *expander) {
	kind := p.kind(x)
	if kind == expansion.Dynamic {
		// Other operators evaluate arithmetic, prompts or assignments in text that the line hides
		// in a variable.
		p.w.messy(guard.MessyExpansion)
	}
	p.w.measures(p.part, p.known)
	if kind == expansion.Output && !p.known && !tree.IsAlternate(p.part) {
		kind = expansion.Dynamic // a part of what isn't known is as little known
	}
	source := "${" + p.name + "…}"
	if kind == expansion.Number {
		x.Number(expansion.Number, source, expansion.Numeral(false, !p.part.Length))
		return
	}
	x.Unknown(kind, source, expansion.AnyText)
}

// kind is what an expansion with an operator gives: a number for ${#name}, text that only the run
// knows for operators that cut, replace, change the case or default, and Dynamic for others.
func (p *parameter) kind(x *expander) expansion.Kind {
	if p.operator == tree.NoOperator || p.part.Index != nil && !p.plainSubscript() {
		return expansion.Dynamic
	}
	text := false
	switch p.operator {
	case tree.LengthOperator:
		return expansion.Number
	case tree.SliceOperator:
		text = tree.IsDecimalSlice(p.part.Slice) && !p.w.Posix
	case tree.ReplaceOperator:
		text = p.isText(x, p.part.Repl.Orig) && p.isText(x, p.part.Repl.With)
	default:
		text = p.givesText(x)
	}
	if text {
		return expansion.Output
	}
	return expansion.Dynamic
}

// givesText reports whether an operator with a word gives text.
func (p *parameter) givesText(x *expander) bool {
	switch p.part.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return p.isText(x, p.part.Exp.Word)
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return !p.w.Posix && !p.w.Zsh && p.isText(x, p.part.Exp.Word)
	default:
		return false
	}
}

// isText reports whether the operand of an operator is text, which only the run may know, or empty.
func (p *parameter) isText(x *expander, word *syntax.Word) bool {
	if word == nil || len(word.Parts) == 0 {
		return true
	}
	text := p.w.word(p.st, word)
	x.Variables = append(x.Variables, text.Variables...)
	return text.Kind != expansion.Dynamic && text.Kind != expansion.Pipe
}

// applied is what an operator with a word makes of a known text, if every shell makes the same of it.
func (p *parameter) applied() (expansion.Word, bool) {
	if p.operator != tree.WordOperator || p.value.Kind != expansion.Literal || p.w.spliced > maxSpliced || !lexical.IsASCII(p.value.Text) {
		return expansion.Word{}, false
	}
	text, ok := p.appliedWord()
	return expansion.Word{Kind: expansion.Literal, Text: text}, ok
}

// appliedWord is what an operator with a word makes of a known text.
func (p *parameter) appliedWord() (string, bool) {
	operand := ""
	if word := p.part.Exp.Word; word != nil && len(word.Parts) > 0 {
		value := p.w.word(p.st, word)
		if value.Kind != expansion.Literal && value.Kind != expansion.Glob || len(word.Parts) > 1 || !tree.IsLiteral(word.Parts[0]) ||
			strings.HasPrefix(tree.LeadingText(word), "~") || strings.Trim(value.Text, lexical.OperandBytes+"*?") != "" {
			return "", false
		}
		operand = value.Text
	}
	text := p.value.Text
	switch p.part.Exp.Op {
	case syntax.DefaultUnsetOrNull, syntax.DefaultUnset:
		return text, text != ""
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return lexical.RemoveMatch(text, operand, true, p.part.Exp.Op == syntax.RemLargePrefix)
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return lexical.RemoveMatch(text, operand, false, p.part.Exp.Op == syntax.RemLargeSuffix)
	default:
		return "", false
	}
}

// nameBytes are the bytes of texts that operators add to names, or remove from them.
const nameBytes = value.NameBytes + ".-"

// operand is the operand of an operator that is applied to a whole variable, nil for others.
func (p *parameter) operand() *syntax.Word {
	if p.part.Index != nil || p.operator != tree.WordOperator {
		return nil
	}
	return p.part.Exp.Word
}

// removesSuffix reports whether the operator is % or %%.
func (p *parameter) removesSuffix() bool {
	return p.operator == tree.WordOperator && (p.part.Exp.Op == syntax.RemSmallSuffix || p.part.Exp.Op == syntax.RemLargeSuffix)
}

// removesPrefix reports whether the operator is # or ##.
func (p *parameter) removesPrefix() bool {
	return p.operator == tree.WordOperator && (p.part.Exp.Op == syntax.RemSmallPrefix || p.part.Exp.Op == syntax.RemLargePrefix)
}

// cutSuffix is what is left of the matches of a pattern without the literal text that the pattern,
// and so each of them, ends in. It stands for all that what is left of the pattern matches.
func (p *parameter) cutSuffix() (expansion.Word, bool) {
	value, operand := p.value, p.operand()
	if value.Kind != expansion.Glob || operand == nil || !p.removesSuffix() {
		return expansion.Word{}, false
	}
	suffix := p.w.word(p.st, operand)
	if suffix.Kind != expansion.Literal || suffix.Text == "" || strings.Trim(suffix.Text, nameBytes) != "" {
		return expansion.Word{}, false
	}
	text, ends := strings.CutSuffix(value.Text, suffix.Text)
	if !ends || !lexical.HasWildcard(text) || strings.HasSuffix(text, `\`) || strings.Contains(text, "[") {
		return expansion.Word{}, false
	}
	if name := text[strings.LastIndexByte(text, '/')+1:]; strings.Trim(name, "*") == "" && suffix.Text[0] != '.' {
		return expansion.Word{}, false // of a name that is the ending alone nothing is left; a hidden one is no match
	}
	value.Origins, value.Text = expansion.Origins(value), text
	return value, true
}

// isNamePattern reports whether an operand is literal text of names, slashes and stars.
func isNamePattern(operand expansion.Word) bool {
	return (operand.Kind == expansion.Literal || operand.Kind == expansion.Glob) && operand.Text != "" && strings.Trim(operand.Text, nameBytes+"/*") == ""
}

// partOfName is what an operator leaves of a name: its beginning, or what follows a slash in it.
func (p *parameter) partOfName() (expansion.Word, bool) {
	pattern := p.operand()
	if pattern == nil || p.operator != tree.WordOperator {
		return expansion.Word{}, false
	}
	operand := p.w.word(p.st, pattern)
	if !isNamePattern(operand) {
		return expansion.Word{}, false
	}
	value, whole, op := p.value, false, p.part.Exp.Op
	switch {
	case p.removesSuffix():
		whole = value.IsPart() && value.Name().IsEntry()
	case p.removesPrefix() && strings.HasSuffix(operand.Text, "/"):
		whole = operand.Kind == expansion.Glob && operand.Text == "*/" && op == syntax.RemLargePrefix && value.Name().IsEntry()
	default:
		return expansion.Word{}, false
	}
	value.Expands, value.Split = false, !p.quoted // the variable holds one match
	return expansion.PartOf(&p.st.Cwd, value, stream.Part{Text: "${" + p.name + "…}", Extent: stream.ExtentOf(value.Name(), whole, op != syntax.RemLargePrefix)})
}

// value returns what a variable is known to hold.
func (s *surroundings) value(st *state.State, name string) (expansion.Word, bool) {
	if value, ok := st.Variable(name); ok {
		return value, value.Kind != expansion.Dynamic
	}
	if s.isPublic(name) {
		return expansion.Word{Kind: expansion.Output, Text: "$" + name}, true
	}
	switch name {
	case "HOME":
		return expansion.Word{Kind: expansion.Literal, Text: s.Options.Home}, s.Options.Home != ""
	case "PWD":
		if st.Cwd.Single() {
			return expansion.Word{Kind: expansion.Literal, Text: st.Cwd.Known[0]}, true
		}
	}
	return expansion.Word{}, false
}

// isPublic reports whether everyone may know what a variable holds.
func (s *surroundings) isPublic(name string) bool {
	return slices.Contains(s.table.Words.Variables.Public, name)
}
