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
func (v invocation) runner() {
	if v.args.Program == nil || v.args.Program.Wrapper != argv.WrapperRunner {
		return
	}
	inner := v.args.Inner
	known := !v.c.Caveats.Has("unknown_option") && !v.c.Caveats.Has("dynamic_option")
	if len(inner) > 0 && (!known || inner[0].Kind != Literal || inner[0].Text == "") {
		v.args.Inner = nil
		v.loose(inner)
		v.c.Caveats.Add("runs_anything")
		return
	}
	v.standAside()
	if len(inner) > 0 {
		v.started = interpreted(v.args.Program, inner)
	}
}

// toolModule reads python -m NAME as the program of that name, which it runs.
func (v invocation) toolModule(interpreter *argv.Program) {
	v.c.Verb, v.args.Words = v.args.Words[1].Text, v.args.Words[2:]
	v.c.Caveats.Add(runBy)
	if program := v.w.table.On(v.w.options.Platform, v.c.Verb); program != nil {
		v.entry(program)
		v.runner()
	} else {
		v.unknown()
	}
	v.chosen(interpreter)
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

// alike reads a program without an entry as what it may be: the known program of the name that a path has, if that
// one runs tasks or other programs or reaches the network, or a word of the shell's own.
func (v invocation) alike(likely *argv.Program, name string) {
	if declares(name) {
		printReader{v.parsed}.declaration()
	}
	if likely == nil || likely.Wrapper != "" {
		return
	}
	if likely.RunsAnything || likely.Network || len(likely.Commands)+len(likely.ChainRoles) > 0 || likely.Targets != 0 {
		v.started = append([]Word{{Kind: Literal, Text: name}}, v.args.Words...)
	}
}

// runsBy walks the command that this one runs, in the directory that its options chose.
func (v invocation) runsBy() {
	if len(v.started) == 0 {
		return
	}
	st := v.st.withoutFunctions().withCaveat(runBy)
	switch {
	case v.moved && len(v.dirs) > 0:
		st = st.in(v.dirs)
	case v.moved:
		st = st.nowhere()
	}
	v.w.program(st, v.started, v.redirs, v1.Set{})
}

// outsideValue is the caveat of a command with a word that the table explains as no path,
// and that would lead out of every directory if the program took it for one all the same.
const outsideValue = "outside_value"

// leadsOut notes a value or a name of which a part would be a path to somewhere else, where
// it is given to a program that works on a project or runs others.
func (p *parsed) leadsOut(word Word) {
	if word.Kind != Literal || p.args.Program == nil || p.c.Effective.WorksIn != argv.WorksInCwd && p.args.Program.WorksIn != argv.WorksInCwd && !p.args.Program.RunsAnything {
		return
	}
	for _, part := range strings.FieldsFunc(word.Text, func(r rune) bool { return strings.ContainsRune("=:,;@|'\"()[]{}<> \t\n", r) }) {
		if part[0] == '/' || part[0] == '~' || slices.Contains(strings.Split(part, "/"), "..") {
			p.c.Caveats.Add(outsideValue)
			return
		}
	}
}
