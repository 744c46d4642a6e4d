package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/effect"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/state"
	"policyd/extract/value"
)

// testClause walks [[ … ]] as one command of the verb "[[".
func (c compound) testClause(cmd *syntax.TestClause) {
	if c.w.Posix {
		c.w.messy(guard.MessyDialect)
	}
	test := c.w.newCommand(c.st, "[[", nil)
	e := effectsOf(c.w, c.st, &test)
	testReader{Effects: &e, w: c.w, st: c.st}.expression(cmd.X)
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
type testReader struct {
	*effect.Effects
	w  *walker
	st *state.State
}

func oneOf(list, text string) bool {
	return text != "" && !strings.Contains(text, " ") && strings.Contains(list, " "+text+" ")
}

// command reads test and [ with plain operators.
func (t testReader) command(name string, words []expansion.Word) {
	if name == "[" {
		if len(words) == 0 || !words[len(words)-1].Is("]") {
			t.unclear(words)
			return
		}
		words = words[:len(words)-1]
	}
	for len(words) > 0 && words[0].Is("!") {
		words = words[1:]
	}
	for _, word := range words {
		if word.Expands {
			t.NoteSingle(word, false) // its matches may be operators
		}
	}
	if !t.plain(words) {
		t.unclear(words)
	}
}

// plain reads the operands of test. It reports false if it can't tell operators from operands.
func (t testReader) plain(words []expansion.Word) bool {
	if slices.ContainsFunc(words, func(word expansion.Word) bool { return mayBeOperator(word, len(words)) }) {
		return false
	}
	switch len(words) {
	case 0:
		return true
	case 1:
		t.Command.Form.Put("<text>", "value")
		t.compared(words[0])
		return true
	case 2:
		return words[0].Kind == expansion.Literal && t.one(words[0].Text, words[1])
	case 3:
		return words[1].Kind == expansion.Literal && t.pair(words[1].Text, words[0], words[2])
	}
	at := joined(words)
	if at == 0 {
		return false
	}
	t.command("test", words[:at])
	t.command("test", words[at+1:])
	return true
}

// mayBeOperator reports whether a word that only the run knows may be an operator among so many words.
func mayBeOperator(word expansion.Word, among int) bool {
	if word.Kind == expansion.Literal || !word.Split && !word.Vanishes {
		return false
	}
	return word.Kind != expansion.Number || word.Vanishes && among > 3
}

// one reads a test of one word. It reports false for an operator that it doesn't know.
func (t testReader) one(op string, word expansion.Word) bool {
	switch {
	case oneOf(fileTests, op):
		t.Command.Form.Put(op, "list")
		t.Access(word, v1.OpList, false)
	case oneOf(stringTests, op):
		t.Command.Form.Put(op, "value")
		t.compared(word)
	default:
		return false
	}
	return true
}

// pair reads a comparison of two words. It reports false for an operator that it doesn't know. Numbers are compared
// only if both are known: shells evaluate such operands as expressions.
func (t testReader) pair(op string, left, right expansion.Word) bool {
	switch {
	case oneOf(fileCompares, op):
		t.files(op, left, right)
	case oneOf(numCompares, op):
		if !t.comparable(left) || !t.comparable(right) {
			return false
		}
		t.Command.Form.Put(op, "value")
	case oneOf(textCompares, op):
		t.Command.Form.Put(op, "value")
		if oneOf(" < > ", op) {
			t.w.compares(op, left, right)
		}
		t.compared(left)
		t.compared(right)
	default:
		return false
	}
	return true
}

// files reads a comparison of two files.
func (t testReader) files(op string, left, right expansion.Word) {
	t.Command.Form.Put(op, "list")
	t.Access(left, v1.OpList, false)
	t.Access(right, v1.OpList, false)
}

// comparable reports whether an operand of a number comparison is only read as
// a number: zsh and ksh evaluate any other text as an expression.
func (t testReader) comparable(word expansion.Word) bool {
	return expansion.IsNumber(word) || word.Kind == expansion.Output && !word.Split && !t.w.Zsh && !t.w.Ksh
}

// joined returns where -a or -o joins a plain test in front to what follows,
// or 0.
func joined(words []expansion.Word) int {
	for _, at := range []int{2, 3} {
		if at+1 < len(words) && (words[at].Is("-a") || words[at].Is("-o")) {
			return at
		}
	}
	return 0
}

// compared notes a word whose text alone is looked at. What it holds changes
// nothing but the outcome, so that it need not be known.
func (t testReader) compared(word expansion.Word) {
	t.w.shown.compares = t.w.shown.compares || word.Kind == expansion.Dynamic
	t.Command.Variables = append(t.Command.Variables, word.Variables...)
}

func (t testReader) unclear(words []expansion.Word) {
	t.w.messy(guard.MessyTest)
	for _, word := range words {
		t.MaybePath(word, v1.OpList)
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
		t.Command.Form.Put("<text>", "value")
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
	case isWord && oneOf(fileTests+stringTests, op):
		t.one(op, t.w.word(t.st, word))
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
	left, right, op := t.w.word(t.st, x), t.compareWith(expr.Op, y), expr.Op.String()
	switch {
	case oneOf(fileCompares, op):
		t.files(op, left, right)
	case oneOf(numCompares, op) && (!expansion.IsNumber(left) || !expansion.IsNumber(right)):
		t.w.messy(guard.MessyTest)
	default: // =, ==, !=, =~, <, >: patterns are matched, not expanded
		t.w.compares(op, left, right)
		t.Command.Form.Put(op, "value")
		t.compared(left)
		t.compared(right)
	}
}

// compareWith evaluates the right side of a comparison. Beside ==, bash and ksh read extended patterns whatever is set;
// zsh takes @(a|b) for other text that expands nothing either.
func (t testReader) compareWith(op syntax.BinTestOperator, word *syntax.Word) expansion.Word {
	pattern := op == syntax.TsMatch || op == syntax.TsNoMatch
	extended := false
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.ExtGlob:
			extended = true
			pattern = pattern && strings.Trim(part.Pattern.Value, value.NameBytes+".-/*?[]|") == ""
		case *syntax.Lit, *syntax.SglQuoted:
		default:
			pattern = false
		}
	}
	if extended && pattern {
		return expansion.Word{Kind: expansion.Glob, Text: "*"}
	}
	return t.w.word(t.st, word)
}
