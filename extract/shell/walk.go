package shell

import (
	"path"
	"slices"
	"strings"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"

	"mvdan.cc/sh/v3/syntax"
)

// stmts walks a list of statements, each run whatever became of the last.
func (w *walker) stmts(st *state, list []*syntax.Stmt) (ok, fail *state) {
	ok, fail = st, st
	last := uint(0)
	for _, stmt := range list {
		st := join(ok, fail)
		// bash gives up the whole of a compound command, so that nothing in it
		// follows. That its lines are read as those of a script are is stricter, and
		// keeps a line from being judged otherwise in braces.
		if line := stmt.Pos().Line(); w.aborted != nil && last > 0 && line > last {
			st = join(st, w.aborted)
		}
		ok, fail = w.stmt(st, stmt)
		last = stmt.End().Line()
	}
	return ok, fail
}

// stmt walks one statement and returns what holds when it succeeded and when
// it failed.
func (w *walker) stmt(st *state, stmt *syntax.Stmt) (ok, fail *state) {
	if w.steps++; w.steps > maxSteps {
		w.messy(guard.MessyLimits) // loops in loops, walked round by round
		return st, st
	}
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
		w.in, w.text = nil, tree.StdinText(stmt.Redirs)
		if len(stmt.Redirs) == 1 && tree.ReadsSubstitution(stmt.Redirs[0]) {
			w.in = w.substituted // done < <(find …)
		} else if len(stmt.Redirs) == 1 {
			w.in = writtenNames(st, stmt.Redirs[0])
		}
		defer func() { w.in, w.text = in, text }()
	}
	fallible := w.mayFail(st, stmt.Redirs)
	if ownInput && !slices.ContainsFunc(stmt.Redirs, tree.SharesStdin) {
		w.sharing(func() { ok, fail = w.command(st, stmt.Cmd, redirs) })
	} else {
		ok, fail = w.command(st, stmt.Cmd, redirs)
	}
	if fallible {
		fail = join(fail, st) // nothing of the command has run then
	}
	if stmt.Background {
		return st, st
	}
	if stmt.Negated {
		return fail, ok
	}
	return ok, fail
}

// command walks a command with the accesses that its redirections make.
func (w *walker) command(st *state, cmd syntax.Command, redirs []Access) (ok, fail *state) {
	if call, isCall := cmd.(*syntax.CallExpr); isCall {
		return w.call(st, call, redirs)
	}
	if len(redirs) > 0 || cmd == nil {
		// The redirections of a compound command are made by the shell itself.
		w.emit(w.newCommand(st, ":", redirs))
	}
	switch cmd := cmd.(type) {
	case nil:
		if w.Zsh {
			w.messy(guard.MessyRedirection) // it runs what $NULLCMD and $READNULLCMD name
		}
		return st, st
	case *syntax.BinaryCmd:
		return w.binary(st, cmd)
	case *syntax.Block:
		return w.stmts(st, cmd.Stmts)
	case *syntax.Subshell:
		w.stmts(st, cmd.Stmts)
		return st, st
	case *syntax.IfClause:
		return w.ifClause(st, cmd)
	case *syntax.ForClause:
		return w.forClause(st, cmd)
	case *syntax.WhileClause:
		return w.whileClause(st, cmd)
	case *syntax.CaseClause:
		return w.caseClause(st, cmd)
	case *syntax.TestClause:
		w.testClause(st, cmd)
		return st, st
	case *syntax.DeclClause:
		return w.declaration(st, cmd)
	case *syntax.ArithmCmd:
		st = w.expressions(st, "((", cmd.X)
		return st, st
	case *syntax.LetClause:
		st = w.expressions(st, "let", cmd.Exprs...)
		return st, st
	case *syntax.FuncDecl:
		st = w.define(st, cmd)
		return st, st
	case *syntax.TimeClause:
		return w.timed(st, cmd)
	}
	return w.unexplained(st, cmd)
}

// timed walks time. Where it is a program, it runs others, and changes nothing of
// this shell.
func (w *walker) timed(st *state, cmd *syntax.TimeClause) (ok, fail *state) {
	if cmd.Stmt == nil {
		return st, st
	}
	stmt := w.behindOptions(cmd.Stmt)
	if stmt == nil {
		return st, st
	}
	ok, fail = w.stmt(st, stmt)
	if (w.Posix || w.Zsh) && changed(st, join(ok, fail)) {
		w.messy(guard.MessyDialect)
	}
	return ok, fail
}

