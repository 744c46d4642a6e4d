package shell

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/argv/find"
	"policyd/extract/argv/script"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// commands are those being read, until they are emitted.
var commands sync.Pool

func takeCommand() *command.Command {
	if c, ok := commands.Get().(*command.Command); ok {
		return c
	}
	return &command.Command{}
}

func giveBack(c *command.Command) {
	*c = command.Command{}
	commands.Put(c)
}

// program walks a command that is a program or a plain builtin, unwrapping
// the wrappers that the table knows.
func (w *walker) program(st *state, words []expansion.Word, redirs []command.Access, caveats v1.Set) {
	if w.depth++; w.depth > maxDepth {
		w.messy(guard.MessyNesting)
		w.depth--
		return
	}
	defer func() { w.depth-- }()

	name := w.named(words[0].Text, &caveats)
	verb, entry, likely := w.entryOf(name, words[0].Text, caveats)
	c := takeCommand()
	defer giveBack(c)
	*c = w.newCommand(st, verb, redirs)
	c.Program, c.Argv = name, words
	for _, caveat := range caveats {
		c.Caveats.Add(caveat)
	}
	p := w.parse(st, c, words[1:])
	defer p.release()
	p.redirs = redirs
	v := invocation{commandReader{p}}
	if strings.Contains(words[0].Text, "/") && (entry == nil || !caveats.Has("named_by_system_path")) {
		c.Accesses = append(c.Accesses, command.AccessTo(v1.OpExecute, words[0].Text))
	}
	switch named := !caveats.Has("named_by_path"); {
	case argv.IsOwn(name):
		v.own()
	case named && v.version(name):
		if entry != nil {
			v.chosen(entry)
		}
	case named && v.module(entry):
	case entry == nil:
		v.unknown()
		v.alike(likely, name)
	case v.replaced(name, entry):
		return
	}
	if (nameRunner{p}).names(name, entry) {
		v.standAside()
	}
	textReader{p}.inlineText(entry)
	v.finish()
	w.emit(*c)
	v.goesOn(name)
}

// entryOf is the verb of a program and its entry in the table. A file that is named by a path
// is not the program of its name, and may be it: then there is no entry but a likely one.
func (s *surroundings) entryOf(name, text string, caveats v1.Set) (verb string, entry, likely *argv.Program) {
	known := s.table.On(s.options.Platform, name)
	if caveats.Has("named_by_path") {
		return oneWord(clip(text)), nil, known
	}
	return oneWord(name), known, nil
}

// invocation is a program that is run with the words of a command.
type invocation struct{ commandReader }

// replaced reads the command line of a program that the table lists. It reports whether the commands within
// stand for it.
func (v invocation) replaced(name string, entry *argv.Program) bool {
	switch {
	case name == "test" || name == "[":
		testReader{&v.effects}.command(name, v.args.Words)
	case argv.IsShell(name) && v.shellCommand():
		return true
	case name == "env":
		return v.env(entry)
	case name == "command" && v.commandLookup():
	case entry.Wrapper == argv.WrapperPlain:
		v.wrapper(entry)
		return true
	default:
		v.entry(entry)
		v.runner()
		printReader{v.parsed}.printers(name)
		printReader{v.parsed}.wordsAlone()
	}
	return false
}

// goesOn walks what a program runs that is an item of its own.
func (v invocation) goesOn(name string) {
	if argv.IsShell(name) && v.readsScript() {
		innerText{w: v.w, st: v.st.child()}.ranInput(name)
	}
	for _, words := range v.after {
		v.w.program(v.st, words, nil, nil)
	}
	v.runsBy()
}

// printReader notes what a program prints of its words.
type printReader struct{ *parsed }

