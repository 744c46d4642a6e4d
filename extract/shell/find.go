package shell

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/argv/find"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// findRun is the command of one -exec.
type findRun struct {
	option string
	words  []expansion.Word
	many   bool // all names at once
	closed bool
	leaf   *find.Node
}

// nameRunner runs a command on names: those that find and fd find, and those that xargs reads.
type nameRunner struct{ *parsed }

// names reports whether xargs or fd runs a command on names that is an item of its own.
func (r nameRunner) names(name string, entry *argv.Program) bool {
	switch {
	case name == "xargs":
		return entry != nil && r.unwrapXargs()
	case r.c.Verb == "fd" || r.c.Verb == "fdfind":
		return r.unwrapFd()
	}
	return false
}

// find reads paths, and an expression of words each with its own arguments.
func (r nameRunner) find(program *argv.Program) {
	behind := false
	var runs []findRun
	rest := r.args.Words
	for len(rest) > 0 {
		word := rest[0]
		if word.Kind == expansion.Literal && (word.Text == "(" || word.Text == ")" || word.Text == "!" || word.Text == ",") {
			r.tests.Add(word.Text, argv.Argument{})
			rest = rest[1:]
			continue
		}
		if !word.IsOption() {
			r.Operand(program, word)
			r.args.Operands = append(r.args.Operands, word)
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
		rest = rest[r.args.Option(program, word.Text, rest):]
	}
	r.tests.Resolve(behind)
	for i := range runs {
		r.runs(&runs[i])
	}
	walk := r.tests.Printed()
	r.c.Printing.Found, r.c.Printing.Mixed = &walk, r.tests.Mixed()
}

// execution reads the command of -exec up to its ";" or "+".
func (r nameRunner) execution(option string, rest []expansion.Word) (run findRun, left []expansion.Word) {
	end := slices.IndexFunc(rest, func(w expansion.Word) bool { return w.Is(";") || w.Is("+") })
	closed := end >= 0
	if !closed {
		r.c.Caveats.Add("unknown_option")
		end = len(rest)
	}
	run = findRun{option: option, words: rest[:end], closed: closed, many: closed && rest[end].Is("+")}
	run.leaf = r.tests.Add(option, argv.Argument{})
	return run, rest[min(end+1, len(rest)):]
}

// runs makes the command of -exec an item of its own, or notes that it isn't one.
func (r nameRunner) runs(run *findRun) {
	if run.closed && r.unwrapExec(run) {
		r.c.Form.Put(run.option, "item")
		return
	}
	r.c.Form.Put(run.option, "command")
	r.c.Caveats.Add("executes") // the program may be a file that is found
	r.args.Inner = append(r.args.Inner, slices.DeleteFunc(slices.Clone(run.words), func(w expansion.Word) bool { return w.Is("{}") })...)
}

// handedOn are the names that `find -exec` hands on: of everything below its paths what comes
// to the action.
func (r nameRunner) handedOn(run *findRun) *stream.NameStream {
	if !r.c.Cwd.Single() {
		return nil
	}
	names := &stream.NameStream{
		Kind: stream.Found, Dir: r.c.Cwd.Known[0], Several: run.many, OnlyFiles: run.leaf.OnlyFiles(),
		Walk: r.tests.Reaching(run.leaf), Names: value.Names{Rooted: true, Handing: value.Whole},
	}
	for _, word := range r.args.Operands {
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
		return false
	}
	names := r.handedOn(run)
	if names == nil || !r.runOn(names, run.words, standsAlone("{}")) {
		return false
	}
	if r.c.Printing.Ran = names; len(r.after) != 1 || r.tests.Prints() {
		r.c.Printing.Ran = nil // it prints names besides
	}
	return true
}