// behindOptions is the statement that time runs where it begins with what the parser takes
// for the name of a command: bash takes "--" for the end of options, and what stands behind
// it for a command of any kind; other shells take time for the program where an option
// stands behind it. It is nil where nothing is left.
func (w *walker) behindOptions(stmt *syntax.Stmt) *syntax.Stmt {
	call, isCall := stmt.Cmd.(*syntax.CallExpr)
	if !isCall || len(call.Assigns) > 0 || len(call.Args) == 0 || !strings.HasPrefix(tree.LeadingText(call.Args[0]), "-") {
		return stmt
	}
	words := call.Args
	switch {
	case w.Posix:
		words = slices.Insert(slices.Clone(words), 0, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "time"}}})
	case words[0].Lit() != "--":
		return stmt
	default:
		if words = words[1:]; w.Zsh || len(words) == 0 || !guard.IsName(words[0].Lit()) || guard.ReservedWord(words[0].Lit()) {
			w.messy(guard.MessyDisagreement)
		}
		for len(words) > 0 && (strings.Contains(tree.LeadingText(words[0]), "=") || guard.ReservedWord(words[0].Lit())) {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return nil
	}
	behind := *stmt
	behind.Cmd = &syntax.CallExpr{Args: words}
	return &behind
}

// unexplained walks into what the facts have no words for, so that deny rules
// see the commands inside.
func (w *walker) unexplained(st *state, cmd syntax.Command) (ok, fail *state) {
	switch cmd := cmd.(type) {
	case *syntax.CoprocClause:
		w.messy(guard.MessyCoprocess)
		if cmd.Stmt != nil {
			w.stmt(st, cmd.Stmt)
		}
	default:
		w.messy(guard.MessyControlFlow)
	}
	return st, st
}

func (w *walker) binary(st *state, cmd *syntax.BinaryCmd) (ok, fail *state) {
	switch cmd.Op {
	case syntax.AndStmt:
		ok, fail = w.stmt(st, cmd.X)
		okY, failY := w.stmt(ok, cmd.Y)
		return okY, join(fail, failY)
	case syntax.OrStmt:
		ok, fail = w.stmt(st, cmd.X)
		okY, failY := w.stmt(fail, cmd.Y)
		return join(ok, okY), failY
	case syntax.Pipe, syntax.PipeAll:
		if cmd.Op == syntax.PipeAll && w.Posix {
			w.messy(guard.MessyDialect)
		}
		okY, failY := w.pipe(st, cmd)
		// zsh and ksh run the last element in the shell itself, and ksh may be what sh
		// is; bash does with lastpipe, which a person may have set.
		return join(st, okY), join(st, failY)
	}
	w.messy(guard.MessyControlFlow)
	return st, st
}

// pipe walks both ends of a pipe, the second with what the first prints.
func (w *walker) pipe(st *state, cmd *syntax.BinaryCmd) (ok, fail *state) {
	in := w.in
	from, calls := len(w.line.Commands), w.calls
	w.stmt(st, cmd.X)
	printed := w.piped
	if !tree.IsPipe(cmd.X) {
		printed = w.printed(cmd.X, from, calls, in)
	}
	if cmd.Op == syntax.PipeAll {
		printed = nil // error messages are no names
	}
	if w.Zsh && slices.ContainsFunc(cmd.Y.Redirs, tree.SetsStdin) {
		w.messy(guard.MessyRedirection) // it reads the pipe as well, one after the other
	}
	text := w.text
	w.in, w.text = printed, w.spoken(cmd.X)
	from, calls = len(w.line.Commands), w.calls
	w.sharing(func() { ok, fail = w.stmt(st, cmd.Y) })
	w.text = text
	w.in, w.piped = in, w.printed(cmd.Y, from, calls, printed)
	return ok, fail
}

// printed is what a statement prints, as a feed. Anything but the plain output
// of a simple command (error messages among it, another input) is not a stream of
// names.
func (w *walker) printed(stmt *syntax.Stmt, from, calls int, in *feed) *feed {
	if _, simple := stmt.Cmd.(*syntax.CallExpr); !simple || w.calls != calls {
		return nil
	}
	input := false
	for _, r := range stmt.Redirs {
		input = input || tree.SetsStdin(r)
		if tree.MixesOutput(r) {
			return nil
		}
	}
	if input {
		in = nil
	}
	if lines := w.echoedNumber(stmt, from, in); lines != nil {
		return lines
	}
	if o, ok := w.stdout(stmt, from, in); ok {
		for _, lines := range [...]func(*stdout) *feed{(*stdout).numberLines, (*stdout).statusLines, (*stdout).dashlessLines} {
			if f := lines(&o); f != nil {
				return f
			}
		}
	}
	if input {
		return nil
	}
	return w.out(from, in)
}