// printers looks at what programs print that print their words.
func (r printReader) printers(name string) {
	switch {
	case name == "printf":
		r.printf()
	case name == "echo" && len(r.args.Operands) == len(r.args.Words):
		r.c.Printing.Lines = r.args.Operands
	case name == "printenv" && len(r.args.Operands) == 0:
		r.c.Caveats.Add("reads_environment")
	case name == "cut" || name == "awk" || name == "gawk" || name == "mawk" || name == "nawk":
		r.c.Printing.First = r.firstField(name)
	case name == "sed":
		r.c.Printing.Picks = len(r.args.Words) == 2 && r.args.Words[0].Is("-n") && r.args.Words[1].Kind == expansion.Literal && script.SelectsLines(r.args.Words[1].Text)
	}
}

// wordsAlone notes of patterns that only what they match is printed.
func (r printReader) wordsAlone() {
	if program := r.args.Program; program == nil || program.Prints == nil || !program.Prints.Words.Holds(r.c.Form) {
		return
	}
	for i := range r.c.Accesses {
		r.c.Accesses[i].Named = r.c.Accesses[i].Naming == command.ByGlob && r.c.Accesses[i].Below != command.Tree
	}
}

// firstField reports whether cut or awk is given that it prints the first field of each
// line, as blanks part them, and nothing else.
func (r printReader) firstField(name string) bool {
	text := ""
	for _, word := range r.args.Words {
		if word.Kind != expansion.Literal {
			return false
		}
		text += word.Text
	}
	if name == "cut" {
		return text == "-d -f1" || text == "-f1-d "
	}
	return len(r.args.Words) == 1 && (text == "{print $1}" || text == "{ print $1 }")
}

// declaration looks at a word of the shell's own behind command or builtin. Behind
// another program it is none, and is read no less strictly.
func (r printReader) declaration() {
	named := func(word expansion.Word) bool { return !strings.HasPrefix(word.Text, "-") }
	if !slices.ContainsFunc(r.args.Words, named) {
		r.c.Caveats.Add("reads_environment")
	}
	r.printed()
}

// declares reports whether a word declares variables, or prints those there are.
func declares(name string) bool {
	return slices.Contains([]string{"declare", "typeset", "export", "readonly", "local"}, name)
}

// printed notes the variables that a declaration with -p prints.
func (r printReader) printed() {
	if !slices.ContainsFunc(r.args.Words, func(word expansion.Word) bool {
		return strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "p")
	}) {
		return
	}
	for _, word := range r.args.Words {
		if word.Kind == expansion.Literal && value.IsName(word.Text) {
			r.c.Variables = append(r.c.Variables, word.Text)
		}
	}
}

