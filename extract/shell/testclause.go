package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
)

// testClause walks [[ … ]] as one command of the verb "[[".
func (c compound) testClause(cmd *syntax.TestClause) {
	if c.w.Posix {
		c.w.messy(guard.MessyDialect)
	}
	test := c.w.newCommand(c.st, "[[", nil)
	testReader{&effects{w: c.w, c: &test, st: c.st}}.expression(cmd.X)
	c.w.emit(test)
}

// Tests by their operator, as test(1) and the shells know them.
const (
	fileTests    = " -a -b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x "
	stringTests  = " -n -z "
	fileCompares = " -nt -ot -ef "
	textCompares = " = == != < > "
	numCompares  = " -eq -ne -lt -le -gt -ge "
)

// testReader reads the words of test and of [[.
type testReader struct{ *effects }

func oneOf(list, text string) bool {
	return text != "" && !strings.Contains(text, " ") && strings.Contains(list, " "+text+" ")
}

// command reads test and [ with plain operators. Numbers are compared only where
// both are known: shells evaluate such operands as expressions.
func (t testReader) command(name string, words []Word) {
	if name == "[" {
		if len(words) == 0 || !words[len(words)-1].literal("]") {
			t.unclear(words)
			return
		}
		words = words[:len(words)-1]
	}
	for len(words) > 0 && words[0].literal("!") {
		words = words[1:]
	}
	for _, word := range words {
		if word.Expands {
			t.single(word, false) // its matches may be operators
		}
	}
	switch {
	case slices.ContainsFunc(words, func(w Word) bool {
		return (w.Split || w.Vanishes) && w.Kind != Literal && (w.Kind != Number || w.Vanishes && len(words) > 3)
	}):
		t.unclear(words) // may become operators
	case len(words) == 0:
	case len(words) == 1:
		t.c.Form.Put("<text>", "value")
		t.compared(words[0])
	case len(words) == 2 && words[0].Kind == Literal && oneOf(fileTests, words[0].Text):
		t.c.Form.Put(words[0].Text, "list")
		t.access(words[1], v1.OpList, false)
	case len(words) == 2 && words[0].Kind == Literal && oneOf(stringTests, words[0].Text):
		t.c.Form.Put(words[0].Text, "value")
		t.compared(words[1])
	case len(words) == 3 && words[1].Kind == Literal && oneOf(textCompares, words[1].Text):
		t.c.Form.Put(words[1].Text, "value")
		if oneOf(" < > ", words[1].Text) {
			t.w.compares(words[1].Text, words[0], words[2])
		}
		t.compared(words[0])
		t.compared(words[2])
	case len(words) == 3 && words[1].Kind == Literal && oneOf(fileCompares, words[1].Text):
		t.c.Form.Put(words[1].Text, "list")
		t.access(words[0], v1.OpList, false)
		t.access(words[2], v1.OpList, false)
	case len(words) == 3 && words[1].Kind == Literal && oneOf(numCompares, words[1].Text) &&
		t.comparable(words[0]) && t.comparable(words[2]):
		t.c.Form.Put(words[1].Text, "value")
	case joined(words) > 0:
		at := joined(words)
		t.command("test", words[:at])
		t.command("test", words[at+1:])
	default:
		t.unclear(words)
	}
}

// comparable reports whether an operand of a number comparison is only read as
// a number: zsh and ksh evaluate any other text as an expression.
func (t testReader) comparable(word Word) bool {
	return isNumber(word) || word.Kind == Output && !word.Split && !t.w.Zsh && !t.w.Ksh
}

// joined returns where -a or -o joins a plain test in front to what follows,
// or 0.
func joined(words []Word) int {
	for _, at := range []int{2, 3} {
		if at+1 < len(words) && (words[at].literal("-a") || words[at].literal("-o")) {
			return at
		}
	}
	return 0
}

// compared notes a word whose text alone is looked at. What it holds changes
// nothing but the outcome, so that it need not be known.
func (t testReader) compared(word Word) {
	t.w.shown.compares = t.w.shown.compares || word.Kind == Dynamic
	t.c.Variables = append(t.c.Variables, word.Variables...)
}

func (t testReader) unclear(words []Word) {
	t.w.messy(guard.MessyTest)
	for _, word := range words {
		t.maybePath(word, v1.OpList)
	}
}

func (t testReader) expression(expr syntax.TestExpr) {
	switch expr := expr.(type) {
	case *syntax.ParenTest:
		t.expression(expr.X)
	case *syntax.UnaryTest:
		t.unary(expr)
	case *syntax.BinaryTest:
		t.binary(expr)
	case *syntax.Word:
		t.c.Form.Put("<text>", "value")
		t.compared(t.w.word(t.st, expr))
	default:
		t.w.messy(guard.MessyTest)
	}
}

func (t testReader) unary(expr *syntax.UnaryTest) {
	op := expr.Op.String()
	word, isWord := expr.X.(*syntax.Word)
	switch {
	case expr.Op == syntax.TsNot:
		t.expression(expr.X)
	case isWord && oneOf(fileTests, op):
		t.c.Form.Put(op, "list")
		t.access(t.w.word(t.st, word), v1.OpList, false)
	case isWord && oneOf(stringTests, op):
		t.c.Form.Put(op, "value")
		t.compared(t.w.word(t.st, word))
	default: // -v, -R and -o read names, subscripts included
		t.w.messy(guard.MessyTest)
	}
}

func (t testReader) binary(expr *syntax.BinaryTest) {
	if expr.Op == syntax.AndTest || expr.Op == syntax.OrTest {
		t.expression(expr.X)
		t.expression(expr.Y)
		return
	}
	x, okX := expr.X.(*syntax.Word)
	y, okY := expr.Y.(*syntax.Word)
	if !okX || !okY {
		t.w.messy(guard.MessyTest)
		return
	}
	left, right, op := t.w.word(t.st, x), t.w.word(t.st, y), expr.Op.String()
	switch {
	case oneOf(fileCompares, op):
		t.c.Form.Put(op, "list")
		t.access(left, v1.OpList, false)
		t.access(right, v1.OpList, false)
	case oneOf(numCompares, op) && (!isNumber(left) || !isNumber(right)):
		t.w.messy(guard.MessyTest)
	default: // =, ==, !=, =~, <, >: patterns are matched, not expanded
		t.w.compares(op, left, right)
		t.c.Form.Put(op, "value")
		t.compared(left)
		t.compared(right)
	}
}