// stdout is a simple command of which standard output is read.
type stdout struct {
	*report
	stmt *syntax.Stmt
	c    *Command
	// args are the texts of its words behind the name, nil if something in them is expanded.
	args []string
	in   *feed
}

// stdout returns the one command that a statement consists of and that was walked from an index on. It
// reports false for others, and for one that can do something else than its words say.
func (w *walker) stdout(stmt *syntax.Stmt, from int, in *feed) (stdout, bool) {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(w.line.Commands) != from+1 || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return stdout{}, false
	}
	c := &w.line.Commands[from]
	if c.Unknown || len(c.Dirs) != 1 || len(c.Caveats) > 0 || call.Args[0].Lit() != c.Program {
		return stdout{}, false
	}
	return stdout{report: &w.report, stmt: stmt, c: c, args: tree.LiteralTexts(call.Args[1:]), in: in}, true
}

// printing walks the commands of a substitution, and returns what they print as
// a feed.
func (w *walker) printing(st *state, list []*syntax.Stmt) *feed {
	in, piped := w.in, w.piped
	w.in, w.piped = nil, nil
	from, calls := len(w.line.Commands), w.calls
	w.stmts(st, list)
	out := w.piped
	if len(list) != 1 {
		out = nil
	} else if !tree.IsPipe(list[0]) {
		out = w.printed(list[0], from, calls, nil)
	}
	w.in, w.piped = in, piped
	return out
}

func (w *walker) ifClause(st *state, cmd *syntax.IfClause) (ok, fail *state) {
	if len(cmd.Cond) == 0 { // a plain else
		return w.stmts(st, cmd.Then)
	}
	yes, no := w.stmts(st, cmd.Cond)
	ok, fail = w.stmts(yes, cmd.Then)
	if cmd.Else == nil {
		return join(ok, no), join(fail, no)
	}
	okElse, failElse := w.ifClause(no, cmd.Else)
	return join(ok, okElse), join(fail, failElse)
}

func (w *walker) caseClause(st *state, cmd *syntax.CaseClause) (ok, fail *state) {
	subject := w.words(st, cmd.Word)
	out := st
	for _, item := range cmd.Items {
		for _, pattern := range item.Patterns {
			texts := w.words(st, pattern)
			for i := range texts {
				w.chosen(subject, texts[i])
			}
		}
		if item.Op != syntax.Break {
			w.messy(guard.MessyControlFlow)
		}
		ok, fail = w.stmts(st, item.Stmts)
		out = join(out, join(ok, fail))
	}
	return out, out
}

// newCommand begins a command in the state's surroundings.
func (r *report) newCommand(st *state, verb string, redirs []Access) Command {
	c := Command{Verb: verb, Program: verb, Dirs: st.dirs, Unknown: st.unknown, Accesses: redirs}
	for _, caveat := range st.caveats {
		if caveat == "sets_variable" && slices.Contains(r.table.Words.Printing.IndifferentVerbs, verb) {
			continue
		}
		c.Caveats.Add(caveat)
	}
	if c.Caveats.Has("sets_variable") || c.Caveats.Has(loadsPath) {
		c.Held = append(c.Held, st.given...)
	}
	for _, dir := range st.environments {
		c.ChosenBy = append(c.ChosenBy, dir+"/"+verb)
	}
	return c
}

