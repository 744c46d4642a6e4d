package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
)

// Shells evaluate a name in an expression as an expression again, command
// substitutions in subscripts included. So an expression is explained when it
// holds numbers, operators, and names that the line gave numbers to.

// arithmetic reads one expression. It returns the names that it assigns, and
// whether all of it is explained.
func (w *walker) arithmetic(st *state, expr syntax.ArithmExpr) (assigned []string, plain bool) {
	switch expr := expr.(type) {
	case nil:
		return nil, true
	case *syntax.Word:
		return nil, w.arithmeticWord(st, expr)
	case *syntax.ParenArithm:
		return w.arithmetic(st, expr.X)
	case *syntax.UnaryArithm:
		if expr.Op == syntax.Inc || expr.Op == syntax.Dec {
			name, ok := w.counter(expr.X)
			return []string{name}, ok && w.arithmeticWord(st, expr.X)
		}
		return w.arithmetic(st, expr.X)
	case *syntax.BinaryArithm:
		assigned, plain = w.arithmetic(st, expr.Y)
		if !assigns(expr.Op) {
			more, ok := w.arithmetic(st, expr.X)
			return append(more, assigned...), plain && ok // the left side is the longer one
		}
		name, ok := w.counter(expr.X)
		if expr.Op != syntax.Assgn {
			ok = ok && w.arithmeticWord(st, expr.X)
		}
		return append(assigned, name), plain && ok
	}
	return nil, false
}

func assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	default:
		return strings.HasSuffix(op.String(), "=") && op != syntax.Eql && op != syntax.Neq && op != syntax.Leq && op != syntax.Geq
	}
}

// counter is the name that an expression assigns, if that affects nothing but
// the line.
func (w *walker) counter(expr syntax.ArithmExpr) (string, bool) {
	word, ok := expr.(*syntax.Word)
	if !ok {
		return "", false
	}
	name := word.Lit()
	return name, guard.IsName(name) && w.local(name)
}

// arithmeticWord reports whether a word of an expression is a number, or a
// variable that is known to hold one.
func (w *walker) arithmeticWord(st *state, expr syntax.ArithmExpr) bool {
	word, ok := expr.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		if guard.IsName(part.Value) {
			value, known := st.variable(part.Value)
			return known && (isNumber(value) || value.lines)
		}
		return part.Value != "" && strings.Trim(part.Value, "0123456789") == "" || hexadecimal(part.Value)
	case *syntax.ParamExp:
		if w.lone(st, part).lines {
			return true
		}
		b := wordBuilder{kind: Literal}
		w.parameter(st, &b, part, true)
		return isNumber(Word{Kind: b.kind, Letters: b.letters, Text: b.text.String()})
	case *syntax.CmdSubst:
		value, known := w.substitution(st, part, true)
		return known && (isNumber(value) || value.lines)
	}
	return false
}

// lone is what a variable holds that an expansion gives as it is.
func (w *walker) lone(st *state, part *syntax.ParamExp) Word {
	if part.Param == nil || part.Index != nil || !unchanged(part) {
		return Word{}
	}
	value, _ := st.variable(part.Param.Value)
	return value
}

// hexadecimal reports whether text is a number with the mark that every shell knows.
func hexadecimal(text string) bool {
	digits, marked := strings.CutPrefix(text, "0x")
	return marked && digits != "" && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

// alwaysPrints reports whether the command that was walked last prints a number
// whatever happens: a count of what it is piped, or of files that are there.
func (w *walker) alwaysPrints() bool {
	c := &w.line.Commands[len(w.line.Commands)-1]
	if w.producesNumber(c) {
		return true
	}
	if c.Verb != "wc" && c.Verb != "grep" {
		return false
	}
	if _, fixed := c.Form.Get("-F"); c.refusable && !fixed {
		return false
	}
	return (c.Verb == "wc" || len(c.Accesses) > 0) && !slices.ContainsFunc(c.Accesses, func(a Access) bool { return !w.surely(c, &a) })
}

// plainExpression reports whether every program takes a word for a regular
// expression: nothing in it opens or repeats what may not be there.
func plainExpression(word Word) bool {
	if word.Kind != Literal {
		return false
	}
	text := word.Text
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			if i++; i == len(text) || !strings.ContainsRune(`.|bBsSwW<>*+?"'/-$^[]`, rune(text[i])) {
				return false
			}
		case strings.IndexByte("*+?", c) >= 0 && (i == 0 || !guard.IsNameByte(text[i-1]) && text[i-1] != '.'):
			return false
		case c == '|' && (i == 0 || i+1 == len(text) || text[i-1] == '|'):
			return false
		case strings.IndexByte("[](){}", c) >= 0:
			return false
		}
	}
	return true
}

