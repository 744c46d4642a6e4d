package shell

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/effect"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/value"
)

// run is a command that is a program or a plain builtin. It answers what its reader asks.
type run struct {
	effect.Invocation
	parsed  effect.Reader
	command command.Command
	w       *walker
	st      *state.State
	// redirs are the redirections of the command, and of one that it starts.
	redirs []command.Access
}

var runs sync.Pool

// reading returns a run that reads the words of a command, and not its redirections.
func (w *walker) reading(st *state.State, verb, program string, words []expansion.Word) *run {
	v, ok := runs.Get().(*run)
	if !ok {
		v = &run{}
	}
	v.w, v.st, v.command = w, st, w.newCommand(st, verb, nil)
	v.command.Program = program
	in := around(w, st)
	in.Shell = v
	v.Invocation = v.parsed.Begin(&in, &v.command, words)
	return v
}

// release gives a run back of which nothing is used any more.
func (v *run) release() {
	*v = run{}
	runs.Put(v)
}

// around are the surroundings of a command in a state.
func around(w *walker, st *state.State) effect.Surroundings {
	return effect.Surroundings{
		Table: w.table.Table, Dialect: w.Dialect, Platform: w.Options.Platform, Home: w.Options.Home,
		Cwd: st.Cwd, AssignsIFS: st.Assigned("IFS"), In: w.in,
	}
}

// effectsOf are those of the words of a command in a state that nothing reads by a table.
func effectsOf(w *walker, st *state.State, c *command.Command) effect.Effects {
	return effect.NewEffects(around(w, st), c)
}

// Messy makes the line messy.
func (v *run) Messy(code string) { v.w.messy(code) }

// Matches returns the directories that a word can name.
func (v *run) Matches(word expansion.Word) []string { return v.w.matched(v.st, word) }

// Intact reports whether the command gets each name on its standard input as it is.
func (v *run) Intact(endByNUL bool) bool { return v.w.input.whole(v.w.loops, endByNUL) }

// Aside reads words as a command line of their own.
func (v *run) Aside(words []expansion.Word) (commands []command.Command, messy []string) {
	w := &walker{}
	w.Begin(&v.w.Options)
	w.read(v.w.table, v.w.producers.Assumed)
	w.Dialect = lexical.Dialect{Zsh: v.w.Zsh, Ksh: v.w.Ksh, Posix: v.w.Posix}
	w.depth, w.text = v.w.depth, v.w.text
	st := v.st.WithoutFunctions()
	w.argv(st, st, words, nil)
	v.w.Join(&w.Host)
	v.w.producers.Used = append(v.w.producers.Used, w.producers.Used...)
	return w.line.Commands, w.line.Messy
}

// program walks a command that is a program or a plain builtin, unwrapping
// the wrappers that the table knows.
func (w *walker) program(st *state.State, words []expansion.Word, redirs []command.Access, caveats v1.Set) {
	if w.depth++; w.depth > maxDepth {
		w.messy(guard.MessyNesting)
		w.depth--
		return
	}
	defer func() { w.depth-- }()

	name := w.named(words[0].Text, &caveats)
	verb, entry, likely := w.entryOf(name, words[0].Text, caveats)
	v := w.reading(st, verb, name, words[1:])
	defer v.release()
	v.redirs = redirs
	c := &v.command
	c.Argv, c.Accesses = words, redirs
	for _, caveat := range caveats {
		c.Caveats.Add(caveat)
	}
	if strings.Contains(words[0].Text, "/") && (entry == nil || !caveats.Has("named_by_system_path")) {
		c.Accesses = append(c.Accesses, command.AccessTo(v1.OpExecute, words[0].Text))
	}
	if !v.Read(name, entry, likely, caveats) && v.replaced(name, entry) {
		return
	}
	v.Complete(name, entry)
	w.emit(*c)
	v.goesOn(name)
}

// replaced reads the command line of a program that the table lists. It reports whether the commands within
// stand for it.
func (v *run) replaced(name string, entry *argv.Program) bool {
	switch {
	case name == "test" || name == "[":
		testReader{Effects: &v.parsed.Effects, w: v.w, st: v.st}.command(name, v.Args.Words)
	case argv.IsShell(name) && v.shellCommand():
		return true
	case name == "env":
		return v.env(entry)
	case name == "command" && v.ReadLookup():
	case entry.Wrapper == argv.WrapperPlain:
		v.wrapper(entry)
		return true
	default:
		v.ReadListed(name, entry)
	}
	return false
}

