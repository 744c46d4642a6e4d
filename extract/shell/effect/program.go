package effect

import (
	"maps"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/argv/script"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/value"
)

// printReader notes what a program prints of its words.
type printReader struct{ *Reader }

// printers looks at what programs print that print their words.
func (r printReader) printers(name string) {
	switch {
	case name == "printf":
		r.printf()
	case name == "echo" && len(r.Args.Operands) == len(r.Args.Words):
		r.Command.Printing.Lines = r.Args.Operands
	case name == "printenv" && len(r.Args.Operands) == 0:
		r.Command.Caveats.Add("reads_environment")
	case name == "cut" || name == "awk" || name == "gawk" || name == "mawk" || name == "nawk":
		r.Command.Printing.First = r.firstField(name)
	case name == "sed":
		r.Command.Printing.Picks = len(r.Args.Words) == 2 && r.Args.Words[0].Is("-n") && r.Args.Words[1].Kind == expansion.Literal && script.SelectsLines(r.Args.Words[1].Text)
	}
}

// wordsAlone notes of patterns that only what they match is printed.
func (r printReader) wordsAlone() {
	if program := r.Args.Program; program == nil || program.Prints == nil || !program.Prints.Words.Holds(r.Command.Form) {
		return
	}
	for i := range r.Command.Accesses {
		r.Command.Accesses[i].Named = r.Command.Accesses[i].Naming == command.ByGlob && r.Command.Accesses[i].Below != command.Tree
	}
}

// firstField reports whether cut or awk is given that it prints the first field of each
// line, as blanks part them, and nothing else.
func (r printReader) firstField(name string) bool {
	text := ""
	for _, word := range r.Args.Words {
		if word.Kind != expansion.Literal {
			return false
		}
		text += word.Text
	}
	if name == "cut" {
		return text == "-d -f1" || text == "-f1-d "
	}
	return len(r.Args.Words) == 1 && (text == "{print $1}" || text == "{ print $1 }")
}

// declaration looks at a word of the shell's own behind command or builtin. Behind
// another program it is none, and is read no less strictly.
func (r printReader) declaration() {
	named := func(word expansion.Word) bool { return !strings.HasPrefix(word.Text, "-") }
	if !slices.ContainsFunc(r.Args.Words, named) {
		r.Command.Caveats.Add("reads_environment")
	}
	r.printed()
}

// Declares reports whether a word declares variables, or prints those there are.
func Declares(name string) bool {
	return slices.Contains([]string{"declare", "typeset", "export", "readonly", "local"}, name)
}

// printed notes the variables that a declaration with -p prints.
func (r printReader) printed() {
	if !slices.ContainsFunc(r.Args.Words, func(word expansion.Word) bool {
		return strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "p")
	}) {
		return
	}
	for _, word := range r.Args.Words {
		if word.Kind == expansion.Literal && value.IsName(word.Text) {
			r.Command.Variables = append(r.Command.Variables, word.Text)
		}
	}
}

// standAside takes back what running another program adds, since that program
// is an item of its own.
func (v Invocation) standAside() {
	v.Args.Inner = nil
	v.Command.Caveats = slices.DeleteFunc(v.Command.Caveats, func(caveat string) bool {
		return caveat == "inner" || caveat == "runs_anything" || caveat == "executes"
	})
	for i := range v.Command.Form {
		if v.Command.Form[i].Kind == "command" {
			v.Command.Form[i].Kind = "item"
		}
	}
}

// ReadVersion reads a line that asks a program for its version or its help alone.
func (v Invocation) ReadVersion(name string) bool {
	if len(v.Args.Words) != 1 || v.Args.Words[0].Kind != expansion.Literal || !v.Table.PrintsVersion(name, v.Args.Words[0].Text) {
		return false
	}
	v.Command.Form.Put("<version>", "prints")
	return true
}

// module reads python -m of a module that Python brings and that only reads: a
// program of its own, as long as Python finds no other module of a name that it
// imports.
func (v Invocation) module(interpreter *argv.Program) bool {
	words := v.Table.Words
	if v.Command.Program != "python" && v.Command.Program != "python3" || len(v.Args.Words) < 2 || !v.Args.Words[0].Is("-m") || v.Args.Words[1].Kind != expansion.Literal {
		return false
	}
	if interpreter != nil && slices.Contains(words.Python.Tools, v.Args.Words[1].Text) {
		v.toolModule(interpreter)
		return true
	}
	if !slices.Contains(words.Python.Programs, v.Args.Words[1].Text) {
		return false
	}
	name := v.Command.Program + " -m " + v.Args.Words[1].Text
	program := v.Table.Program(name)
	if program == nil || interpreter == nil {
		return false
	}
	v.Command.Verb, v.Command.Selection.Imports, v.Args.Words = name, words.Python.Modules, v.Args.Words[2:]
	v.ReadEntry(program)
	v.chosen(interpreter)
	return true
}

