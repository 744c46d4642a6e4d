package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
)

// scriptText is a text that a shell runs, in the state in which it begins.
type scriptText struct {
	w  *walker
	st *state
}

// script explains text as the shell named by program would read it.
func (w *walker) script(st *state, text, program string) {
	outer := w.Dialect
	defer func() { w.Dialect = outer }()
	known := false
	if w.Dialect, known = lexical.DialectOf(program, w.options.Platform); !known || w.Zsh && guard.ZshOnly(text) || w.Posix && guard.WideNames(text) {
		w.messy(guard.MessyDialect) // ksh takes more for a name
	}
	s := scriptText{w: w, st: st}
	if code := guard.Bytes(text); code != "" {
		w.messy(code)
		text = guard.VisibleOnly(text)
		if guard.Bytes(text) != "" {
			s.quotedFragments(text, s.fragments(text)) // still too deep to be parsed at all
			return
		}
	}
	s.parse(text)
}

// parse walks a text that passed the byte gate.
func (s *scriptText) parse(text string) {
	parser := tree.NewParser()
	defer parser.Release()
	file, err := parser.Parse(text)
	if err != nil {
		s.w.messy(guard.MessyParse)
		reported := s.fragments(text)
		s.opened(parser, text, file, err)
		defer s.quotedFragments(text, reported) // behind all that crowds nothing out
	}
	if file == nil {
		return
	}
	if code := guard.CrossCheck(text, file); code != "" {
		s.w.messy(code)
	}
	if s.w.Zsh && !guard.ZshComments(text, file) || s.w.OldBash && guard.NewSubstitutions(text, file) {
		s.w.messy(guard.MessyDialect)
	}
	s.file(file)
}

// file walks a script that was parsed.
func (s *scriptText) file(file *syntax.File) {
	called, outer := s.w.called, s.w.file
	s.w.called, s.w.file = nil, file
	s.lines(file.Stmts)
	if len(s.w.line.Messy) > 0 {
		s.unwalked(file)
	}
	s.uncalled()
	s.w.called, s.w.file = called, outer
}

// lines walks the statements of a script. One that begins a line can follow on any that was given up
// before.
func (s *scriptText) lines(list []*syntax.Stmt) {
	outer := s.w.aborted
	defer func() { s.w.aborted = outer }()
	s.w.aborted = nil
	st, last := s.st, uint(0)
	for _, stmt := range list {
		if line := stmt.Pos().Line(); s.w.aborted != nil && line > last {
			st = join(st, s.w.aborted)
		}
		st = join(s.w.stmt(st, stmt))
		last = stmt.End().Line()
	}
}

// uncalled walks the functions that the line defines and never calls: they stay
// behind in a shell that goes on. Their bodies may define more of them.
func (s *scriptText) uncalled() {
	for {
		var first *syntax.FuncDecl
		for decl, called := range s.w.called {
			if !called && (first == nil || decl.Pos().Offset() < first.Pos().Offset()) {
				first = decl
			}
		}
		if first == nil {
			break
		}
		s.w.called[first] = true
		s.w.messy(guard.MessyFunction)
		s.w.stmt(s.st, first.Body)
	}
}

// unwalked walks the substitutions of a messy script that the walk came by without a look
// at their commands: in subscripts, in the bodies of here-documents, where a parameter is
// cut. st is the state in which the script began.
func (s *scriptText) unwalked(file *syntax.File) {
	syntax.Walk(file, func(node syntax.Node) bool {
		var inside []*syntax.Stmt
		switch node := node.(type) {
		case *syntax.CmdSubst:
			inside = node.Stmts
		case *syntax.ProcSubst:
			inside = node.Stmts
		case *syntax.ExtGlob:
			if node.Op == syntax.GlobExcept || strings.ContainsAny(node.Pattern.Value, "$`") {
				// Where bash knows no such patterns it runs what stands in the brackets.
				s.quotedFragments(node.Pattern.Value, nil)
			}
		}
		if len(inside) > 0 && !slices.Contains(s.w.walked, inside[0]) {
			s.w.stmts(s.st, inside)
		}
		return true
	})
}
