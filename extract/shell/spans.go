package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// span is a word as the parser sees it, by byte offsets. Words of one simple
// command share a number; 0 is for words outside of any.
type span struct {
	start, end int
	command    int
}

// parserWords lists the words of a parsed line in order, those in command
// substitutions included.
func parserWords(file *syntax.File) []span {
	spans := make([]span, 0, 16)
	commands := 0
	add := func(from, to syntax.Pos, command int) {
		spans = append(spans, span{start: int(from.Offset()), end: int(to.Offset()), command: command})
	}
	word := func(w *syntax.Word, command int) {
		if w != nil {
			add(w.Pos(), w.End(), command)
		}
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			commands++
			for _, assign := range node.Assigns {
				add(assign.Pos(), assign.End(), commands)
			}
			for _, arg := range node.Args {
				word(arg, commands)
			}
		case *syntax.DeclClause:
			commands++
			add(node.Variant.Pos(), node.Variant.End(), commands)
			for _, arg := range node.Args {
				add(arg.Pos(), arg.End(), commands)
			}
		case *syntax.FuncDecl:
			if node.Name != nil {
				add(node.Name.Pos(), node.Name.End(), 0)
			}
		case *syntax.LetClause:
			add(node.Let, after(node.Let, len("let")), 0)
			for _, expr := range node.Exprs {
				add(expr.Pos(), expr.End(), 0)
			}
		case *syntax.Redirect:
			if node.Op != syntax.Hdoc && node.Op != syntax.DashHdoc {
				word(node.Word, 0)
			}
		case *syntax.WordIter:
			add(node.Name.Pos(), node.Name.End(), 0)
			for _, item := range node.Items {
				word(item, 0)
			}
		case *syntax.CaseClause:
			word(node.Word, 0)
			for _, item := range node.Items {
				for _, pattern := range item.Patterns {
					word(pattern, 0)
				}
			}
		case *syntax.TestClause:
			testWords(node.X, add)
		}
		return true
	})
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	return spans
}

func testWords(expr syntax.TestExpr, add func(from, to syntax.Pos, command int)) {
	switch expr := expr.(type) {
	case *syntax.Word:
		add(expr.Pos(), expr.End(), 0)
	case *syntax.UnaryTest:
		add(expr.OpPos, after(expr.OpPos, len(expr.Op.String())), 0)
		testWords(expr.X, add)
	case *syntax.BinaryTest:
		testWords(expr.X, add)
		if op := expr.Op.String(); !reservedWord(op) {
			add(expr.OpPos, after(expr.OpPos, len(op)), 0)
		}
		testWords(expr.Y, add)
	case *syntax.ParenTest:
		testWords(expr.X, add)
	}
}

func after(pos syntax.Pos, n int) syntax.Pos {
	return syntax.NewPos(pos.Offset()+uint(n), pos.Line(), pos.Col()+uint(n))
}
