package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// stmts walks a list of statements, each run whatever became of the last.
func (w *walker) stmts(st *state.State, list []*syntax.Stmt) (ok, fail *state.State) {
	ok, fail = st, st
	last := uint(0)
	for _, stmt := range list {
		st := state.Join(ok, fail)
		// bash gives up the whole of a compound command, so that nothing in it
		// follows. That its lines are read as those of a script are is stricter, and
		// keeps a line from being judged otherwise in braces.
		if line := stmt.Pos().Line(); w.aborted != nil && last > 0 && line > last {
			st = state.Join(st, w.aborted)
		}
		ok, fail = w.stmt(st, stmt)
		last = stmt.End().Line()
	}
	return ok, fail
}

// stmt walks one statement and returns what holds when it succeeded and when
// it failed.
func (w *walker) stmt(st *state.State, stmt *syntax.Stmt) (ok, fail *state.State) {
	if w.steps++; w.steps > maxSteps {
		w.messy(guard.MessyLimits) // loops in loops, walked round by round
		return st, st
	}
	defer w.begin(stmt)()
	if stmt.Coprocess || stmt.Disown {
		w.messy(guard.MessyCoprocess)
	}
	redirs := w.redirections(st, stmt.Redirs)
	if tree.AssignsBeforeRedirecting(stmt) {
		w.messy(guard.MessyRedirection)
	}
	ownInput := slices.ContainsFunc(stmt.Redirs, tree.SetsStdin)
	if ownInput {
		in, text := w.in, w.text
		w.in, w.text = stream.Lines{}, tree.StdinText(stmt.Redirs)
		if len(stmt.Redirs) == 1 && tree.ReadsSubstitution(stmt.Redirs[0]) {
			w.in = w.substituted // done < <(find …)
		} else if len(stmt.Redirs) == 1 {
			w.in = writtenLines(st, stmt.Redirs[0])
		}
		defer func() { w.in, w.text = in, text }()
	}
	fallible := w.mayFail(st, stmt.Redirs)
	if ownInput && !slices.ContainsFunc(stmt.Redirs, tree.SharesStdin) {
		w.sharing(func() { ok, fail = compound{w: w, st: st}.command(stmt.Cmd, redirs) })
	} else {
		ok, fail = compound{w: w, st: st}.command(stmt.Cmd, redirs)
	}
	if fallible {
		fail = state.Join(fail, st) // nothing of the command has run then
	}
	if stmt.Background {
		return st, st
	}
	if stmt.Negated {
		return fail, ok
	}
	return ok, fail
}

// sequence counts the steps of a line: the statements at its top that run one after the other. What runs within
// one of them, in a loop, a function or a pipe, runs in the same step.
type sequence struct {
	step int
	// within is how many statements surround the one that is walked, beside how many of them run beside what follows.
	within, beside int
}

// begin begins a statement and returns what ends it.
func (s *sequence) begin(stmt *syntax.Stmt) (end func()) {
	if s.within == 0 {
		s.step++
	}
	list, isList := stmt.Cmd.(*syntax.BinaryCmd)
	inTurn := s.within == 0 && isList && (list.Op == syntax.AndStmt || list.Op == syntax.OrStmt) && !stmt.Background
	if !inTurn {
		s.within++
	}
	if stmt.Background {
		s.beside++
	}
	return func() {
		if !inTurn {
			s.within--
		}
		if stmt.Background {
			s.beside--
		}
	}
}

// current is the step of the command that is walked.
func (s *sequence) current() int {
	if s.beside > 0 {
		return command.AnyStep
	}
	return s.step
}

// compound is a command of the syntax that is walked in a state.
type compound struct {
	w  *walker
	st *state.State
}

// command walks a command with the accesses that its redirections make.
func (c compound) command(cmd syntax.Command, redirs []command.Access) (ok, fail *state.State) {
	if call, isCall := cmd.(*syntax.CallExpr); isCall {
		return c.w.call(c.st, call, redirs)
	}
	if len(redirs) > 0 || cmd == nil {
		// The redirections of a compound command are made by the shell itself.
		c.w.emit(c.w.newCommand(c.st, ":", redirs))
	}
	switch cmd := cmd.(type) {
	case *syntax.BinaryCmd:
		return c.binary(cmd)
	case *syntax.Block:
		return c.w.stmts(c.st, cmd.Stmts)
	case *syntax.IfClause:
		return c.ifClause(cmd)
	case *syntax.ForClause:
		return c.forClause(cmd)
	case *syntax.WhileClause:
		return c.whileClause(cmd)
	case *syntax.CaseClause:
		return c.caseClause(cmd)
	case *syntax.DeclClause:
		return c.declaration(cmd)
	case *syntax.TimeClause:
		return c.timed(cmd)
	}
	next := c.single(cmd)
	return next, next
}

