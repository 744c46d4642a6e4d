package effect

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/argv/find"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/output"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// xargs, find -exec and fd -x run a command on names. If the names are known, and the command gets
// them as they are, it is a command of its own.

// runOn walks the command that names are given to as a command of its own. It reports false, and
// walks nothing, if it can't be one.
func (p *Reader) runOn(names *stream.NameStream, words []expansion.Word, place func(word, name expansion.Word) (expansion.Word, bool)) bool {
	if len(words) == 0 || len(names.Roots) == 0 || words[0].Kind != expansion.Literal || !isPlainProgram(p.Table, words[0].Text) && !scripted(words) {
		return false
	}
	run := make([]expansion.Word, 0, len(words)+1)
	for _, word := range words {
		placed, ok := place(word, expansion.OfNames(names, names.Roots[0]))
		if !ok {
			return false
		}
		run = append(run, placed)
	}
	p.After = append(p.After, run)
	return true
}

// scripted reports whether a command is a shell with a script in its words.
func scripted(words []expansion.Word) bool {
	return argv.IsShell(words[0].Text) && len(words) > 2 && words[1].Is("-c") && words[2].Kind == expansion.Literal
}

// standsAlone puts the names in the place of a mark that is a word of its own.
func standsAlone(mark string) func(word, name expansion.Word) (expansion.Word, bool) {
	return func(word, name expansion.Word) (expansion.Word, bool) {
		if word.Is(mark) {
			return name, true
		}
		return word, !strings.Contains(word.Text, mark)
	}
}

// unwrapXargs makes the command of xargs an item of its own, if what it reads
// is known.
func (r nameRunner) unwrapXargs() bool {
	if len(r.Args.Inner) == 0 {
		r.Args.Inner = []expansion.Word{{Kind: expansion.Literal, Text: "echo"}} // what it runs where nothing is named
		r.Args.Words = append(slices.Clip(r.Args.Words), r.Args.Inner...)
	}
	if !r.plainXargs() {
		return false
	}
	if r.inertProgram(r.Args.Inner[0]) {
		r.After = append(r.After, append(slices.Clone(r.Args.Inner), expansion.Word{Kind: expansion.Output, Text: "…"}))
		return true
	}
	names := r.namesOfXargs()
	if names == nil {
		return false
	}
	if r.Has("-I") {
		return r.atMark(names)
	}
	words := append(slices.Clone(r.Args.Inner), expansion.Word{Kind: expansion.Names})
	return r.runOn(names, words, func(word, name expansion.Word) (expansion.Word, bool) {
		if word.Kind == expansion.Names && word.Stream == nil { // a name from elsewhere stands for itself
			name.Vanishes = !r.Has("-r") // given nothing, GNU's runs the command without a name
			return name, true
		}
		return word, true
	})
}

// namesOfXargs are a copy of the names that xargs reads, nil if they aren't known or count from
// elsewhere than where it runs.
func (r nameRunner) namesOfXargs() *stream.NameStream {
	in, zero, lines := r.In, r.Has("-0"), r.Has("-d")
	names := in.Names()
	if names == nil || r.elsewhere(names) || !r.Shell.Intact(zero) {
		return nil
	}
	if in.EndByNUL() != zero || in.SeveralPerLine() && (r.Has("-L") || r.Has("-I")) {
		return nil
	}
	if lines && (zero || !r.cutAt.Is(`\n`) && !r.cutAt.Is("\n")) {
		return nil
	}
	given := *names
	given.Several = true
	if zero {
		given.Handing = value.Whole
	}
	if lines {
		given.Handing = max(given.Handing, value.AsLines)
	}
	return &given
}

// atMark makes the command of xargs -I an item of its own, which gets one name at each mark.
func (r nameRunner) atMark(names *stream.NameStream) bool {
	mark := r.mark.Text
	if r.Has("-L") || r.Has("-n") || r.mark.Kind != expansion.Literal || mark == "" { // of these options the last one counts
		return false
	}
	names.Handing, names.Several = max(names.Handing, value.AsItems), false
	if r.Platform != "linux" {
		names.Extra = append(slices.Clone(names.Extra), mark) // BSD's leaves it where names are long, or words many
		if mark[0] == '-' {
			return false
		}
	}
	return r.runOn(names, r.Args.Inner, standsAlone(mark))
}