// ReadOwn reads a command line of policyd itself.
func (v Invocation) ReadOwn() {
	if len(v.Args.Words) == 1 && v.Args.Words[0].Is("version") {
		v.Command.Form.Put("<command>", "value")
		return
	}
	v.Command.Caveats.Add("own_program")
}

// ReadUnknown takes every word of a program without an entry as a path that it
// may write, if it could be one.
func (v Invocation) ReadUnknown() {
	v.Command.Caveats.Add("unknown_program")
	v.innerCommand(v.Args.Words)
	for i, word := range v.Args.Words {
		if word.IsOption() {
			v.Unlisted(word.Text, v.Args.Words[i+1:])
			v.Command.Form.Put(argv.OptionName(word.Text), "unknown")
			v.AnyPath(word)
			continue
		}
		v.Command.Form.Put("<word>", "unknown")
		if chainable(word) {
			v.Command.Approval.Values.Add("<word>", word.Text)
		}
		riskReader{&v.Effects}.operand(v.Args.Words[0].Text, word)
		v.variables(word)
		v.pathOperand(word)
		v.AnyPath(word)
	}
}

// innerCommand notes that a program or subcommand without an entry runs a command elsewhere, if one of
// its words says so: "juju ssh", "flyctl ssh console". What it runs there could be anything, and which
// words are subcommands isn't known.
func (r commandReader) innerCommand(words []expansion.Word) {
	if slices.ContainsFunc(words, func(word expansion.Word) bool {
		return word.Kind == expansion.Literal && slices.Contains(r.Table.Words.InnerCommands, word.Text)
	}) {
		r.Command.Caveats.Add("inner")
	}
}

// commandReader reads a command line by the entries of its program.
type commandReader struct{ *Reader }

// ReadEntry reads the command line by its table entry, subcommand by subcommand.
func (r commandReader) ReadEntry(program *argv.Program) {
	for program.Commands != nil {
		next := r.subcommand(program)
		riskReader{&r.Effects}.form(program)
		if next == nil {
			return
		}
		program = next
	}
	verbChain{r.Reader, program}.leadingWords()
	r.ReadOptions(program)
	verbChain{r.Reader, program}.chain()
	operandReader{verbChain{r.Reader, program}}.roles()
	r.attributes(program)
	riskReader{&r.Effects}.form(program)
}

// subcommand reads global options and the name of the subcommand behind them.
func (r commandReader) subcommand(program *argv.Program) *argv.Program {
	r.attributes(program)
	command := r.Args.Subcommand(program)
	if command.Name != "" {
		r.Command.Verb += " " + command.Name
	}
	switch command.Found {
	case argv.Listed, argv.Unnamed:
	case argv.Unlisted:
		r.Command.Caveats.Add("unknown_program")
		r.innerCommand(command.Rest)
		r.AnyPath(r.Literal(command.Name))
		r.unlisted(program, command.Rest)
	case argv.Unclear:
		r.loose(command.Rest)
	}
	return command.Entry
}

// unlisted reads the words behind a subcommand that the table doesn't list.
func (r commandReader) unlisted(program *argv.Program, rest []expansion.Word) {
	if program.AtFiles {
		r.noAtFiles()
	}
	for range program.ChainOperands {
		r.Args.Words = rest
		rest = r.Args.Leading(program)
		if r.Args.Unsettled > 0 {
			if slices.ContainsFunc(rest, func(word expansion.Word) bool { return word.Kind == expansion.Literal && argv.IsCommandName(word.Text) }) {
				r.Command.Caveats.Add(argv.UnknownCommand)
			}
			break
		}
		if len(rest) == 0 || rest[0].Kind != expansion.Literal || !argv.IsCommandName(rest[0].Text) {
			break
		}
		r.Command.Verb += " " + rest[0].Text
		r.AnyPath(rest[0])
		rest = rest[1:]
	}
	r.loose(rest)
}