// single walks a command behind which one state holds, whether it succeeds or fails.
func (c compound) single(cmd syntax.Command) *state.State {
	switch cmd := cmd.(type) {
	case nil:
		if c.w.Zsh {
			c.w.messy(guard.MessyRedirection) // it runs what $NULLCMD and $READNULLCMD name
		}
	case *syntax.Subshell:
		c.w.stmts(c.st, cmd.Stmts)
	case *syntax.TestClause:
		c.testClause(cmd)
	case *syntax.ArithmCmd:
		return (&arithmetic{w: c.w, st: c.st}).command("((", cmd.X)
	case *syntax.LetClause:
		return (&arithmetic{w: c.w, st: c.st}).command("let", cmd.Exprs...)
	case *syntax.FuncDecl:
		return c.define(cmd)
	case *syntax.CoprocClause:
		// The facts have no words for it. Deny rules see the commands inside.
		c.w.messy(guard.MessyCoprocess)
		if cmd.Stmt != nil {
			c.w.stmt(c.st, cmd.Stmt)
		}
	default:
		c.w.messy(guard.MessyControlFlow)
	}
	return c.st
}

// timed walks time. If it is a program, it runs others, and changes nothing of this shell.
func (c compound) timed(cmd *syntax.TimeClause) (ok, fail *state.State) {
	if cmd.Stmt == nil {
		return c.st, c.st
	}
	stmt := c.behindOptions(cmd.Stmt)
	if stmt == nil {
		return c.st, c.st
	}
	ok, fail = c.w.stmt(c.st, stmt)
	if (c.w.Posix || c.w.Zsh) && state.Changed(c.st, state.Join(ok, fail)) {
		c.w.messy(guard.MessyDialect)
	}
	return ok, fail
}

// behindOptions is the statement that time runs if it begins with what the parser takes for the name
// of a command. bash takes "--" for the end of options, and what follows for a command of any kind;
// other shells take time for the program if an option follows. It is nil if nothing is left.
func (c compound) behindOptions(stmt *syntax.Stmt) *syntax.Stmt {
	call, isCall := stmt.Cmd.(*syntax.CallExpr)
	if !isCall || len(call.Assigns) > 0 || len(call.Args) == 0 || !strings.HasPrefix(tree.LeadingText(call.Args[0]), "-") {
		return stmt
	}
	words := call.Args
	switch {
	case c.w.Posix:
		words = slices.Insert(slices.Clone(words), 0, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "time"}}})
	case words[0].Lit() != "--":
		return stmt
	default:
		words = c.behindDashes(words[1:])
	}
	if len(words) == 0 {
		return nil
	}
	behind := *stmt
	behind.Cmd = &syntax.CallExpr{Args: words}
	return &behind
}

// behindDashes are the words of a simple command without what can be an assignment, or a reserved word
// that begins a command of another kind.
func (c compound) behindDashes(words []*syntax.Word) []*syntax.Word {
	if c.w.Zsh || len(words) == 0 || !value.IsName(words[0].Lit()) || guard.ReservedWord(words[0].Lit()) {
		c.w.messy(guard.MessyDisagreement)
	}
	for len(words) > 0 && (strings.Contains(tree.LeadingText(words[0]), "=") || guard.ReservedWord(words[0].Lit())) {
		words = words[1:]
	}
	return words
}

func (c compound) binary(cmd *syntax.BinaryCmd) (ok, fail *state.State) {
	switch cmd.Op {
	case syntax.AndStmt:
		ok, fail = c.w.stmt(c.st, cmd.X)
		okY, failY := c.w.stmt(ok, cmd.Y)
		return okY, state.Join(fail, failY)
	case syntax.OrStmt:
		ok, fail = c.w.stmt(c.st, cmd.X)
		okY, failY := c.w.stmt(fail, cmd.Y)
		return state.Join(ok, okY), failY
	case syntax.Pipe, syntax.PipeAll:
		if cmd.Op == syntax.PipeAll && c.w.Posix {
			c.w.messy(guard.MessyDialect)
		}
		okY, failY := c.pipe(cmd)
		// zsh and ksh run the last element in the shell itself, and ksh may be what sh
		// is; bash does with lastpipe, which a person may have set.
		return state.Join(c.st, okY), state.Join(c.st, failY)
	}
	c.w.messy(guard.MessyControlFlow)
	return c.st, c.st
}