// goesOn walks what a program runs that is an item of its own.
func (v *run) goesOn(name string) {
	if argv.IsShell(name) && v.readsScript() {
		innerText{w: v.w, st: v.st.Child()}.ranInput(name)
	}
	for _, words := range v.After {
		v.w.program(v.st, words, nil, nil)
	}
	v.runsBy()
}

// shellCommand reads `bash -c 'payload'` as the payload, in that shell's
// dialect. It reports false when the line is not of that plain form.
func (v *run) shellCommand() bool {
	commands := false
	words := v.Args.Words
	for len(words) > 0 && words[0].IsOption() {
		if strings.Trim(words[0].Text[1:], "celu") != "" {
			return false
		}
		commands = commands || strings.Contains(words[0].Text, "c")
		words = words[1:]
	}
	if !commands || len(words) == 0 || words[0].Kind != expansion.Literal {
		return false
	}
	st := v.st.Child()
	if named := v.Command.Caveats.Has("named_by_path"); named {
		st = st.WithCaveat("named_by_path")
	}
	if len(v.Command.Accesses) > 0 {
		v.w.emit(v.w.newCommand(st, ":", v.Command.Accesses))
	}
	calling := v.w.calling
	v.w.calling = nil // where local is an error, and sets nothing
	v.w.script(positional(st, words[1:]), words[0].Text, v.Command.Program)
	v.w.calling = calling
	return true
}

// positional is the state in which a script begins that is given words: the first is
// what it is called. Of names whose number is not known each parameter is one, or
// nothing.
func positional(st *state.State, args []expansion.Word) *state.State {
	if len(args) == 0 {
		return st
	}
	rest := args[1:]
	one := args[0].Kind == expansion.Names && !args[0].Vanishes && !args[0].Stream.Several
	if several, none := roundsOf(args[0]); (several || none) && !one {
		rest = slices.Clone(args) // the first may be several words, or none, of which $0 is one
		rest[0].Vanishes = true
	}
	next := state.WithParameters(st, rest)
	next = next.With("0", args[0])
	last := args[len(args)-1]
	if last.Kind != expansion.Names || !last.Stream.Several {
		return next
	}
	each := last.Stream.One()
	first, more := expansion.OfNames(each, last.Text), expansion.OfNames(each.OrNone(), last.Text)
	if last.Vanishes || each.Handing != value.Whole {
		first = more // a quoted list may be empty, too
	}
	next = next.With(strconv.Itoa(len(args)-1), first)
	for i := len(args); i <= state.MaxParameters; i++ {
		next = next.With(strconv.Itoa(i), more)
	}
	return next
}

// env reads `env NAME=value… program`. It reports true when the program
// behind it stands for the command.
func (v *run) env(program *argv.Program) bool {
	v.ReadOptions(program)
	if v.Command.Caveats.Has("unknown_option") || v.Command.Caveats.Has("dynamic_option") || v.Moved {
		v.w.messy(guard.MessyWrapper)
	}
	st := v.st
	rest := v.Args.Operands
	if len(rest) > 1 && rest[0].Is("-") { // as -i
		st, rest = st.WithCaveat("assigns"), rest[1:]
	}
	for len(rest) > 0 {
		name, value, ok := strings.Cut(rest[0].Text, "=")
		if !ok && rest[0].Kind == expansion.Literal {
			break
		}
		if !ok {
			v.w.messy(guard.MessyDynamicVerb)
		}
		st = v.w.sets(st, name, expansion.Word{Kind: rest[0].Kind, Text: value})
		rest = rest[1:]
	}
	if len(rest) == 0 {
		v.Command.Caveats.Add("reads_environment")
		return false
	}
	st = v.unsets(st)
	st = st.WithoutFunctions()
	v.w.argv(st, st, rest, v.Command.Accesses)
	return true
}