// surely reports whether an access is one to a file that is there for everyone,
// and that nothing of the line can have taken away.
func (w *walker) surely(c *Command, a *Access) bool {
	if a.Op != v1.OpRead || a.Glob || a.Tree || a.Dynamic || c.Unknown || !w.onlyRead() {
		return false
	}
	return c.everywhere(a, w.isReadable)
}

// everywhere reports whether something holds of the path of an access, from whichever
// directory it counts. Of a path that climbs nothing is known: behind a link ".." leads
// elsewhere than it says.
func (c *Command) everywhere(a *Access, holds func(path string) bool) bool {
	dirs := c.Dirs
	if a.Dirs != nil {
		dirs = a.Dirs
	}
	return !slices.ContainsFunc(dirs, func(dir string) bool {
		full := a.Text
		if !strings.HasPrefix(full, "/") {
			full = dir + "/" + full
		}
		return dir == "" || strings.Contains(a.Text, "..") || !holds(full)
	})
}

// expressions walks (( … )) and let as one command, and returns the state
// behind it: what it assigns then holds a number.
func (w *walker) expressions(st *state, verb string, list ...syntax.ArithmExpr) *state {
	if w.posix {
		w.messy(guard.MessyDialect)
	}
	c := w.newCommand(st, verb, nil)
	kind := "value"
	certain := true
	for _, expr := range list {
		assigned, plain := w.arithmetic(st, expr)
		if !plain {
			w.messy(guard.MessyArithmetic)
			kind = "code"
		}
		certain = certain && w.completes(st, expr)
		for _, name := range assigned {
			value := number(name)
			old, held := st.variable(name)
			switch {
			case name == "" || !held && !certain: // it may hold what the environment gave it
			case certain:
				st = st.with(name, value)
			default:
				st = st.with(name, *either(name, &old, &value))
			}
		}
	}
	c.Form.Put("<expression>", kind)
	w.emit(c)
	return st
}

// completes reports whether every part of an expression that is explained is evaluated,
// and none fails: else what it assigns may hold what it held before.
func (w *walker) completes(st *state, expr syntax.ArithmExpr) bool {
	switch expr := expr.(type) {
	case nil:
		return true
	case *syntax.ParenArithm:
		return w.completes(st, expr.X)
	case *syntax.BinaryArithm:
		switch {
		case expr.Op == syntax.Assgn:
			return w.completes(st, expr.Y)
		case leavesOut(expr.Op):
			return false
		case !divides(expr.Op):
			return w.completes(st, expr.X) && w.completes(st, expr.Y)
		}
	}
	return w.total(st, expr)
}

// leavesOut reports whether an operator evaluates one of its operands only sometimes.
func leavesOut(op syntax.BinAritOperator) bool {
	return slices.Contains([]syntax.BinAritOperator{
		syntax.AndArit, syntax.OrArit, syntax.TernQuest, syntax.TernColon, syntax.AndBoolAssgn, syntax.OrBoolAssgn,
	}, op)
}

// number is a variable that holds some number.
func number(name string) Word { return Word{Kind: Number, Text: "$" + name, Solid: true, Signed: true} }

// signed reports whether an expression that is explained may be below zero.
func (w *walker) signed(st *state, expr syntax.ArithmExpr) bool {
	switch expr := expr.(type) {
	case *syntax.ParenArithm:
		return w.signed(st, expr.X)
	case *syntax.BinaryArithm:
		switch expr.Op {
		case syntax.Add:
			return w.signed(st, expr.X) || w.signed(st, expr.Y) || w.grown(st, expr.X) && w.grown(st, expr.Y)
		case syntax.Quo, syntax.Rem:
			return w.signed(st, expr.X) || w.signed(st, expr.Y)
		case syntax.Mul:
			return !w.scales(st, expr.X, expr.Y) && !w.scales(st, expr.Y, expr.X)
		default:
		}
	case *syntax.Word:
		word := w.word(st, expr)
		if guard.IsName(expr.Lit()) {
			word, _ = st.variable(expr.Lit())
		} else if part, _ := loneParameter(expr); part != nil && w.lone(st, part).lines {
			word.lines = true
		}
		if word.lines {
			return false // what has a value is one count
		}
		return word.Signed || !isNumber(word) || !bounded(word)
	}
	return true
}

// Numbers wrap: one that is large enough, or what is made of it, is below zero.
const (
	maxCounted = 12 // digits of what counts and sizes are
	maxFactor  = 4  // digits of what one of them may be taken times
)

