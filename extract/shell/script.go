package shell

import (
	"errors"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/effect"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// scriptText is a text that a shell runs, in the state in which it begins.
type scriptText struct {
	w  *walker
	st *state.State
}

// script explains text as the shell named by program would read it.
func (w *walker) script(st *state.State, text, program string) {
	outer := w.Dialect
	defer func() { w.Dialect = outer }()
	known := false
	if w.Dialect, known = lexical.DialectOf(program, w.Options.Platform); !known || w.Zsh && guard.ZshOnly(text) || w.Posix && guard.WideNames(text) {
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
func (s scriptText) parse(text string) {
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
func (s scriptText) file(file *syntax.File) {
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
func (s scriptText) lines(list []*syntax.Stmt) {
	outer := s.w.aborted
	defer func() { s.w.aborted = outer }()
	s.w.aborted = nil
	st, last := s.st, uint(0)
	for _, stmt := range list {
		if line := stmt.Pos().Line(); s.w.aborted != nil && line > last {
			st = state.Join(st, s.w.aborted)
		}
		st = state.Join(s.w.stmt(st, stmt))
		last = stmt.End().Line()
	}
}

// uncalled walks the functions that the line defines and never calls: they stay
// behind in a shell that goes on. Their bodies may define more of them.
func (s scriptText) uncalled() {
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
func (s scriptText) unwalked(file *syntax.File) {
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

// maxOpened bounds how many bytes are parsed again, brackets and reserved words taken off
// one by one.
const maxOpened = 128 << 10

// opened walks what stands behind the brackets and the reserved words that a line begins
// with, where the parser gave it up for something further on: of a line without them the
// statements in front are known, and they are no way to hide them.
func (s scriptText) opened(parser *tree.Parser, text string, file *syntax.File, err error) {
	for left := maxOpened - len(text); left > 0; left -= len(text) {
		rest := text
		if file != nil && len(file.Stmts) > 0 {
			var fault syntax.ParseError
			if !errors.As(err, &fault) || fault.Pos.Offset() >= uint(len(text)) {
				return
			}
			rest = text[fault.Pos.Offset():]
		}
		behind, opens := lexical.BehindOpening(rest)
		if !opens {
			return
		}
		text = behind
		// What is wrong with the rest is wrong with the line, and that is said.
		if file, err = parser.Parse(text); file != nil {
			s.lines(file.Stmts)
		}
	}
}

// fragments reports what a line that the parser gave up on may run, piece by
// piece, so that deny rules see what it names. It returns what it reported.
func (s scriptText) fragments(text string) (told v1.Set) {
	for segment := range strings.FieldsFuncSeq(text, lexical.SeparatesCommands) {
		fields := lexical.Fields(segment)
		for len(fields) > 1 && (strings.Contains(fields[0], "=") || guard.ReservedWord(fields[0])) {
			fields = fields[1:]
		}
		if len(fields) == 0 {
			continue
		}
		told.Add(strings.Join(fields, " "))
		if !s.emitFragment(fields, len(fields)-lexical.RedirectionFields(segment)) {
			break
		}
	}
	return told
}

// quotedFragments reports what fragments does not: the commands behind redirections and
// assignments, and those of which quotes are a part.
func (s scriptText) quotedFragments(text string, told v1.Set) {
	for _, cut := range []func(string, int) int{lexical.FragmentEnd, lexical.QuotedFragmentEnd} {
		for at := 0; at < len(text); {
			end := cut(text, at)
			words, targets := lexical.FragmentWords(text[at:end])
			fields := slices.Concat(words, targets)
			at = end + 1
			key := strings.Join(lexical.Fields(strings.Join(fields, " ")), " ")
			if len(words) == 0 || told.Has(key) {
				continue
			}
			told.Add(key)
			if !s.emitFragment(fields, len(words)) {
				return
			}
		}
	}
}

// emitFragment reports one piece, whose first own words are not those of redirections,
// and says whether there may be more.
func (s scriptText) emitFragment(fields []string, own int) bool {
	if !s.w.count(len(fields)) || len(s.w.line.Commands) >= maxCommands {
		return false
	}
	own = max(own, 1)
	s.w.emit(s.fragment(fields, own))
	if at := slices.IndexFunc(fields[1:], tells); at >= 0 && s.w.starts(fields[0]) {
		s.w.emit(s.fragment(fields[1+at:], max(own-1-at, 1)))
	}
	return true
}

// starts reports whether a program is there to start the one that its words name.
func (s *surroundings) starts(name string) bool {
	program := s.table.Program(name)
	return program != nil && (program.Wrapper != "" || program.RunsAnything)
}

// tells reports whether deny rules look for a program by its name.
func tells(name string) bool {
	name = path.Base(name)
	return printsVariables(name) || argv.IsOwn(name)
}

func printsVariables(name string) bool {
	return effect.Declares(name) || slices.Contains([]string{"env", "printenv", "set"}, name)
}

// fragment is what a piece may run. own is how many of its words stand before a redirection.
func (s scriptText) fragment(fields []string, own int) command.Command {
	c := s.w.newCommand(s.st, clip(fields[0]), nil)
	c.Caveats.Add("unknown_program")
	name := path.Base(fields[0])
	switch {
	case printsVariables(name) && printsAll(name, fields[1:own]):
		c.Caveats.Add("reads_environment")
	case argv.IsOwn(name):
		c.Caveats.Add("own_program")
	}
	e := effectsOf(s.w, s.st, &c)
	for _, field := range fields {
		e.AnyPath(expansion.Word{Kind: expansion.Literal, Text: field})
		if _, name, ok := strings.Cut(field, "$"); ok {
			name = strings.TrimLeft(name, "{")
			end := strings.IndexFunc(name, func(r rune) bool { return !strings.ContainsRune(value.NameBytes, r) })
			if end < 0 {
				end = len(name)
			}
			c.Variables = append(c.Variables, name[:end])
		}
	}
	return c
}

// printsAll reports whether nothing keeps a program that prints variables from printing
// them all, or whether it is told to. What stands behind a comment's sign may be a comment.
func printsAll(program string, words []string) bool {
	if comment := slices.IndexFunc(words, func(word string) bool { return word[0] == '#' }); comment >= 0 {
		words = words[:comment]
	}
	return slices.Contains(words, "-p") ||
		!slices.ContainsFunc(words, func(word string) bool { return settles(program, word) })
}

// settles reports whether a word behind a program that prints variables keeps it from
// printing them all, and is certain to be there when it runs.
func settles(program, word string) bool {
	switch {
	case strings.ContainsAny(word, "$*?[]@!+\\"):
		return false
	case word[0] == '-':
		return program == "set"
	case strings.Contains(word, "="):
		return program != "env"
	}
	return true
}

// A line stays messy where a builtin runs text, where a shell reads its script from
// standard input, and where the walk has no words for what an expansion stands in. What
// is known to run there is walked all the same, so that deny rules see the commands in it.

// textOptions are options of builtins whose values are commands, or expanded as text.
var textOptions = map[string]string{"mapfile": "-C", "readarray": "-C", "compgen": "-C-W", "complete": "-C-W", "bind": "-x", "fc": "-e"}

// runText walks a builtin that runs what its words say.
func (i simpleCommand) runText() {
	i.w.messy(guard.MessyBuiltin)
	name, args := i.argv[0].Text, i.args()
	i.guess(name, args)
	inner := innerText{w: i.w, st: i.st.WithoutFunctions()}
	switch name {
	case "eval":
		inner.ranText(args...)
	case "trap":
		if args = behindDashes(args); len(args) > 0 {
			inner.ranText(args[0])
		}
	case "exec":
		inner.ranProgram(behindExecOptions(args))
	case "jobs":
		if len(args) > 1 && args[0].Is("-x") {
			inner.ranProgram(args[1:])
		}
	case ".", "source":
		if len(args) > 0 && slices.Contains(standardInputs, args[0].Text) {
			inner.ranInput(i.w.Program())
		}
	default:
		for at := 1; at < len(args); at++ {
			if args[at-1].IsOption() && strings.Contains(textOptions[name], args[at-1].Text) {
				inner.ranText(args[at])
			}
		}
	}
}

// behindExecOptions are the words of the command that exec runs.
func behindExecOptions(args []expansion.Word) []expansion.Word {
	for len(args) > 0 && args[0].IsOption() {
		skipped := 1
		if strings.HasSuffix(args[0].Text, "a") {
			skipped = 2 // with the name that the program is given
		}
		args = args[min(skipped, len(args)):]
	}
	return args
}

func behindDashes(args []expansion.Word) []expansion.Word {
	if len(args) > 0 && args[0].Is("--") {
		return args[1:]
	}
	return args
}

// innerText is text in a line that a command runs, in the state in which it begins.
type innerText struct {
	w  *walker
	st *state.State
}

// ranText walks words that a builtin joins to a text and runs, where they are known.
func (t innerText) ranText(words ...expansion.Word) {
	text := make([]string, 0, len(words))
	for _, word := range behindDashes(words) {
		if word.Kind != expansion.Literal {
			return
		}
		text = append(text, word.Text)
	}
	t.w.nested(func() { t.w.script(t.st, strings.Join(text, " "), t.w.Program()) })
}

// ranProgram walks the command that a builtin becomes.
func (t innerText) ranProgram(argv []expansion.Word) {
	if len(argv) > 0 {
		t.w.nested(func() { t.w.argv(t.st, t.st, argv, nil) })
	}
}

// nested walks text in text, no deeper than programs in programs.
func (w *walker) nested(walk func()) {
	if w.depth++; w.depth <= maxDepth {
		walk()
	} else {
		w.messy(guard.MessyNesting)
	}
	w.depth--
}

// standardInputs are names of standard input that a shell reads a script from.
var standardInputs = []string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"}

// ranInput walks what a shell reads from standard input as a script, where it is known.
func (t innerText) ranInput(dialect string) {
	text := t.w.text
	if text == "" {
		return
	}
	t.w.text = ""
	t.w.nested(func() { t.w.script(t.st, text, dialect) })
	t.w.text = text
}

// readsScript reports whether a shell reads its script from standard input.
func (v *run) readsScript() bool {
	words := v.Args.Words
	for len(words) > 0 && words[0].IsOption() {
		if !strings.HasPrefix(words[0].Text, "--") && strings.Contains(words[0].Text, "s") {
			return true
		}
		words = words[1:]
	}
	return len(words) == 0 || words[0].Kind == expansion.Literal && slices.Contains(standardInputs, words[0].Text)
}

// spoken is the text that a command prints which only prints its words, or what it reads.
func (s *streams) spoken(dialect lexical.Dialect, stmt *syntax.Stmt) string {
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
	case "echo":
		return printedWords(call.Args[1:], " ", dialect.Posix || len(call.Args) > 1 && strings.HasPrefix(call.Args[1].Lit(), "-"))
	case "printf":
		if len(call.Args) > 1 { // what stands behind the format is most often one line each
			return printedWords(call.Args[1:2], "\n", true) + printedWords(call.Args[2:], "\n", false)
		}
	}
	return ""
}

// printedWords are words with a separator behind each, and with what their backslashes mean.
func printedWords(words []*syntax.Word, separator string, escaped bool) string {
	var text strings.Builder
	for _, word := range words {
		plain := tree.Text(word)
		if decoded, ok := lexical.DecodeANSI(plain); escaped && ok {
			plain = decoded
		}
		text.WriteString(plain + separator)
	}
	return text.String()
}

// inside notes a substitution that is being walked.
func (n *nesting) inside(list []*syntax.Stmt) {
	if len(list) > 0 {
		n.walked = append(n.walked, list[0])
	}
}
