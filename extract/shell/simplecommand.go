package shell

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/state"
	"policyd/extract/value"
)

// simpleCommand is a simple command whose words are expanded.
type simpleCommand struct {
	w *walker
	// st is the state that it runs in, after the one behind it if it changes nothing.
	st, after *state.State
	argv      []expansion.Word
	redirs    []command.Access
}

// argv walks a command by its words.
func (w *walker) argv(st, after *state.State, argv []expansion.Word, redirs []command.Access) (ok, fail *state.State) {
	i := simpleCommand{w: w, st: st, after: after, argv: argv, redirs: redirs}
	return i.run()
}

// builtin walks a builtin. It reports false for one with words that it has no explanation for.
type builtin func(simpleCommand) (ok, fail *state.State, explained bool)

func builtinOf(name string) builtin {
	switch name {
	case "cd":
		return simpleCommand.cd
	case "pushd":
		return simpleCommand.pushd
	case "popd":
		return simpleCommand.popd
	case "read":
		return simpleCommand.read
	case "mapfile", "readarray":
		return simpleCommand.mapfile
	case "ulimit", "jobs", "alias", "hash":
		return simpleCommand.inspect
	case "unset":
		return simpleCommand.unset
	case "source", ".":
		return simpleCommand.activate
	case "shift":
		return simpleCommand.shift
	case "set":
		return simpleCommand.set
	case "exit", "return", "break", "continue":
		return simpleCommand.leave
	}
	return nil
}

// run walks the command: a function, a builtin, or a program.
func (i simpleCommand) run() (ok, fail *state.State) {
	if i.argv[0].Kind != expansion.Literal || i.argv[0].Text == "" {
		i.w.messy(guard.MessyDynamicVerb)
		i.guess("", i.argv)
		return i.after.Nowhere(), i.after.Nowhere()
	}
	name := i.argv[0].Text
	if decl, known := i.st.Functions.Get(name); known {
		return i.function(decl)
	}
	if walk := builtinOf(name); walk != nil {
		if ok, fail, explained := walk(i); explained {
			return ok, fail
		}
	}
	if slices.Contains(i.w.table.Words.Shell.RunsText, name) {
		i.runText()
		lost := i.after.Nowhere().WithCaveat("assigns")
		return lost, lost
	}
	i.w.program(i.st, i.argv, i.redirs, v1.Set{})
	return i.after, i.after
}

// args are the words behind the name.
func (i simpleCommand) args() []expansion.Word { return i.argv[1:] }

// shell emits what the shell itself does: it opens the redirections.
func (i simpleCommand) shell() { i.w.emit(i.w.newCommand(i.st, ":", i.redirs)) }

// guess reports a command that can't be explained, with every word as a path that it may touch, for
// the deny rules.
func (i simpleCommand) guess(verb string, words []expansion.Word) {
	i.w.emitGuess(i.st, verb, words, i.redirs)
}

// emitGuess does the same for words of any command.
func (w *walker) emitGuess(st *state.State, verb string, words []expansion.Word, redirs []command.Access) {
	c := w.newCommand(st, verb, redirs)
	c.Caveats.Add("unknown_program")
	e := effectsOf(w, st, &c)
	for _, word := range words {
		e.AnyPath(word)
		for _, field := range strings.FieldsFunc(word.Text, func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()'\"", r) }) {
			if word.Kind == expansion.Literal && field != word.Text {
				e.AnyPath(expansion.Word{Kind: expansion.Literal, Text: field})
			}
		}
	}
	w.emit(c)
}

func (i simpleCommand) shift() (ok, fail *state.State, explained bool) {
	if slices.ContainsFunc(i.args(), func(arg expansion.Word) bool { return !expansion.IsNumber(arg) }) {
		i.w.messy(guard.MessyArithmetic) // some shells evaluate it as an expression
	}
	i.shell()
	next := shifted(i.after, i.args())
	return next, next, true
}

// leave walks exit, return, break and continue.
func (i simpleCommand) leave() (ok, fail *state.State, explained bool) {
	if args := i.args(); len(args) > 1 || len(args) == 1 && !expansion.IsNumber(args[0]) {
		i.w.messy(guard.MessyArithmetic) // shells evaluate the operand as an expression
	}
	i.shell()
	i.w.jump(i.after)
	return i.after, i.after, true
}