// substitution walks $(…), and returns what it prints where that is known
// beforehand: text of the line, the working directory, the top of the repository, a part of a
// known path, names that another command finds, the hash of a commit.
func (w *walker) substitution(st *state, part *syntax.CmdSubst, quoted bool) (Word, bool) {
	if part.TempFile || part.ReplyVar {
		w.messy(guard.MessyExpansion)
	}
	from, messy := len(w.line.Commands), len(w.line.Messy)
	in, piped, calls := w.in, w.piped, w.calls
	w.in, w.piped, w.begun = nil, nil, nil
	w.inside(part.Stmts)
	w.stmts(st, part.Stmts)
	w.begun = nil
	out := w.piped
	w.in, w.piped = in, piped
	if len(part.Stmts) != 1 || w.calls != calls || len(w.line.Messy) > messy || len(w.line.Commands) == from {
		return Word{}, false
	}
	stmt := part.Stmts[0]
	if first := tree.LeftOfTrue(stmt); first != nil {
		all := w.line.Commands
		w.line.Commands = all[:len(all)-1]
		defer func() { w.line.Commands = all }()
		stmt = first
	}
	if len(w.line.Commands) == from+1 && !part.Backquotes {
		// Outside of quotes words are followed as those of a stream.
		if own, ok := w.ownText(stmt, &w.line.Commands[from]); ok && (quoted || own.Text != "" && !w.Rereads(own.Text)) {
			return own, true
		}
	}
	if w.printsNumber(stmt) {
		return Word{Kind: Number, Text: "$(…)", Solid: w.alwaysPrints()}, true
	}
	lines := out
	if !tree.IsPipe(stmt) {
		lines = w.printed(stmt, from, calls, nil)
	}
	if lines != nil && lines.digits != nil {
		w.begun = lines.digits
		return lines.digits.number()
	}
	if tree.IsPipe(stmt) || lines != nil && lines.bare {
		return fedWord(lines)
	}
	return w.singleOutput(st, stmt, from)
}

// singleOutput is what a substitution of one command prints.
func (w *walker) singleOutput(st *state, stmt *syntax.Stmt, from int) (Word, bool) {
	c := &w.line.Commands[from]
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(w.line.Commands) != from+1 || len(c.Dirs) != 1 || c.Unknown || stmt.Negated ||
		slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool { return !tree.DiscardsErrors(r) }) {
		return Word{}, false
	}
	if len(call.Assigns) == 0 {
		if known, ok := w.known(c); ok {
			return known, true
		}
	}
	if len(c.Caveats) == 0 && len(call.Assigns) == 0 {
		if known, ok := printedText(call); ok {
			return known, true
		}
		if known, ok := w.lastSegment(st, call); ok {
			return known, true
		}
		if known, ok := w.enclosing(st, call); ok {
			return known, true
		}
	}
	if printsHash(c) {
		return Word{Kind: Hash, Text: hashText}, true
	}
	return fedWord(w.out(from, nil))
}

// fedWord is a word of names: as many words as there are names. Lines without a dash are text.
func fedWord(out *feed) (Word, bool) {
	if out != nil && out.bare {
		return Word{Kind: Output, Text: "$(…)", bare: true}, true
	}
	if out == nil || len(out.roots) == 0 || out.zero || out.hashes && out.rest != "" {
		return Word{}, false
	}
	names := *out
	names.many, names.every = true, len(out.roots) > 1
	return names.word(names.roots[0]), true
}

// hashText stands for a hash in the text of a word.
const hashText = "$(hash)"

// printsHash reports whether a command prints the hash of a commit, or fails.
func printsHash(c *Command) bool {
	if c.Git.Blobs > 0 || len(c.Caveats) > 0 || len(c.Git.Settings) > 0 {
		return false
	}
	only := func(options ...string) bool {
		for _, entry := range c.Form {
			if strings.HasPrefix(entry.Name, "-") && !slices.Contains(options, entry.Name) {
				return false
			}
		}
		return true
	}
	switch c.Verb {
	case "git merge-base":
		return only("--fork-point", "--octopus")
	case "git rev-parse":
		return len(c.Git.Revisions) == 1 && len(c.opened()) <= 1 && len(c.Git.Pathspecs) == 0 &&
			!c.Git.Dashes && oneRevision(c.Git.Revisions[0]) && only("--short", "--verify", "--quiet")
	}
	return false
}

// oneRevision reports whether a word is one word and no option, since git prints
// what it can't resolve as it stands.
func oneRevision(text string) bool {
	text = strings.ReplaceAll(text, hashText, "h")
	return text != "" && text[0] != '-' && strings.Trim(text, guard.WordBytes+"./@^~{}-") == ""
}

func printedText(call *syntax.CallExpr) (Word, bool) {
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		// Behind a link ".." is not what the text says.
		if words[i] = arg.Lit(); words[i] == "" || !lexical.IsLiteral(words[i]) || strings.Contains(words[i], "..") || tree.HasBrace(arg) {
			return Word{}, false
		}
	}
	switch {
	case len(words) == 2 && words[0] == "dirname" && words[1][0] != '-':
		return Word{Kind: Literal, Text: lexical.Dirname(words[1])}, true
	case len(words) == 2 && words[0] == "basename" && words[1][0] != '-':
		return Word{Kind: Literal, Text: path.Base(words[1])}, true
	}
	return Word{}, false
}