// standAside takes back what running another program adds, since that program
// is an item of its own.
func (v invocation) standAside() {
	v.args.Inner = nil
	v.c.Caveats = slices.DeleteFunc(v.c.Caveats, func(caveat string) bool {
		return caveat == "inner" || caveat == "runs_anything" || caveat == "executes"
	})
	for i := range v.c.Form {
		if v.c.Form[i].Kind == "command" {
			v.c.Form[i].Kind = "item"
		}
	}
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

// parsed is a command line being read.
type parsed struct {
	effects
	args argv.Parser[expansion.Word]
	// tree is which files options select from a directory tree.
	tree treeSelection
	// places is what the program puts somewhere.
	places placement
	// after are the commands that this one runs on names, to be walked as commands of their own.
	after [][]expansion.Word
	// started is a command that this one runs, an item of its own, and redirs are the redirections of both.
	started []expansion.Word
	redirs  []command.Access
	// archives are the values of options that name an archive, and archiveOptions those options.
	archives       []expansion.Word
	archiveOptions []string
	// mark is the last value of xargs -I, and cutAt that of xargs -d.
	mark, cutAt expansion.Word
	// backups are the suffixes under which files that are changed are kept.
	backups []expansion.Word
	tests   find.Expression
}

var parses sync.Pool

// parse returns the parse of the words of a command.
func (w *walker) parse(st *state, c *command.Command, words []expansion.Word) *parsed {
	p, ok := parses.Get().(*parsed)
	if !ok {
		p = &parsed{}
	}
	p.effects = effects{w: w, c: c, st: st}
	p.args = argv.Parser[expansion.Word]{Host: p, Platform: w.options.Platform, Form: &c.Form, Caveats: &c.Caveats, Words: words}
	return p
}

// release gives a parse back of which nothing is used any more.
func (p *parsed) release() {
	*p = parsed{}
	parses.Put(p)
}

// version reads a line that asks a program for its version or its help alone.
func (v invocation) version(name string) bool {
	if len(v.args.Words) != 1 || v.args.Words[0].Kind != expansion.Literal || !v.w.table.PrintsVersion(name, v.args.Words[0].Text) {
		return false
	}
	v.c.Form.Put("<version>", "prints")
	return true
}

// module reads python -m of a module that Python brings and that only reads: a
// program of its own, as long as Python finds no other module of a name that it
// imports.
func (v invocation) module(interpreter *argv.Program) bool {
	words := v.w.table.Words
	if v.c.Program != "python" && v.c.Program != "python3" || len(v.args.Words) < 2 || !v.args.Words[0].Is("-m") || v.args.Words[1].Kind != expansion.Literal {
		return false
	}
	if interpreter != nil && slices.Contains(words.Python.Tools, v.args.Words[1].Text) {
		v.toolModule(interpreter)
		return true
	}
	if !slices.Contains(words.Python.Programs, v.args.Words[1].Text) {
		return false
	}
	name := v.c.Program + " -m " + v.args.Words[1].Text
	program := v.w.table.Program(name)
	if program == nil || interpreter == nil {
		return false
	}
	v.c.Verb, v.c.Selection.Imports, v.args.Words = name, words.Python.Modules, v.args.Words[2:]
	v.entry(program)
	v.chosen(interpreter)
	return true
}

func (v invocation) own() {
	if len(v.args.Words) == 1 && v.args.Words[0].Is("version") {
		v.c.Form.Put("<command>", "value")
		return
	}
	v.c.Caveats.Add("own_program")
}

// unknown takes every word of a program without an entry as a path that it
// may write, if it could be one.
func (v invocation) unknown() {
	v.c.Caveats.Add("unknown_program")
	v.innerCommand(v.args.Words)
	for i, word := range v.args.Words {
		if word.IsOption() {
			v.Unlisted(word.Text, v.args.Words[i+1:])
			v.c.Form.Put(argv.OptionName(word.Text), "unknown")
			v.AnyPath(word)
			continue
		}
		v.c.Form.Put("<word>", "unknown")
		if chainable(word) {
			v.c.Approval.Values.Add("<word>", word.Text)
		}
		riskReader{&v.effects}.operand(v.args.Words[0].Text, word)
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
		return word.Kind == expansion.Literal && slices.Contains(r.w.table.Words.InnerCommands, word.Text)
	}) {
		r.c.Caveats.Add("inner")
	}
}

// commandReader reads a command line by the entries of its program.
type commandReader struct{ *parsed }

// entry reads the command line by its table entry, subcommand by subcommand.
func (r commandReader) entry(program *argv.Program) {
	for program.Commands != nil {
		next := r.subcommand(program)
		riskReader{&r.effects}.form(program)
		if next == nil {
			return
		}
		program = next
	}
	verbChain{r.parsed, program}.leadingWords()
	r.options(program)
	verbChain{r.parsed, program}.chain()
	operandReader{verbChain{r.parsed, program}}.roles()
	r.attributes(program)
	riskReader{&r.effects}.form(program)
}

// subcommand reads global options and the name of the subcommand behind them.
func (r commandReader) subcommand(program *argv.Program) *argv.Program {
	r.attributes(program)
	command := r.args.Subcommand(program)
	if command.Name != "" {
		r.c.Verb += " " + command.Name
	}
	switch command.Found {
	case argv.Listed, argv.Unnamed:
	case argv.Unlisted:
		r.c.Caveats.Add("unknown_program")
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
		r.args.Words = rest
		rest = r.args.Leading(program)
		if r.args.Unsettled > 0 {
			if slices.ContainsFunc(rest, func(word expansion.Word) bool { return word.Kind == expansion.Literal && argv.IsCommandName(word.Text) }) {
				r.c.Caveats.Add(argv.UnknownCommand)
			}
			break
		}
		if len(rest) == 0 || rest[0].Kind != expansion.Literal || !argv.IsCommandName(rest[0].Text) {
			break
		}
		r.c.Verb += " " + rest[0].Text
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
			r.c.Form.Put(argv.OptionName(word.Text), "unknown")
			r.AnyPath(word)
			continue
		}
		r.c.Form.Put("<word>", "unknown")
		riskReader{&r.effects}.operand(r.c.Verb[strings.LastIndexByte(r.c.Verb, ' ')+1:], word)
		r.variables(word)
		r.AnyPath(word)
	}
}