// plainXargs reports whether xargs has no option but those that leave names
// whole and read no other input.
func (r nameRunner) plainXargs() bool {
	if slices.ContainsFunc(r.Args.Words[:len(r.Args.Words)-len(r.Args.Inner)], func(word expansion.Word) bool { return word.Kind != expansion.Literal }) {
		return false // a mark that only the run can tell
	}
	return !slices.ContainsFunc(r.Command.Form, func(entry v1.Entry) bool {
		return !slices.Contains(r.Table.Words.Printing.XargsOptions, entry.Name)
	})
}

// unwrapFd makes the command of fd -x an item of its own, if it takes the names as
// they are.
func (r nameRunner) unwrapFd() bool {
	if len(r.Args.Inner) == 0 || !r.Command.Cwd.Single() || r.Moved || !output.PrintsNames(r.Table, r.Command) {
		return false
	}
	names := output.Found(r.Command, nil)
	if last := len(r.Args.Inner) - 1; last > 0 && r.Args.Inner[last].Is(";") {
		r.Args.Inner = r.Args.Inner[:last] // the end of the command, as find has it
	}
	if names == nil || slices.ContainsFunc(r.Args.Inner, func(word expansion.Word) bool { return word.Kind != expansion.Literal || word.Text == ";" }) {
		return false
	}
	names.Handing, names.Several = value.Whole, r.Has("-X")
	words := slices.Clone(r.Args.Inner)
	if !slices.ContainsFunc(words, func(word expansion.Word) bool { return strings.Contains(word.Text, "{") }) {
		words = append(words, expansion.Word{Kind: expansion.Literal, Text: "{}"})
	}
	return r.runOn(names, words, func(word, name expansion.Word) (expansion.Word, bool) {
		if word.Is("{}") {
			return name, true
		}
		return word, !strings.Contains(word.Text, "{") // {.} and the like are parts of names
	})
}

// isPlainProgram reports whether a program is one that the table explains and
// that runs nothing else.
func isPlainProgram(table *argv.Table, name string) bool {
	program := table.Program(name)
	return program != nil && !program.RunsAnything && program.Wrapper == "" && !argv.IsShell(name) &&
		!slices.Contains(table.Words.Shell.RunsText, name) && name != "cd" && name != "find"
}

// findRun is the command of one -exec.
type findRun struct {
	option string
	words  []expansion.Word
	many   bool // all names at once
	closed bool
	leaf   *find.Node
}

// nameRunner runs a command on names: those that find and fd find, and those that xargs reads.
type nameRunner struct{ *Reader }

// names reports whether xargs or fd runs a command on names that is an item of its own.
func (r nameRunner) names(name string, entry *argv.Program) bool {
	switch {
	case name == "xargs":
		return entry != nil && r.unwrapXargs()
	case r.Command.Verb == "fd" || r.Command.Verb == "fdfind":
		return r.unwrapFd()
	}
	return false
}

// find reads paths, and an expression of words each with its own arguments.
func (r nameRunner) find(program *argv.Program) {
	behind := false
	var runs []findRun
	rest := r.Args.Words
	for len(rest) > 0 {
		word := rest[0]
		if word.Kind == expansion.Literal && (word.Text == "(" || word.Text == ")" || word.Text == "!" || word.Text == ",") {
			r.tests.Add(word.Text, argv.Argument{})
			rest = rest[1:]
			continue
		}
		if !word.IsOption() {
			r.Operand(program, word)
			r.Args.Operands = append(r.Args.Operands, word)
			behind = behind || r.tests.Begun()
			rest = rest[1:]
			continue
		}
		known, ok := program.Options[word.Text]
		if ok && known.Kinds[0] == "command" {
			var run findRun
			run, rest = r.execution(known.Canonical, rest[1:])
			runs = append(runs, run)
			continue
		}
		var operand argv.Argument
		if len(rest) > 1 {
			operand = rest[1].Argument()
		}
		r.tests.Add(word.Text, operand)
		rest = rest[r.Args.Option(program, word.Text, rest):]
	}
	r.tests.Resolve(behind)
	for i := range runs {
		r.runs(&runs[i])
	}
	walk := r.tests.Printed()
	r.Command.Printing.Found, r.Command.Printing.Mixed = &walk, r.tests.Mixed()
}

