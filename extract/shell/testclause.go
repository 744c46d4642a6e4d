package shell

import (
	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
)

// testClause walks [[ … ]] as one command of the verb "[[".
func (w *walker) testClause(st *state, cmd *syntax.TestClause) {
	if w.Posix {
		w.messy(guard.MessyDialect)
	}
	c := w.newCommand(st, "[[", nil)
	p := parsed{w: w, c: &c, st: st}
	p.testExpr(cmd.X)
	w.emit(c)
}

func (p *parsed) testExpr(expr syntax.TestExpr) {
	switch expr := expr.(type) {
	case *syntax.ParenTest:
		p.testExpr(expr.X)
	case *syntax.UnaryTest:
		p.unaryTest(expr)
	case *syntax.BinaryTest:
		p.binaryTest(expr)
	case *syntax.Word:
		p.c.Form.Put("<text>", "value")
		p.compared(p.w.word(p.st, expr))
	default:
		p.w.messy(guard.MessyTest)
	}
}

func (p *parsed) unaryTest(expr *syntax.UnaryTest) {
	op := expr.Op.String()
	word, isWord := expr.X.(*syntax.Word)
	switch {
	case expr.Op == syntax.TsNot:
		p.testExpr(expr.X)
	case isWord && oneOf(fileTests, op):
		p.c.Form.Put(op, "list")
		p.access(p.w.word(p.st, word), v1.OpList, false)
	case isWord && oneOf(stringTests, op):
		p.c.Form.Put(op, "value")
		p.compared(p.w.word(p.st, word))
	default: // -v, -R and -o read names, subscripts included
		p.w.messy(guard.MessyTest)
	}
}

func (p *parsed) binaryTest(expr *syntax.BinaryTest) {
	if expr.Op == syntax.AndTest || expr.Op == syntax.OrTest {
		p.testExpr(expr.X)
		p.testExpr(expr.Y)
		return
	}
	x, okX := expr.X.(*syntax.Word)
	y, okY := expr.Y.(*syntax.Word)
	if !okX || !okY {
		p.w.messy(guard.MessyTest)
		return
	}
	left, right, op := p.w.word(p.st, x), p.w.word(p.st, y), expr.Op.String()
	switch {
	case oneOf(fileCompares, op):
		p.c.Form.Put(op, "list")
		p.access(left, v1.OpList, false)
		p.access(right, v1.OpList, false)
	case oneOf(numCompares, op) && (!isNumber(left) || !isNumber(right)):
		p.w.messy(guard.MessyTest)
	default: // =, ==, !=, =~, <, >: patterns are matched, not expanded
		p.w.compares(op, left, right)
		p.c.Form.Put(op, "value")
		p.compared(left)
		p.compared(right)
	}
}