// chain moves the operands that belong to the verb chain into it.
func (v verbChain) chain() {
	if v.args.Unsettled > 0 && v.args.Unsettled <= v.program.ChainOperands {
		v.c.Caveats.Add(argv.UnknownCommand)
		return
	}
	for range v.program.ChainOperands {
		if len(v.args.Operands) == 0 {
			return
		}
		word := v.args.Operands[0]
		if word.Kind != expansion.Literal {
			v.c.Caveats.Add("dynamic_option")
			return
		}
		v.judge("<chain>", word)
		if strings.Contains(word.Text, "/") {
			v.AnyPath(word) // a script by its file
		}
		if isStream(word) {
			v.c.Caveats.Add("inline_code")
		}
		// Where no script has the name, a program of the search path is run.
		if known := v.w.table.Program(word.Text); v.program.Wrapper == argv.WrapperRunner && known != nil && known.Style != "test" {
			v.started = v.args.Operands
		}
		v.chained(word)
		v.args.Operands = v.args.Operands[1:]
	}
}

func clip(text string) string {
	if len(text) > 64 {
		return text[:64]
	}
	return text
}

func (r commandReader) attributes(program *argv.Program) {
	idle := slices.ContainsFunc(program.Idle, r.has) && len(r.args.Operands) > 0 && r.beginsPlain(r.args.Operands[0], "+")
	if program.RunsAnything && !idle {
		r.c.Caveats.Add("runs_anything")
	}
	if program.Network {
		r.c.Caveats.Add("network")
	}
	switch program.Wrapper {
	case "inner":
		r.c.Caveats.Add("inner")
	case "privileged":
		r.c.Caveats.Add("privileged")
	}
	r.c.Effective.WorksIn = max(r.c.Effective.WorksIn, program.WorksIn)
	r.chosen(program)
	if r.textFromInput(program) {
		r.c.Caveats.Add("inline_code")
	}
}

// textFromInput reports whether a program runs what it reads on standard input.
func (r commandReader) textFromInput(program *argv.Program) bool {
	if len(program.TextIn) > 0 {
		return !slices.ContainsFunc(program.TextIn, r.has)
	}
	return program.StdinCode && len(r.args.Operands) == 0 && !r.has("-c") && !r.has("-e") && !slices.ContainsFunc(program.StdinUnless, r.has)
}

// chosen notes the files that choose which program really runs, and the variables that
// it prints.
func (r commandReader) chosen(program *argv.Program) {
	r.showsVariables(program)
	if len(program.VersionFiles) > 0 {
		r.c.Selection.VersionFiles = program.VersionFiles
	}
	r.c.Implied.Unpacks = program.Unpacks.Holds(r.has)
	if len(program.ReadsAbove) > 0 {
		r.c.Implied.ReadsAbove = program.ReadsAbove
	}
	r.c.Selection.Beside = r.c.Selection.Beside || program.Beside
	for _, file := range program.ChosenBy {
		group, ok := r.w.table.Words.ChoosingFiles[file]
		if !ok {
			group = []string{file}
		}
		for _, name := range group {
			if !slices.Contains(r.c.Selection.ChosenBy, name) {
				r.c.Selection.ChosenBy = append(r.c.Selection.ChosenBy, name)
			}
		}
	}
}

