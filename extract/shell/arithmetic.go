package shell

import (
	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// arithmetic reads arithmetic expressions in a state of the shell. Shells evaluate a name in an
// expression as an expression again, command substitutions in subscripts included. So an expression
// is explained if it holds numbers, operators, and names that the line gave numbers to.
type arithmetic struct {
	w  *walker
	st *state.State
}

// read reads one expression. It returns the names that it assigns, and whether all of it is
// explained.
func (a *arithmetic) read(expr syntax.ArithmExpr) (assigned []string, explained bool) {
	switch expr := expr.(type) {
	case nil:
		return nil, true
	case *syntax.Word:
		return nil, a.isNumber(expr)
	case *syntax.ParenArithm:
		return a.read(expr.X)
	case *syntax.UnaryArithm:
		if expr.Op == syntax.Inc || expr.Op == syntax.Dec {
			name, ok := a.counter(expr.X)
			return []string{name}, ok && a.isNumber(expr.X)
		}
		return a.read(expr.X)
	case *syntax.BinaryArithm:
		assigned, explained = a.read(expr.Y)
		if !tree.Assigns(expr.Op) {
			more, ok := a.read(expr.X)
			return append(more, assigned...), explained && ok // the left side is the longer one
		}
		name, ok := a.counter(expr.X)
		if expr.Op != syntax.Assgn {
			ok = ok && a.isNumber(expr.X)
		}
		return append(assigned, name), explained && ok
	}
	return nil, false
}

// counter is the name that an expression assigns, if that affects nothing but the line.
func (a *arithmetic) counter(expr syntax.ArithmExpr) (string, bool) {
	word, ok := expr.(*syntax.Word)
	if !ok {
		return "", false
	}
	name := word.Lit()
	return name, value.IsName(name) && a.w.local(name)
}

// isNumber reports whether an operand is a number, or a variable that is known to hold one.
func (a *arithmetic) isNumber(expr syntax.ArithmExpr) bool {
	word, ok := expr.(*syntax.Word)
	if !ok || len(word.Parts) != 1 {
		return false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		if value.IsName(part.Value) {
			value, known := a.st.Variable(part.Value)
			return known && (expansion.IsNumber(value) || value.IsCounts()) || countsByItself(a.w, a.st, part.Value)
		}
		return lexical.IsDigits(part.Value) || lexical.IsHexadecimal(part.Value)
	case *syntax.ParamExp:
		x := a.w.expander(a.st)
		x.expansion(part, true)
		held := x.Finish(word)
		return expansion.IsNumber(held) || held.IsCounts()
	case *syntax.CmdSubst:
		value, known := a.w.substitution(a.st, part, true)
		return known && (expansion.IsNumber(value) || value.IsCounts())
	}
	return false
}

// total reports whether an expression that is explained has a value whatever its variables hold.
func (a *arithmetic) total(expr syntax.ArithmExpr) bool {
	switch expr := expr.(type) {
	case *syntax.Word:
		return a.totalWord(expr)
	case *syntax.ParenArithm:
		return a.total(expr.X)
	case *syntax.UnaryArithm:
		return a.total(expr.X)
	case *syntax.BinaryArithm:
		if tree.Divides(expr.Op) {
			divisor, ok := expr.Y.(*syntax.Word)
			return ok && divisor.Lit() != "0" && tree.IsDecimal(divisor) && a.total(expr.X)
		}
		return a.total(expr.X) && a.total(expr.Y)
	}
	return false
}

func (a *arithmetic) totalWord(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		held, known := a.st.Variable(part.Value)
		if !known {
			return value.IsDecimal(part.Value) || value.IsName(part.Value) || lexical.IsHexadecimal(part.Value)
		}
		return held.Is("") || !expansion.IsOctal(held) && !held.IsCounts() // unset, or empty, is zero
	case *syntax.ParamExp:
		return part.Length || a.totalParameter(part)
	}
	return false
}

// totalParameter reports whether a parameter always holds a number.
func (a *arithmetic) totalParameter(part *syntax.ParamExp) bool {
	if part.Param == nil || part.Exp != nil || part.Index != nil {
		return false
	}
	switch value, known := a.st.Variable(part.Param.Value); {
	case known:
		return !value.MayBeEmpty() && expansion.IsNumber(value) && !expansion.IsOctal(value)
	default:
		name := part.Param.Value
		return name == "?" || name == "#" || name == "$"
	}
}

// completes reports whether every part of an expression that is explained is evaluated, and none
// fails. If not, what it assigns can hold its old value.
func (a *arithmetic) completes(expr syntax.ArithmExpr) bool {
	switch expr := expr.(type) {
	case nil:
		return true
	case *syntax.ParenArithm:
		return a.completes(expr.X)
	case *syntax.BinaryArithm:
		switch {
		case expr.Op == syntax.Assgn:
			return a.completes(expr.Y)
		case tree.SkipsOperand(expr.Op):
			return false
		case !tree.Divides(expr.Op):
			return a.completes(expr.X) && a.completes(expr.Y)
		}
	}
	return a.total(expr)
}

// number is a variable that holds some number.
func number(name string) expansion.Word {
	return expansion.Word{Kind: expansion.Number, Text: "$" + name, Class: expansion.Numeral(true, false)}
}

// command walks (( … )) and let as one command, and returns the state behind it: what it assigns then
// holds a number.
func (a *arithmetic) command(verb string, list ...syntax.ArithmExpr) *state.State {
	if a.w.Posix {
		a.w.messy(guard.MessyDialect)
	}
	c := a.w.newCommand(a.st, verb, nil)
	kind := "value"
	certain := true
	for _, expr := range list {
		assigned, explained := a.read(expr)
		if !explained {
			a.w.messy(guard.MessyArithmetic)
			kind = "code"
		}
		certain = certain && a.completes(expr)
		for _, name := range assigned {
			a.assign(name, certain)
		}
	}
	c.Form.Put("<expression>", kind)
	a.w.emit(c)
	return a.st
}

// assign changes the state to the one behind an assignment, which is certain to be made or not.
func (a *arithmetic) assign(name string, certain bool) {
	value := number(name)
	old, held := a.st.Variable(name)
	switch {
	case name == "" || !held && !certain: // it may hold what the environment gave it
	case certain:
		a.st = a.st.With(name, value)
	default:
		a.st = a.st.With(name, *expansion.Join(name, &old, &value))
	}
}