// loose takes words that the table can't explain as paths, if they could be.
func (r commandReader) loose(words []expansion.Word) {
	for i, word := range words {
		if word.IsOption() {
			r.Unlisted(word.Text, words[i+1:])
			r.Command.Form.Put(argv.OptionName(word.Text), "unknown")
			r.AnyPath(word)
			continue
		}
		r.Command.Form.Put("<word>", "unknown")
		riskReader{&r.Effects}.operand(r.Command.Verb[strings.LastIndexByte(r.Command.Verb, ' ')+1:], word)
		r.variables(word)
		r.AnyPath(word)
		if word.Kind != expansion.Literal || !pathLike(word.Text) {
			// It may name what is made in the working directory.
			r.Command.Effective.WorksIn = max(r.Command.Effective.WorksIn, argv.WorksInCwd)
		}
	}
}

// chain moves the operands that belong to the verb chain into it.
func (v verbChain) chain() {
	if v.Args.Unsettled > 0 && v.Args.Unsettled <= v.program.ChainOperands {
		v.Command.Caveats.Add(argv.UnknownCommand)
		return
	}
	for range v.program.ChainOperands {
		if len(v.Args.Operands) == 0 {
			return
		}
		word := v.Args.Operands[0]
		if word.Kind != expansion.Literal {
			v.Command.Caveats.Add("dynamic_option")
			return
		}
		v.judge("<chain>", word)
		if strings.Contains(word.Text, "/") {
			v.AnyPath(word) // a script by its file
		}
		if isStream(word) {
			v.Command.Caveats.Add("inline_code")
		}
		// Where no script has the name, a program of the search path is run.
		if known := v.Table.Program(word.Text); v.program.Wrapper == argv.WrapperRunner && known != nil && known.Style != "test" {
			v.Started = v.Args.Operands
		}
		v.chained(word)
		v.Args.Operands = v.Args.Operands[1:]
	}
}

// isIdle reports whether an option keeps a program that runs others from running any: it only reads its script, or its
// text does nothing but print.
func (r commandReader) isIdle(program *argv.Program) bool {
	return slices.ContainsFunc(program.Idle, func(option string) bool {
		kind, given := r.Command.Form.Get(option)
		return given && (script.Is(kind) || len(r.Args.Operands) > 0 && r.beginsPlain(r.Args.Operands[0], "+"))
	})
}

func (r commandReader) attributes(program *argv.Program) {
	if program.RunsAnything && !r.isIdle(program) {
		r.Command.Caveats.Add("runs_anything")
	}
	if program.Network {
		r.Command.Caveats.Add("network")
	}
	switch program.Wrapper {
	case "inner":
		r.Command.Caveats.Add("inner")
	case "privileged":
		r.Command.Caveats.Add("privileged")
	}
	r.Command.Effective.WorksIn = max(r.Command.Effective.WorksIn, program.WorksIn)
	r.ReadLeft(program)
	r.chosen(program)
	if r.textFromInput(program) {
		r.Command.Caveats.Add("inline_code")
	}
}

// ReadLeft adds the files that a program writes without a word that names them.
func (r commandReader) ReadLeft(program *argv.Program) {
	for _, file := range slices.Sorted(maps.Keys(program.Leaves)) {
		if program.Leaves[file].Holds(r.Has) {
			r.Command.Accesses = append(r.Command.Accesses, command.AccessTo(v1.OpWrite, file))
		}
	}
}

// textFromInput reports whether a program runs what it reads on standard input.
func (r commandReader) textFromInput(program *argv.Program) bool {
	if len(program.TextIn) > 0 {
		return !slices.ContainsFunc(program.TextIn, r.Has)
	}
	return program.StdinCode && len(r.Args.Operands) == 0 && !r.Has("-c") && !r.Has("-e") && !slices.ContainsFunc(program.StdinUnless, r.Has)
}

// chosen notes the files that choose which program really runs, and the variables that
// it prints.
func (r commandReader) chosen(program *argv.Program) {
	r.showsVariables(program)
	if len(program.VersionFiles) > 0 {
		r.Command.Selection.VersionFiles = program.VersionFiles
	}
	r.changes(program)
	if len(program.ReadsAbove) > 0 {
		r.Command.Implied.ReadsAbove = program.ReadsAbove
	}
	r.Command.Selection.Beside = r.Command.Selection.Beside || program.Beside
	for _, file := range program.ChosenBy {
		group, ok := r.Table.Words.ChoosingFiles[file]
		if !ok {
			group = []string{file}
		}
		for _, name := range group {
			if !slices.Contains(r.Command.Selection.ChosenBy, name) {
				r.Command.Selection.ChosenBy = append(r.Command.Selection.ChosenBy, name)
			}
		}
	}
}

