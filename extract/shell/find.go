package shell

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/argv/find"
	"policyd/extract/value"
)

// findRun is the command of one -exec.
type findRun struct {
	option string
	words  []Word
	many   bool // all names at once
	closed bool
	leaf   *find.Node
}

// find reads paths, and an expression of words each with its own arguments.
func (p *parsed) find(program *argv.Program) {
	behind := false
	var runs []findRun
	rest := p.args.Words
	for len(rest) > 0 {
		word := rest[0]
		if word.Kind == Literal && (word.Text == "(" || word.Text == ")" || word.Text == "!" || word.Text == ",") {
			p.tests.Add(word.Text, argv.Argument{})
			rest = rest[1:]
			continue
		}
		if !word.isOption() {
			p.Operand(program, word)
			p.args.Operands = append(p.args.Operands, word)
			behind = behind || p.tests.Begun()
			rest = rest[1:]
			continue
		}
		known, ok := program.Options[word.Text]
		if ok && known.Kinds[0] == "command" {
			var run findRun
			run, rest = p.execution(known.Canonical, rest[1:])
			runs = append(runs, run)
			continue
		}
		var operand argv.Argument
		if len(rest) > 1 {
			operand = rest[1].Argument()
		}
		p.tests.Add(word.Text, operand)
		rest = rest[p.args.Option(program, rest):]
	}
	p.tests.Resolve(behind)
	for i := range runs {
		p.runs(&runs[i])
	}
	walk := p.tests.Printed()
	p.c.found, p.c.mixed = &walk, p.tests.Mixed()
}

// execution reads the command of -exec up to its ";" or "+".
func (p *parsed) execution(option string, rest []Word) (run findRun, left []Word) {
	end := slices.IndexFunc(rest, func(w Word) bool { return w.literal(";") || w.literal("+") })
	closed := end >= 0
	if !closed {
		p.c.Caveats.Add("unknown_option")
		end = len(rest)
	}
	run = findRun{option: option, words: rest[:end], closed: closed, many: closed && rest[end].literal("+")}
	run.leaf = p.tests.Add(option, argv.Argument{})
	return run, rest[min(end+1, len(rest)):]
}

// runs makes the command of -exec an item of its own, or notes that it isn't one.
func (p *parsed) runs(run *findRun) {
	if run.closed && p.fedExec(run) {
		p.c.Form.Put(run.option, "item")
		return
	}
	p.c.Form.Put(run.option, "command")
	p.c.Caveats.Add("executes") // be it a file that is found
	p.args.Inner = append(p.args.Inner, slices.DeleteFunc(slices.Clone(run.words), func(w Word) bool { return w.literal("{}") })...)
}

// findFeed is what `find -exec` feeds: of everything below its paths what comes
// to the action.
func (p *parsed) findFeed(run *findRun) *feed {
	if p.c.Unknown || len(p.c.Dirs) != 1 {
		return nil
	}
	f := &feed{
		dir: p.c.Dirs[0], many: run.many, files: run.leaf.OnlyFiles(),
		Walk: p.tests.Reaching(run.leaf), Names: value.Names{Rooted: true, Handing: value.Whole},
	}
	for _, word := range p.args.Operands {
		if word.Kind == Glob && word.Text != "" {
			if !f.within(word.Text) {
				return nil
			}
			continue
		}
		if word.Kind != Literal || strings.HasPrefix(word.Text, "-") {
			return nil
		}
		f.roots = append(f.roots, word.Text)
	}
	if len(f.roots) == 0 {
		f.roots = []string{"."}
	}
	f.widen()
	return f
}

// fedExec makes the command of -exec an item of its own, if it can be one.
func (p *parsed) fedExec(run *findRun) bool {
	if run.option != "-exec" || !slices.ContainsFunc(run.words, func(w Word) bool { return w.literal("{}") }) {
		return false
	}
	f := p.findFeed(run)
	if f == nil || !f.run(p, run.words, standsAlone("{}")) {
		return false
	}
	if p.c.ran = f; len(p.after) != 1 || p.tests.Prints() {
		p.c.ran = nil // it prints names besides
	}
	return true
}