// execution reads the command of -exec up to its ";" or "+".
func (r nameRunner) execution(option string, rest []expansion.Word) (run findRun, left []expansion.Word) {
	end := slices.IndexFunc(rest, func(w expansion.Word) bool { return w.Is(";") || w.Is("+") })
	closed := end >= 0
	if !closed {
		r.Command.Caveats.Add("unknown_option")
		end = len(rest)
	}
	run = findRun{option: option, words: rest[:end], closed: closed, many: closed && rest[end].Is("+")}
	run.leaf = r.tests.Add(option, argv.Argument{})
	return run, rest[min(end+1, len(rest)):]
}

// runs makes the command of -exec an item of its own, or notes that it isn't one.
func (r nameRunner) runs(run *findRun) {
	if run.closed && r.unwrapExec(run) {
		r.Command.Form.Put(run.option, "item")
		return
	}
	r.Command.Form.Put(run.option, "command")
	r.Command.Caveats.Add("executes") // the program may be a file that is found
	r.Args.Inner = append(r.Args.Inner, slices.DeleteFunc(slices.Clone(run.words), func(w expansion.Word) bool { return w.Is("{}") })...)
}

// handedOn are the names that `find -exec` hands on: of everything below its paths what comes
// to the action.
func (r nameRunner) handedOn(run *findRun) *stream.NameStream {
	if !r.Command.Cwd.Single() {
		return nil
	}
	names := &stream.NameStream{
		Kind: stream.Found, Dir: r.Command.Cwd.Known[0], Several: run.many, OnlyFiles: run.leaf.OnlyFiles(),
		Walk: r.tests.Reaching(run.leaf), Names: value.Names{Rooted: true, Handing: value.Whole},
	}
	for _, word := range r.Args.Operands {
		switch {
		case word.Kind == expansion.Glob && word.Text != "":
			if !names.AddMatches(word.Text) {
				return nil
			}
		case word.Kind != expansion.Literal || strings.HasPrefix(word.Text, "-"):
			return nil
		default:
			names.Roots = append(names.Roots, word.Text)
		}
	}
	if len(names.Roots) == 0 {
		names.Roots = []string{"."}
	}
	return names
}

// unwrapExec makes the command of -exec an item of its own, if it can be one.
func (r nameRunner) unwrapExec(run *findRun) bool {
	if run.option != "-exec" || !slices.ContainsFunc(run.words, func(w expansion.Word) bool { return w.Is("{}") }) {
		return r.inertRun(run)
	}
	names := r.handedOn(run)
	if names == nil || !r.runOn(names, run.words, standsAlone("{}")) {
		return r.inertRun(run)
	}
	if r.Command.Printing.Ran = names; len(r.After) != 1 || r.tests.Prints() {
		r.Command.Printing.Ran = nil // it prints names besides
	}
	return true
}

// inertRun makes the command of -exec an item of its own if that may be given any words. What it prints
// is then no name: text may surround one. With -execdir it would run in directories that only the run knows.
func (r nameRunner) inertRun(run *findRun) bool {
	if run.option != "-exec" || len(run.words) == 0 || !r.inertProgram(run.words[0]) {
		return false
	}
	words := slices.Clone(run.words)
	for i, word := range words {
		if word.Kind == expansion.Literal && strings.Contains(word.Text, "{}") {
			words[i] = expansion.Word{Kind: expansion.Output, Text: "…"}
		}
	}
	r.After = append(r.After, words)
	r.Command.Printing.Ran = nil
	return true
}

// inertProgram reports whether a word names a program that may be given any words.
func (r nameRunner) inertProgram(word expansion.Word) bool {
	if word.Kind != expansion.Literal {
		return false
	}
	program := r.Table.Program(word.Text)
	return program != nil && program.Inert
}