// Finish ties the accesses to the directory that options chose, and adds what
// the commands within touch.
func (v Invocation) Finish() {
	gitReader{&v.Effects}.besideObjects()
	if len(v.Args.Inner) > 0 {
		v.within()
	}
	if !v.Moved {
		return
	}
	from := v.Command.Cwd.Known
	v.Command.Cwd.Known = v.Dirs
	for i := range len(v.Command.Accesses) {
		a := &v.Command.Accesses[i]
		if a.Dirs != nil {
			continue
		}
		a.Dirs = v.Dirs
		if a.Naming == command.ByGlob && len(from) > 0 {
			// The shell finds the names where it is itself.
			names := command.Access{Text: a.Text, Op: v1.OpList, Dirs: from, Naming: command.ByGlob, Split: a.Split, Matches: a.Matches, Names: value.Names{Reading: a.Reading}, Inner: a.Inner}
			v.Command.Accesses = append(v.Command.Accesses, names)
		}
	}
}

// within reads the command that this one runs somewhere or somehow else, and
// keeps of it what deny rules need: paths, variables and grave caveats.
func (v Invocation) within() {
	v.Command.Caveats.Add("executes")
	for i, word := range v.Args.Inner {
		if i > 0 && v.Table.Program(v.Args.Inner[0].Text) != nil {
			break // a program, whose own words follow
		}
		if word.Is("--") {
			v.Args.Inner = v.Args.Inner[i+1:]
			break
		}
	}
	if len(v.Args.Inner) == 0 {
		return
	}
	commands, messy := v.Shell.Aside(v.Args.Inner)
	for _, code := range messy {
		if code == guard.MessyNesting {
			v.Shell.Messy(code)
		}
	}
	if v.Command.Caveats.Has("privileged") && len(commands) > 0 {
		v.Command.Verb += " " + commands[0].Verb // a chain of its own (V2)
	}
	for _, inner := range commands {
		v.Command.Accesses = append(v.Command.Accesses, inner.Accesses...)
		v.Command.Variables = append(v.Command.Variables, inner.Variables...)
		for _, caveat := range []string{"own_program", "reads_environment"} {
			if inner.Caveats.Has(caveat) {
				v.Command.Caveats.Add(caveat)
			}
		}
	}
}

// Read reads a program that is known by its name alone, or not at all: policyd itself, a request for a
// version, a module of Python's, a program without an entry. It reports false for others.
func (v Invocation) Read(name string, entry, likely *argv.Program, caveats v1.Set) bool {
	switch named := !caveats.Has("named_by_path"); {
	case argv.IsOwn(name):
		v.ReadOwn()
	case named && v.ReadVersion(name):
		if entry != nil {
			v.chosen(entry)
		}
	case named && v.module(entry):
	case entry == nil:
		v.ReadUnknown()
		v.alike(likely, name)
	default:
		return false
	}
	return true
}

// ReadListed reads a program by its entry in the table.
func (v Invocation) ReadListed(name string, entry *argv.Program) {
	v.ReadEntry(entry)
	v.runner()
	printReader{v.Reader}.printers(name)
	printReader{v.Reader}.wordsAlone()
}

// ReadWrapper reads the words of a wrapper in front of the command that it runs.
func (v Invocation) ReadWrapper(program *argv.Program) {
	v.ReadOptions(program)
	operandReader{verbChain{v.Reader, program}}.roles()
}

// Complete adds what the command does with names, program text and directories, once its words are read.
func (v Invocation) Complete(name string, entry *argv.Program) {
	if (nameRunner{v.Reader}).names(name, entry) {
		v.standAside()
	}
	textReader{v.Reader}.inlineText(entry)
	v.Finish()
}

// ReadLookup reads `command -v name`, which only says where a program is.
func (v Invocation) ReadLookup() bool {
	if len(v.Args.Words) < 2 || !v.Args.Words[0].Is("-v") && !v.Args.Words[0].Is("-V") {
		return false
	}
	v.Command.Form.Put(v.Args.Words[0].Text, "none")
	for _, word := range v.Args.Words[1:] {
		if word.Kind != expansion.Literal || word.IsOption() {
			v.Command.Caveats.Add("dynamic_word")
		}
		v.Command.Form.Put("<name>", "pattern")
	}
	return true
}

