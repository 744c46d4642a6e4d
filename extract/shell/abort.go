package shell

import (
	"slices"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"

	"mvdan.cc/sh/v3/syntax"
)

// An expansion that fails (a division by zero, digits that are no number) makes
// bash give up the rest of the line and go on with the next one. What the rest
// would have changed is then as it was.

// aborts notes that the line may end here.
func (f *flow) aborts(st *state) {
	if f.aborted == nil {
		f.aborted = st
	} else {
		f.aborted = join(f.aborted, st)
	}
}

// lines walks the statements of a script. One that begins a line may follow
// on any that was given up before.
func (w *walker) lines(st *state, list []*syntax.Stmt) {
	outer := w.aborted
	defer func() { w.aborted = outer }()
	w.aborted = nil
	last := uint(0)
	for _, stmt := range list {
		if line := stmt.Pos().Line(); w.aborted != nil && line > last {
			st = join(st, w.aborted)
		}
		st = join(w.stmt(st, stmt))
		last = stmt.End().Line()
	}
}

// total reports whether an expression that is explained has a value whatever
// its variables hold.
func (w *walker) total(st *state, expr syntax.ArithmExpr) bool {
	switch expr := expr.(type) {
	case *syntax.Word:
		return w.totalWord(st, expr)
	case *syntax.ParenArithm:
		return w.total(st, expr.X)
	case *syntax.UnaryArithm:
		return w.total(st, expr.X)
	case *syntax.BinaryArithm:
		if tree.Divides(expr.Op) {
			divisor, ok := expr.Y.(*syntax.Word)
			return ok && lexical.IsDecimal(divisor.Lit()) && divisor.Lit() != "0" && w.total(st, expr.X)
		}
		return w.total(st, expr.X) && w.total(st, expr.Y)
	}
	return false
}

func (w *walker) totalWord(st *state, word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		value, known := st.variable(part.Value)
		if !known {
			return lexical.IsDecimal(part.Value) || guard.IsName(part.Value) || lexical.IsHexadecimal(part.Value)
		}
		return value.literal("") || !octal(value) && !value.lines // unset, or empty, is zero
	case *syntax.ParamExp:
		if part.Length {
			return true
		}
		if part.Param == nil || part.Exp != nil || part.Index != nil {
			return false
		}
		value, known := st.variable(part.Param.Value)
		return !known && slices.Contains([]string{"?", "#", "$"}, part.Param.Value) || known && solid(value) && isNumber(value) && !octal(value)
	}
	return false
}