// counted reports whether a text is a number no larger than a count.
func counted(text string) bool { return decimal(text) && len(text) <= maxCounted }

// bounded reports whether a number is no larger than a count: digits side by side are.
func bounded(word Word) bool {
	if word.Kind == Literal {
		return len(word.Text) <= maxCounted
	}
	return !word.Joined
}

// scales reports whether a product is that of a number and a small factor.
func (w *walker) scales(st *state, number, factor syntax.ArithmExpr) bool {
	word, ok := factor.(*syntax.Word)
	return ok && decimal(word.Lit()) && len(word.Lit()) <= maxFactor && !w.signed(st, number) && !w.scaled(st, number)
}

// scaled reports whether an expression holds a product, or a variable that holds one.
func (w *walker) scaled(st *state, expr syntax.ArithmExpr) bool {
	found := false
	syntax.Walk(expr, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.BinaryArithm:
			found = found || node.Op == syntax.Mul
		case *syntax.Lit:
			value, _ := st.variable(node.Value)
			found = found || value.Scaled
		case *syntax.ParamExp:
			if node.Param != nil {
				value, _ := st.variable(node.Param.Value)
				found = found || value.Scaled || value.array != nil
			}
		}
		return !found
	})
	return found
}

// grows reports whether an expression holds a sum of which both sides may be large, a
// product, or a variable that holds one: what it assigns may double in each round of a loop.
func (w *walker) grows(st *state, expr syntax.ArithmExpr) bool {
	found := w.scaled(st, expr)
	syntax.Walk(expr, func(node syntax.Node) bool {
		sum, ok := node.(*syntax.BinaryArithm)
		found = found || ok && sum.Op == syntax.Add && !slight(sum.X) && !slight(sum.Y)
		return !found
	})
	return found
}

// grown reports whether an expression holds what may have grown already: such a variable, or
// a number of the line's own that is not slight. Another one added to it may wrap it.
func (w *walker) grown(st *state, expr syntax.ArithmExpr) bool {
	found := false
	held := func(name string) {
		value, _ := st.variable(name)
		found = found || value.Scaled || value.array != nil || value.Kind == Literal && len(value.Text) > maxFactor
	}
	syntax.Walk(expr, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Lit:
			held(node.Value)
			found = found || decimal(node.Value) && len(node.Value) > maxFactor
		case *syntax.ParamExp:
			if node.Param != nil {
				held(node.Param.Value)
			}
		}
		return !found
	})
	return found
}

// slight reports whether an expression is a number that no loop adds often enough to wrap.
func slight(expr syntax.ArithmExpr) bool {
	word, ok := expr.(*syntax.Word)
	return ok && decimal(word.Lit()) && len(word.Lit()) <= maxFactor
}

// countingLoop walks for (( … )): its counters hold any number in each round.
func (w *walker) countingLoop(st *state, loop *syntax.CStyleLoop, cmd *syntax.ForClause) (ok, fail *state) {
	st = w.expressions(st, "((", loop.Init)
	end := w.rounds(st, func(at *state) *state {
		at = w.expressions(at, "((", loop.Cond)
		ok, fail := w.body(at, cmd)
		return join(at, w.expressions(join(ok, fail), "((", loop.Post))
	})
	return end, end
}

// printsNumber reports whether the command that was walked last, and whose
// output is that of stmt, prints one number and nothing else.
func (w *walker) printsNumber(stmt *syntax.Stmt) bool {
	for isPipe(stmt) {
		pipe, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok {
			return false
		}
		stmt = pipe.Y
	}
	c := &w.line.Commands[len(w.line.Commands)-1]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	names := w.table.Prints(c.Verb).Number
	if ok && len(call.Assigns)+len(c.Accesses) == 0 && w.producesNumber(c) {
		return true
	}
	if !ok || len(call.Args) == 0 || call.Args[0].Lit() != c.Program || len(names) == 0 || len(c.Caveats) > 0 {
		return false
	}
	if slices.ContainsFunc(stmt.Redirs, mixes) {
		return false
	}
	// Of several files each count stands behind a name.
	_, named := c.Form.Get("<file>")
	several := func(a Access) bool {
		return (named || c.Verb != "wc" && c.Verb != "grep") && (a.Glob && !a.One || a.Tree || a.Dynamic)
	}
	if opened := c.opened(); len(opened) > 1 || c.files > 1 || slices.ContainsFunc(opened, several) {
		return false
	}
	_, counts := c.Form.Get(names[0])
	return counts && !slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(names, e.Name) })
}