// printf looks at the conversions: %n assigns a variable in bash, and zsh and
// ksh evaluate the arguments of numeric ones as expressions, command
// substitutions in them included.
func (r printReader) printf() {
	words := r.Args.Words
	if slices.ContainsFunc(r.Command.Form, func(e v1.Entry) bool { return strings.HasPrefix(e.Name, "-") }) {
		r.Shell.Messy(guard.MessyBuiltin) // -v assigns
	}
	if len(words) > 0 && words[0].Is("--") {
		words = words[1:]
	}
	if len(words) == 0 {
		return
	}
	if words[0].Kind != expansion.Literal && len(words) > 1 {
		r.Command.Caveats.Add("inline_code") // what is expanded may hold conversions
	}
	if words[0].Is(`%s\n`) {
		r.Command.Printing.Lines = words[1:]
	}
	plain := "sbcq"
	if !r.Zsh && !r.Ksh {
		plain += "diouxXeEfFgGaA"
	}
	format := strings.ReplaceAll(words[0].Text, "%%", "")
	if !r.Zsh && !r.Ksh {
		format = withoutTimes(format)
	}
	for _, part := range strings.Split(format, "%")[1:] {
		part = strings.TrimLeft(part, "-+ #'0123456789.")
		if part == "" || strings.IndexByte(plain, part[0]) < 0 {
			r.Command.Caveats.Add("inline_code")
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

// RunBy is the caveat of a command that is run through another one, or by a path: a program of
// the project may stand for the one that its name says.
const RunBy = "run_by"

// runner takes the command behind uv run, bundle exec and the like for an item of its own,
// unless an option that the table doesn't know may have taken words of it.
func (v Invocation) runner() {
	if v.Args.Program == nil || v.Args.Program.Wrapper != argv.WrapperRunner {
		return
	}
	inner := v.Args.Inner
	known := !v.Command.Caveats.Has("unknown_option") && !v.Command.Caveats.Has("dynamic_option")
	if len(inner) > 0 && (!known || inner[0].Kind != expansion.Literal || inner[0].Text == "") {
		v.Args.Inner = nil
		v.loose(inner)
		v.Command.Caveats.Add("runs_anything")
		return
	}
	v.standAside()
	if len(inner) > 0 {
		v.Started = interpreted(v.Args.Program, inner)
	}
}

// toolModule reads python -m NAME as the program of that name, which it runs.
func (v Invocation) toolModule(interpreter *argv.Program) {
	v.Command.Verb, v.Args.Words = v.Args.Words[1].Text, v.Args.Words[2:]
	v.Command.Caveats.Add(RunBy)
	if program := v.Table.On(v.Platform, v.Command.Verb); program != nil {
		v.ReadEntry(program)
		v.runner()
	} else {
		v.ReadUnknown()
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
func (v Invocation) alike(likely *argv.Program, name string) {
	if Declares(name) {
		printReader{v.Reader}.declaration()
	}
	if likely == nil || likely.Wrapper != "" {
		return
	}
	if likely.RunsAnything || likely.Network || len(likely.Commands)+len(likely.ChainRoles) > 0 || likely.Targets != 0 {
		v.Started = append([]expansion.Word{{Kind: expansion.Literal, Text: name}}, v.Args.Words...)
	}
}

// outsideValue is the caveat of a command with a word that the table explains as no path,
// and that would lead out of every directory if the program took it for one all the same.
const outsideValue = "outside_value"

// leadsOut notes a value or a name of which a part would be a path to somewhere else, where
// it is given to a program that works on a project or runs others.
func (p *Reader) leadsOut(word expansion.Word) {
	if word.Kind != expansion.Literal || p.Args.Program == nil || p.Command.Effective.WorksIn != argv.WorksInCwd && p.Args.Program.WorksIn != argv.WorksInCwd && !p.Args.Program.RunsAnything {
		return
	}
	for _, part := range strings.FieldsFunc(word.Text, func(r rune) bool { return strings.ContainsRune("=:,;@|'\"()[]{}<> \t\n", r) }) {
		if part[0] == '/' || part[0] == '~' || slices.Contains(strings.Split(part, "/"), "..") {
			p.Command.Caveats.Add(outsideValue)
			return
		}
	}
}