// inspect walks a builtin that only prints what the shell holds: its words are options by which it changes nothing.
func (i simpleCommand) inspect() (ok, fail *state.State, explained bool) {
	name := i.argv[0].Text
	letters := i.w.table.Words.Shell.Inspecting[name]
	if slices.ContainsFunc(i.args(), func(arg expansion.Word) bool { return !arg.IsOption() || strings.Trim(arg.Text[1:], letters) != "" }) {
		return nil, nil, false
	}
	c := i.w.newCommand(i.st, name, i.redirs)
	c.Form.Put("<state>", "prints")
	i.w.emit(c)
	return i.after, i.after, true
}

// unset walks the builtin for names that neither shells nor programs give a meaning to. Of a
// variable that the line didn't assign, programs behind it may see that it is gone.
func (i simpleCommand) unset() (ok, fail *state.State, explained bool) {
	if len(i.argv) == 1 {
		return nil, nil, false
	}
	next := i.after
	for _, word := range i.args() {
		local := i.w.local(word.Text)
		_, function := i.st.Functions.Get(word.Text)
		if word.Kind != expansion.Literal || !value.IsName(word.Text) || function || !local && !i.w.inert(word.Text, expansion.Word{Kind: expansion.Literal}) {
			return nil, nil, false
		}
		if !local || !i.st.Assigned(word.Text) {
			next = next.WithCaveat("sets_variable")
		}
		next = next.With(word.Text, expansion.Word{})
	}
	i.shell()
	return next, next, true
}

// set walks the builtin: a few options change nothing but when the line ends.
func (i simpleCommand) set() (ok, fail *state.State, explained bool) {
	args := i.args()
	if len(args) == 0 {
		c := i.w.newCommand(i.st, "set", i.redirs)
		c.Caveats.Add("reads_environment")
		i.w.emit(c)
		return i.after, i.after, true
	}
	for len(args) > 0 {
		size, safe := i.setOption(args)
		if !safe {
			i.w.messy(guard.MessyBuiltin)
			i.guess("set", i.args())
			lost := i.after.WithCaveat("assigns")
			return lost, lost, true
		}
		args = args[size:]
	}
	i.shell()
	return i.after, i.after, true
}

// setOption reads the first option of set: how many words it takes, and whether it changes nothing
// but when the line ends, and what is traced. Tracing expands PS4.
func (i simpleCommand) setOption(args []expansion.Word) (size int, safe bool) {
	text := args[0].Text
	if args[0].Kind != expansion.Literal || text == "" || text[0] != '-' && text[0] != '+' {
		return 1, false
	}
	letters, named := strings.CutSuffix(text[1:], "o")
	if size = 1; named {
		size = 2
	}
	if named && !i.safeSetName(args[1:]) || strings.Trim(letters, "eux") != "" {
		return size, false
	}
	traces := strings.Contains(letters, "x")
	i.w.shown.traces = i.w.shown.traces || text[0] == '-' && traces
	return size, !traces || !i.after.Assigned("PS4") && !i.after.Has("assigns")
}

// safeSetName reports whether the first of some words names such an option.
func (i simpleCommand) safeSetName(words []expansion.Word) bool {
	return len(words) > 0 && words[0].Kind == expansion.Literal && slices.Contains(i.w.table.Words.Shell.SafeSetNames, words[0].Text)
}

// activate walks a command that reads the script which activates a virtual environment of
// Python's: one of the name activate in the directory of the environment's programs. Such a script puts that
// directory in front of PATH, and names the environment in variables.
//
// What the file really holds isn't looked at. It is code that is run, and no cover allows that but
// one for code of the place that it lies in, which may do all that it could do to the line.
func (i simpleCommand) activate() (ok, fail *state.State, explained bool) {
	if len(i.argv) != 2 || i.argv[1].Kind != expansion.Literal || i.st.Cwd.Others {
		return nil, nil, false
	}
	script := i.argv[1].Text
	dir := path.Dir(script)
	if path.Base(script) != "activate" || path.Base(dir) != "bin" || path.Base(path.Dir(dir)) == "." || path.Clean(script) != strings.TrimPrefix(script, "./") ||
		strings.HasPrefix(script, "~") {
		return nil, nil, false
	}
	c := i.w.newCommand(i.st, "source", i.redirs)
	c.Form.Put("<script>", "execute")
	c.Caveats.Add("executes")
	c.Accesses = append(slices.Clip(c.Accesses), command.AccessTo(v1.OpExecute, script))
	i.w.emit(c)
	next := i.after
	for _, variable := range []string{"PATH", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "PS1"} {
		next = next.With(variable, expansion.Word{})
	}
	if path.IsAbs(script) || strings.HasPrefix(script, "..") {
		next = next.WithCaveat("project_chooses_program")
		return next, next, true
	}
	next = next.WithEnvironment(strings.TrimPrefix(dir, "./"))
	return next, next, true
}