// pipe walks both ends of a pipe, the second with what the first prints.
func (c compound) pipe(cmd *syntax.BinaryCmd) (ok, fail *state.State) {
	in, text := c.w.in, c.w.text
	first := newCapture(c.w, in)
	c.w.stmt(c.st, cmd.X)
	printed := c.w.piped
	if !tree.IsPipe(cmd.X) {
		printed = first.printed(cmd.X)
	}
	if cmd.Op == syntax.PipeAll {
		printed = stream.Lines{} // error messages are no names
	}
	if c.w.Zsh && slices.ContainsFunc(cmd.Y.Redirs, tree.SetsStdin) {
		c.w.messy(guard.MessyRedirection) // it reads the pipe as well, one after the other
	}
	c.w.in, c.w.text = printed, c.w.spoken(c.w.Dialect, cmd.X)
	second := newCapture(c.w, printed)
	c.w.sharing(func() { ok, fail = c.w.stmt(c.st, cmd.Y) })
	c.w.text = text
	c.w.in, c.w.piped = in, second.printed(cmd.Y)
	return ok, fail
}

// capture reads what a statement prints that is walked behind it.
type capture struct {
	w *walker
	// from is the index of the first command of the statement, calls how often functions were called
	// before it, and in what it gets on standard input.
	from, calls int
	in          stream.Lines
}

func newCapture(w *walker, in stream.Lines) capture {
	return capture{w: w, from: len(w.line.Commands), calls: w.calls, in: in}
}

// printed is what a statement prints, if that is known: not if it isn't the output of a
// simple command, or if errors are among it.
func (c *capture) printed(stmt *syntax.Stmt) stream.Lines {
	if _, simple := stmt.Cmd.(*syntax.CallExpr); !simple || c.w.calls != c.calls || slices.ContainsFunc(stmt.Redirs, tree.MixesOutput) {
		return stream.Lines{}
	}
	in := c.in
	input := slices.ContainsFunc(stmt.Redirs, tree.SetsStdin)
	if input {
		in = stream.Lines{}
	}
	commands, lister := c.w.line.Commands[c.from:], c.w.lister()
	if len(commands) == 1 {
		if lines := lister.Numbers(stmt, &commands[0], in); lines.Known() {
			return lines
		}
	}
	if input {
		return stream.Lines{}
	}
	return lister.Names(commands, in)
}

// printing walks the commands of a substitution, and returns what they print as a stream.
func (x *expander) printing(list []*syntax.Stmt) stream.Lines {
	in, piped := x.w.in, x.w.piped
	x.w.in, x.w.piped = stream.Lines{}, stream.Lines{}
	c := newCapture(x.w, stream.Lines{})
	x.w.stmts(x.st, list)
	out := x.w.piped
	if len(list) != 1 {
		out = stream.Lines{}
	} else if !tree.IsPipe(list[0]) {
		out = c.printed(list[0])
	}
	x.w.in, x.w.piped = in, piped
	return out
}

func (c compound) ifClause(cmd *syntax.IfClause) (ok, fail *state.State) {
	if len(cmd.Cond) == 0 { // a plain else
		return c.w.stmts(c.st, cmd.Then)
	}
	yes, no := c.w.stmts(c.st, cmd.Cond)
	ok, fail = c.w.stmts(yes, cmd.Then)
	if cmd.Else == nil {
		return state.Join(ok, no), state.Join(fail, no)
	}
	okElse, failElse := compound{w: c.w, st: no}.ifClause(cmd.Else)
	return state.Join(ok, okElse), state.Join(fail, failElse)
}

func (c compound) caseClause(cmd *syntax.CaseClause) (ok, fail *state.State) {
	subject := c.w.words(c.st, cmd.Word)
	out := c.st
	for _, item := range cmd.Items {
		for _, pattern := range item.Patterns {
			texts := c.w.words(c.st, pattern)
			for i := range texts {
				c.w.chosen(subject, texts[i])
			}
		}
		if item.Op != syntax.Break {
			c.w.messy(guard.MessyControlFlow)
		}
		ok, fail = c.w.stmts(c.st, item.Stmts)
		out = state.Join(out, state.Join(ok, fail))
	}
	return out, out
}

// newCommand begins a command in the state's surroundings.
func (r *report) newCommand(st *state.State, verb string, redirs []command.Access) command.Command {
	return st.Command(verb, redirs, slices.Contains(r.table.Words.Printing.IndifferentVerbs, verb))
}

// writtenLines are the names that a here-document lists, one a line.
func writtenLines(st *state.State, r *syntax.Redirect) stream.Lines {
	if r.Op != syntax.Hdoc || r.N != nil || r.Hdoc == nil || !st.Cwd.Single() {
		return stream.Lines{}
	}
	lines := strings.Split(strings.TrimSuffix(r.Hdoc.Lit(), "\n"), "\n")
	if slices.ContainsFunc(lines, func(line string) bool { return !lexical.IsOneWord(line, "") }) {
		return stream.Lines{}
	}
	return stream.NameLines(stream.NewWritten(st.Cwd.Known[0], lines...))
}