// unsets is the state without the variables that options of env take away. A variable that isn't dangerous can be
// missing: programs then do what they do for a person who never set it. What isn't a plain -u may take away any.
func (v *run) unsets(st *state.State) *state.State {
	options := v.Args.Words[:len(v.Args.Words)-len(v.Args.Operands)]
	for len(options) > 0 {
		name, plain := strings.CutPrefix(strings.TrimPrefix(options[0].Text, "-"), "-unset=")
		switch {
		case options[0].Is("-u") && len(options) > 1 && options[1].Kind == expansion.Literal:
			name, plain, options = options[1].Text, true, options[1:]
		case options[0].Is("--"):
			return st
		}
		none := expansion.Word{Kind: expansion.Literal}
		if !plain || options[0].Kind != expansion.Literal || !v.w.harmless(name, none) && !v.w.inert(name, none) {
			return st.WithCaveat("assigns")
		}
		options = options[1:]
	}
	return st
}

// changesShell reports whether a builtin runs a builtin that changes the shell
// itself, which its place behind another word would hide.
func changesShell(program string, inner expansion.Word) bool {
	if !inShell(program) {
		return false
	}
	switch inner.Text {
	case "cd", "pushd", "popd", "set", "export", "declare", "typeset", "local", "readonly", "exit", "return", "break", "continue":
		return true
	}
	return false
}

// inShell reports whether a wrapper runs builtins in the shell itself.
func inShell(program string) bool { return program == "command" || program == "builtin" }

// wrapper unwraps timeout, nice and the like: the rest of the line is the command.
func (v *run) wrapper(program *argv.Program) {
	v.ReadWrapper(program)
	if v.Command.Caveats.Has("unknown_option") || v.Command.Caveats.Has("dynamic_option") {
		v.w.messy(guard.MessyWrapper)
	}
	st := v.st
	if v.Moved {
		v.w.messy(guard.MessyWrapper)
		st = st.Nowhere()
	}
	if program.Wrapper == "plain" && len(v.Args.Inner) > 0 {
		if changesShell(v.Command.Program, v.Args.Inner[0]) {
			v.w.messy(guard.MessyWrapper)
		}
		if v.Command.Caveats.Has("named_by_path") {
			st = st.WithCaveat("named_by_path")
		}
		if !slices.ContainsFunc(v.Command.Accesses, writesOutput) {
			v.ReadLeft(program)
		}
		st = st.WithoutFunctions()
		ok, fail := v.w.argv(st, st, v.Args.Inner, v.Command.Accesses)
		if inShell(v.Command.Program) && state.Changed(st, state.Join(ok, fail)) {
			v.w.messy(guard.MessyWrapper)
		}
		return
	}
	v.Finish()
	v.w.emit(v.command)
}

// runsBy walks the command that this one runs, in the directory that its options chose.
func (v *run) runsBy() {
	if len(v.Started) == 0 {
		return
	}
	st := v.st.WithoutFunctions().WithCaveat(effect.RunBy)
	switch {
	case v.Moved && len(v.Dirs) > 0:
		st = st.In(v.Dirs)
	case v.Moved:
		st = st.Nowhere()
	}
	v.w.program(st, v.Started, v.redirs, v1.Set{})
}

func clip(text string) string {
	if len(text) > 64 {
		return text[:64]
	}
	return text
}

// oneWord quotes a name that isn't one plain word: a program called "git push" is
// not git's push, and what a person approves stands on one line.
func oneWord(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || r == '"' || !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// entryOf is the verb of a program and its entry in the table. A file that is named by a path
// is not the program of its name, and may be it: then there is no entry but a likely one.
func (s *surroundings) entryOf(name, text string, caveats v1.Set) (verb string, entry, likely *argv.Program) {
	known := s.table.On(s.Options.Platform, name)
	if caveats.Has("named_by_path") {
		return oneWord(clip(text)), nil, known
	}
	return oneWord(name), known, nil
}

// named returns the base name of a program and notes how it was named.
func (s *surroundings) named(text string, caveats *v1.Set) string {
	slash := strings.LastIndexByte(text, '/')
	if slash < 0 {
		return text
	}
	if slash > 0 && slices.Contains(s.table.Words.SystemDirectories, text[:slash]) {
		caveats.Add("named_by_system_path")
	} else {
		caveats.Add("named_by_path")
	}
	return text[slash+1:]
}
