package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
)

// runBy is the caveat of a command that is run through another one, or by a path: a program of
// the project may stand for the one that its name says.
const runBy = "run_by"

// runner takes the command behind uv run, bundle exec and the like for an item of its own,
// unless an option that the table doesn't know may have taken words of it.
func (p *parsed) runner() {
	if p.args.Program == nil || p.args.Program.Wrapper != argv.WrapperRunner {
		return
	}
	inner := p.args.Inner
	known := !p.c.Caveats.Has("unknown_option") && !p.c.Caveats.Has("dynamic_option")
	if len(inner) > 0 && (!known || inner[0].Kind != Literal || inner[0].Text == "") {
		p.args.Inner = nil
		p.loose(inner)
		p.c.Caveats.Add("runs_anything")
		return
	}
	p.standAside()
	if len(inner) > 0 {
		p.started = interpreted(p.args.Program, inner)
	}
}

// toolModule reads python -m NAME as the program of that name, which it runs.
func (p *parsed) toolModule(interpreter *argv.Program) {
	p.c.Verb, p.args.Words = p.args.Words[1].Text, p.args.Words[2:]
	p.c.Caveats.Add(runBy)
	if program := p.w.table.On(p.w.options.Platform, p.c.Verb); program != nil {
		p.entry(program)
		p.runner()
	} else {
		p.unknown()
	}
	p.chosen(interpreter)
}

// interpreted is a command line with the interpreter before it that runs files of its first word's
// kind.
func interpreted(program *argv.Program, words []Word) []Word {
	for suffix, interpreter := range program.Scripts {
		if strings.HasSuffix(words[0].Text, suffix) && !strings.Contains(words[0].Text, ":") {
			return append([]Word{{Kind: Literal, Text: interpreter}}, words...)
		}
	}
	return words
}

// alike reads a program that a path names as the known one of that name, too, where that one
// runs tasks or other programs, or reaches the network.
func (p *parsed) alike(likely *argv.Program, name string) {
	if likely == nil || likely.Wrapper != "" {
		return
	}
	if likely.RunsAnything || likely.Network || len(likely.Commands)+len(likely.ChainRoles) > 0 || likely.Targets != 0 {
		p.started = append([]Word{{Kind: Literal, Text: name}}, p.args.Words...)
	}
}

// runsBy walks the command that this one runs, in the directory that its options chose.
func (p *parsed) runsBy() {
	if len(p.started) == 0 {
		return
	}
	st := p.st.withoutFunctions().withCaveat(runBy)
	switch {
	case p.moved && len(p.dirs) > 0:
		st = st.in(p.dirs)
	case p.moved:
		st = st.nowhere()
	}
	p.w.program(st, p.started, p.redirs, v1.Set{})
}

// outsideValue is the caveat of a command with a word that the table explains as no path,
// and that would lead out of every directory if the program took it for one all the same.
const outsideValue = "outside_value"

// leadsOut notes a value or a name of which a part would be a path to somewhere else, where
// it is given to a program that works on a project or runs others.
func (p *parsed) leadsOut(word Word) {
	if word.Kind != Literal || p.args.Program == nil || p.c.WorksIn != argv.WorksInCwd && p.args.Program.WorksIn != argv.WorksInCwd && !p.args.Program.RunsAnything {
		return
	}
	for _, part := range strings.FieldsFunc(word.Text, func(r rune) bool { return strings.ContainsRune("=:,;@|'\"()[]{}<> \t\n", r) }) {
		if part[0] == '/' || part[0] == '~' || slices.Contains(strings.Split(part, "/"), "..") {
			p.c.Caveats.Add(outsideValue)
			return
		}
	}
}
