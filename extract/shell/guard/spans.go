package guard

import (
	"slices"

	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
)

// span is a word as the parser sees it, by byte offsets. Words of one simple
// command share a number; 0 is for words outside of any. segment is what the other
// lexer knows the word by.
type span struct {
	start, end, command, segment int
}

// parsedWords lists the words of a parsed line in order, those in command
// substitutions included.
type parsedWords struct {
	spans    []span
	commands int
	// misnamed is true where the parser took for an assignment what begins with no name:
	// the shell takes it for a command, "./x=[1]" among them.
	misnamed bool
	visit    func(syntax.Node) bool // node, made once
}

func (p *parsedWords) of(file *syntax.File) []span {
	p.spans, p.commands, p.misnamed = p.spans[:0], 0, false
	syntax.Walk(file, p.visit)
	slices.SortFunc(p.spans, func(a, b span) int { return a.start - b.start })
	return p.spans
}

func (p *parsedWords) add(from, to syntax.Pos, command int) {
	p.spans = append(p.spans, span{start: int(from.Offset()), end: int(to.Offset()), command: command})
}

func (p *parsedWords) word(w *syntax.Word, command int) {
	if w != nil {
		p.add(w.Pos(), w.End(), command)
	}
}

func (p *parsedWords) node(node syntax.Node) bool {
	switch node := node.(type) {
	case *syntax.CallExpr:
		p.commands++
		all(p, node.Assigns, p.commands)
		all(p, node.Args, p.commands)
	case *syntax.Assign:
		p.misnamed = p.misnamed || node.Name != nil && !value.IsName(node.Name.Value)
	case *syntax.DeclClause:
		p.commands++
		p.add(node.Variant.Pos(), node.Variant.End(), p.commands)
		all(p, node.Args, p.commands)
	case *syntax.FuncDecl:
		p.name(node.Name)
	case *syntax.LetClause:
		p.add(node.Let, after(node.Let, len("let")), 0)
		all(p, node.Exprs, 0)
	case *syntax.Redirect:
		if node.Op != syntax.Hdoc && node.Op != syntax.DashHdoc {
			p.word(node.Word, 0)
		}
	case *syntax.WordIter:
		p.name(node.Name)
		all(p, node.Items, 0)
	case *syntax.CaseClause:
		p.word(node.Word, 0)
		for _, item := range node.Items {
			all(p, item.Patterns, 0)
		}
	case *syntax.TestClause:
		p.test(node.X)
	}
	return true
}

// name adds the span of the name of a function or of a variable of a loop.
func (p *parsedWords) name(lit *syntax.Lit) {
	if lit != nil {
		p.add(lit.Pos(), lit.End(), 0)
	}
}

// all adds the spans of several nodes.
func all[N syntax.Node](p *parsedWords, nodes []N, command int) {
	for _, node := range nodes {
		p.add(node.Pos(), node.End(), command)
	}
}

func (p *parsedWords) test(expr syntax.TestExpr) {
	switch expr := expr.(type) {
	case *syntax.Word:
		p.word(expr, 0)
	case *syntax.UnaryTest:
		p.add(expr.OpPos, after(expr.OpPos, len(expr.Op.String())), 0)
		p.test(expr.X)
	case *syntax.BinaryTest:
		p.test(expr.X)
		if op := expr.Op.String(); !ReservedWord(op) {
			p.add(expr.OpPos, after(expr.OpPos, len(op)), 0)
		}
		p.test(expr.Y)
	case *syntax.ParenTest:
		p.test(expr.X)
	}
}

func after(pos syntax.Pos, n int) syntax.Pos {
	return syntax.NewPos(pos.Offset()+uint(n), pos.Line(), pos.Col()+uint(n))
}
