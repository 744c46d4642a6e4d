package shell

import (
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/value"
)

// shellCommand reads `bash -c 'payload'` as the payload, in that shell's
// dialect. It reports false when the line is not of that plain form.
func (v invocation) shellCommand() bool {
	commands := false
	words := v.args.Words
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
	st := v.st.child()
	if named := v.c.Caveats.Has("named_by_path"); named {
		st = st.withCaveat("named_by_path")
	}
	if len(v.c.Accesses) > 0 {
		v.w.emit(v.w.newCommand(st, ":", v.c.Accesses))
	}
	calling := v.w.calling
	v.w.calling = nil // where local is an error, and sets nothing
	v.w.script(positional(st, words[1:]), words[0].Text, v.c.Program)
	v.w.calling = calling
	return true
}

// positional is the state in which a script begins that is given words: the first is
// what it is called. Of names whose number is not known each parameter is one, or
// nothing.
func positional(st *state, args []expansion.Word) *state {
	if len(args) == 0 {
		return st
	}
	rest := args[1:]
	one := args[0].Kind == expansion.Names && !args[0].Vanishes && !args[0].Stream.Several
	if several, none := roundsOf(args[0]); (several || none) && !one {
		rest = slices.Clone(args) // the first may be several words, or none, of which $0 is one
		rest[0].Vanishes = true
	}
	next := parameters(st, rest)
	next.set("0", &args[0])
	last := args[len(args)-1]
	if last.Kind != expansion.Names || !last.Stream.Several {
		return next
	}
	each := last.Stream.One()
	first, more := expansion.OfNames(each, last.Text), expansion.OfNames(each.OrNone(), last.Text)
	if last.Vanishes || each.Handing != value.Whole {
		first = more // a quoted list may be empty, too
	}
	next.set(strconv.Itoa(len(args)-1), &first)
	for i := len(args); i <= maxParameters; i++ {
		next.set(strconv.Itoa(i), &more)
	}
	return next
}

// env reads `env NAME=value… program`. It reports true when the program
// behind it stands for the command.
func (v invocation) env(program *argv.Program) bool {
	v.options(program)
	if v.c.Caveats.Has("unknown_option") || v.c.Caveats.Has("dynamic_option") || v.moved {
		v.w.messy(guard.MessyWrapper)
	}
	st := v.st
	rest := v.args.Operands
	if len(rest) > 1 && rest[0].Is("-") { // as -i
		st, rest = st.withCaveat("assigns"), rest[1:]
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
		v.c.Caveats.Add("reads_environment")
		return false
	}
	if v.has("-u") || v.has("-i") {
		st = st.withCaveat("assigns")
	}
	st = st.withoutFunctions()
	v.w.argv(st, st, rest, v.c.Accesses)
	return true
}

// commandLookup reads `command -v name`, which only says where a program is.
func (v invocation) commandLookup() bool {
	if len(v.args.Words) < 2 || !v.args.Words[0].Is("-v") && !v.args.Words[0].Is("-V") {
		return false
	}
	v.c.Form.Put(v.args.Words[0].Text, "none")
	for _, word := range v.args.Words[1:] {
		if word.Kind != expansion.Literal || word.IsOption() {
			v.c.Caveats.Add("dynamic_word")
		}
		v.c.Form.Put("<name>", "pattern")
	}
	return true
}

// printf looks at the conversions: %n assigns a variable in bash, and zsh and
// ksh evaluate the arguments of numeric ones as expressions, command
// substitutions in them included.
func (r printReader) printf() {
	words := r.args.Words
	if slices.ContainsFunc(r.c.Form, func(e v1.Entry) bool { return strings.HasPrefix(e.Name, "-") }) {
		r.w.messy(guard.MessyBuiltin) // -v assigns
	}
	if len(words) > 0 && words[0].Is("--") {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	if words[0].Kind != expansion.Literal && len(words) > 1 {
		r.c.Caveats.Add("inline_code") // what is expanded may hold conversions
	}
	if words[0].Is(`%s\n`) {
		r.c.Printing.Lines = words[1:]
	}
	plain := "sbcq"
	if !r.w.Zsh && !r.w.Ksh {
		plain += "diouxXeEfFgGaA"
	}
	format := strings.ReplaceAll(words[0].Text, "%%", "")
	if !r.w.Zsh && !r.w.Ksh {
		format = withoutTimes(format)
	}
	for _, part := range strings.Split(format, "%")[1:] {
		part = strings.TrimLeft(part, "-+ #'0123456789.")
		if part == "" || strings.IndexByte(plain, part[0]) < 0 {
			r.c.Caveats.Add("inline_code")
		}
	}
}

// withoutTimes is a format of printf without the times in it: %(%F)T shows one that is given in
// seconds, which bash reads as digits and does not evaluate.
func withoutTimes(format string) string {
	var plain strings.Builder
	for {
		before, rest, found := strings.Cut(format, "%(")
		plain.WriteString(before)
		if !found {
			return plain.String()
		}
		shown, behind, closed := strings.Cut(rest, ")")
		after, isTime := strings.CutPrefix(behind, "T")
		if !closed || !isTime || strings.ContainsAny(shown, "(\\") {
			return plain.String() + "%(" + rest
		}
		format = after
	}
}

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
	if len(inner) > 0 && (!known || inner[0].Kind != expansion.Literal || inner[0].Text == "") {
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
func interpreted(program *argv.Program, words []expansion.Word) []expansion.Word {
	for suffix, interpreter := range program.Scripts {
		if strings.HasSuffix(words[0].Text, suffix) && !strings.Contains(words[0].Text, ":") {
			return append([]expansion.Word{{Kind: expansion.Literal, Text: interpreter}}, words...)
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
		v.started = append([]expansion.Word{{Kind: expansion.Literal, Text: name}}, v.args.Words...)
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
func (p *parsed) leadsOut(word expansion.Word) {
	if word.Kind != expansion.Literal || p.args.Program == nil || p.c.Effective.WorksIn != argv.WorksInCwd && p.args.Program.WorksIn != argv.WorksInCwd && !p.args.Program.RunsAnything {
		return
	}
	for _, part := range strings.FieldsFunc(word.Text, func(r rune) bool { return strings.ContainsRune("=:,;@|'\"()[]{}<> \t\n", r) }) {
		if part[0] == '/' || part[0] == '~' || slices.Contains(strings.Split(part, "/"), "..") {
			p.c.Caveats.Add(outsideValue)
			return
		}
	}
}