// finish ties the accesses to the directory that options chose, and adds what
// the commands within touch.
func (v invocation) finish() {
	gitReader{&v.effects}.besideObjects()
	if len(v.args.Inner) > 0 {
		v.within()
	}
	if !v.moved {
		return
	}
	from := v.c.Cwd.Known
	v.c.Cwd.Known = v.dirs
	for i := range len(v.c.Accesses) {
		a := &v.c.Accesses[i]
		if a.Dirs != nil {
			continue
		}
		a.Dirs = v.dirs
		if a.Naming == command.ByGlob && len(from) > 0 {
			// The shell finds the names where it is itself.
			names := command.Access{Text: a.Text, Op: v1.OpList, Dirs: from, Naming: command.ByGlob, Split: a.Split, Matches: a.Matches, Names: value.Names{Reading: a.Reading}, Inner: a.Inner}
			v.c.Accesses = append(v.c.Accesses, names)
		}
	}
}

// within reads the command that this one runs somewhere or somehow else, and
// keeps of it what deny rules need: paths, variables and grave caveats.
func (v invocation) within() {
	v.c.Caveats.Add("executes")
	for i, word := range v.args.Inner {
		if i > 0 && v.w.table.Program(v.args.Inner[0].Text) != nil {
			break // a program, whose own words follow
		}
		if word.Is("--") {
			v.args.Inner = v.args.Inner[i+1:]
			break
		}
	}
	if len(v.args.Inner) == 0 {
		return
	}
	line := v.aside(v.args.Inner)
	for _, code := range line.Messy {
		if code == guard.MessyNesting {
			v.w.messy(code)
		}
	}
	if v.c.Caveats.Has("privileged") && len(line.Commands) > 0 {
		v.c.Verb += " " + line.Commands[0].Verb // a chain of its own (V2)
	}
	for _, command := range line.Commands {
		v.c.Accesses = append(v.c.Accesses, command.Accesses...)
		v.c.Variables = append(v.c.Variables, command.Variables...)
		for _, caveat := range []string{"own_program", "reads_environment"} {
			if command.Caveats.Has(caveat) {
				v.c.Caveats.Add(caveat)
			}
		}
	}
}

// aside reads words as a command line of their own, which adds nothing to the line that they
// stand in.
func (p *parsed) aside(words []expansion.Word) *Line {
	w := &walker{}
	w.table, w.options, w.Dialect = p.w.table, p.w.options, lexical.Dialect{Zsh: p.w.Zsh, Ksh: p.w.Ksh, Posix: p.w.Posix}
	w.depth, w.text = p.w.depth, p.w.text
	st := p.st.withoutFunctions()
	w.argv(st, st, words, nil)
	return &w.line
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
func (v invocation) wrapper(program *argv.Program) {
	v.options(program)
	operandReader{verbChain{v.parsed, program}}.roles()
	if v.c.Caveats.Has("unknown_option") || v.c.Caveats.Has("dynamic_option") {
		v.w.messy(guard.MessyWrapper)
	}
	st := v.st
	if v.moved {
		v.w.messy(guard.MessyWrapper)
		st = st.nowhere()
	}
	if program.Wrapper == "plain" && len(v.args.Inner) > 0 {
		if changesShell(v.c.Program, v.args.Inner[0]) {
			v.w.messy(guard.MessyWrapper)
		}
		if v.c.Caveats.Has("named_by_path") {
			st = st.withCaveat("named_by_path")
		}
		if program.Leaves != "" && !slices.ContainsFunc(v.c.Accesses, writesOutput) {
			v.c.Accesses = append(v.c.Accesses, command.AccessTo(v1.OpWrite, program.Leaves))
		}
		st = st.withoutFunctions()
		ok, fail := v.w.argv(st, st, v.args.Inner, v.c.Accesses)
		if inShell(v.c.Program) && changed(st, join(ok, fail)) {
			v.w.messy(guard.MessyWrapper)
		}
		return
	}
	v.finish()
	v.w.emit(*v.c)
}

// oneWord quotes a name that isn't one plain word: a program called "git push" is
// not git's push, and what a person approves stands on one line.
func oneWord(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || r == '"' || !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}
