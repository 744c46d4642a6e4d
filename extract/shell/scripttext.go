package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/argv"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
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
			s.w.fragments(st, text) // still too deep to be parsed at all
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
		defer s.w.fragments(s.st, text) // behind all that crowds nothing out
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
				s.w.fragments(s.st, node.Pattern.Value)
			}
		}
		if len(inside) > 0 && !slices.Contains(s.w.walked, inside[0]) {
			s.w.stmts(s.st, inside)
		}
		return true
	})
}

// Text that isn't parsed makes a line messy: what the parser gave up, and what builtins and shells run
// as text. It is cut into fragments, so that deny rules see the paths and the variables in it.

// fragments reports the fragments of a text. In a comment a backslash continues no line.
func (w *walker) fragments(st *state, text string) {
	if continued := strings.ReplaceAll(text, "\\\n", ""); continued != text {
		defer w.fragments(st, continued)
	}
	for f := range lexical.Fragments(text) {
		if !w.count(len(f.Words)) || len(w.line.Commands) >= maxCommands {
			return
		}
		w.emit(w.fragment(st, &f))
	}
}

func (w *walker) fragment(st *state, f *lexical.Fragment) Command {
	c := w.newCommand(st, clip(f.Words[0]), nil)
	c.Caveats.Add("unknown_program")
	program := w.table.Program(f.Words[0])
	anywhere := f.Led || program != nil && (program.Wrapper != "" || program.RunsAnything)
	e := effects{w: w, c: &c, st: st}
	for i, word := range f.Words {
		if i == 0 || anywhere {
			name := path.Base(word)
			if argv.IsOwn(name) {
				c.Caveats.Add("own_program")
			}
			if printsAll(name, f.Words[i+1:]) {
				c.Caveats.Add("reads_environment")
			}
		}
		if word != ">" {
			e.AnyPath(Word{Kind: Literal, Text: word})
		}
		if _, name, ok := strings.Cut(word, "$"); ok {
			end := strings.IndexFunc(name+" ", func(r rune) bool { return !strings.ContainsRune(value.NameBytes, r) })
			c.Variables = append(c.Variables, name[:end])
		}
	}
	return c
}

// printsAll reports whether a program prints all variables, unless the words behind it keep it from
// that: a name, or a command to run.
func printsAll(program string, words []string) bool {
	if !declares(program) && !slices.Contains([]string{"env", "printenv", "set"}, program) {
		return false
	}
	end := slices.IndexFunc(words, func(word string) bool { return word == ">" || word[0] == '#' })
	if end >= 0 {
		words = words[:end]
	}
	return slices.Contains(words, "-p") || !slices.ContainsFunc(words, func(word string) bool {
		if strings.ContainsAny(word, "$*?[]@!+") {
			return false
		}
		if word[0] == '-' || strings.Contains(word, "=") {
			return program == "set" || program != "env" && word[0] != '-'
		}
		return !lexical.IsDigits(word)
	})
}

// runText reports a builtin that runs what its words say, or what it reads.
func (i simpleCommand) runText() {
	i.w.messy(guard.MessyBuiltin)
	name, args := i.argv[0].Text, i.args()
	i.guess(name, args)
	separator := "\n"
	if name == "eval" || name == "exec" {
		separator = " "
	}
	var text []string
	for _, word := range args {
		if word.Kind == Literal {
			text = append(text, word.Text)
		}
	}
	i.w.fragments(i.st, strings.Join(text, separator))
	if name == "." || name == "source" {
		i.w.fragments(i.st, i.w.text)
	}
}

// readsScript reports whether a shell reads its script from standard input.
func (v invocation) readsScript() bool {
	words := v.args.Words
	for len(words) > 0 && words[0].isOption() {
		if !strings.HasPrefix(words[0].Text, "--") && strings.Contains(words[0].Text, "s") {
			return true
		}
		words = words[1:]
	}
	return len(words) == 0 || isStream(words[0])
}

// printedText is the text that a command prints which only prints its words, or what it reads.
func (s *streams) printedText(stmt *syntax.Stmt) string {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(call.Args) == 0 {
		return ""
	}
	switch call.Args[0].Lit() {
	case "cat":
		if slices.ContainsFunc(stmt.Redirs, tree.SetsStdin) {
			return tree.StdinText(stmt.Redirs)
		}
		return s.text
	case "echo", "printf":
		var text strings.Builder
		for _, word := range call.Args[1:] {
			plain := tree.Text(word)
			if decoded, ok := lexical.DecodeANSI(plain); ok {
				plain = decoded
			}
			text.WriteString(plain + "\n")
		}
		return text.String()
	}
	return ""
}

// inside notes a substitution that is being walked.
func (n *nesting) inside(list []*syntax.Stmt) {
	if len(list) > 0 {
		n.walked = append(n.walked, list[0])
	}
}
