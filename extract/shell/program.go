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
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// commands are those being read, until they are emitted.
var commands sync.Pool

func takeCommand() *Command {
	if c, ok := commands.Get().(*Command); ok {
		return c
	}
	return &Command{}
}

func giveBack(c *Command) {
	*c = Command{}
	commands.Put(c)
}

// program walks a command that is a program or a plain builtin, unwrapping
// the wrappers that the table knows.
func (w *walker) program(st *state, words []Word, redirs []Access, caveats v1.Set) {
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
	if strings.Contains(words[0].Text, "/") && (entry == nil || !caveats.Has("named_by_system_path")) {
		c.Accesses = append(c.Accesses, Access{Text: words[0].Text, Op: v1.OpExecute})
	}
	switch {
	case argv.IsOwn(name):
		p.own()
	case !caveats.Has("named_by_path") && p.version(name):
		if entry != nil {
			p.chosen(entry)
		}
	case !caveats.Has("named_by_path") && p.module(entry):
	case entry == nil:
		p.unknown()
		p.alike(likely, name)
		if declares(name) {
			p.declaration()
		}
	case name == "test" || name == "[":
		testReader{&p.effects}.command(name, p.args.Words)
	case argv.IsShell(name) && p.shellCommand():
		return // the payload's commands stand for it
	case name == "env":
		if p.env(entry) {
			return
		}
	case name == "command" && p.commandLookup():
	case entry.Wrapper == "plain":
		p.wrapper(entry)
		return
	default:
		p.entry(entry)
		p.runner()
		p.printers(name)
		p.wordsAlone()
	}
	if name == "xargs" && entry != nil && p.fedXargs() || (verb == "fd" || verb == "fdfind") && p.fedFd() {
		p.standAside()
	}
	p.inlineText(entry)
	p.finish()
	w.emit(*c)
	p.goesOn(name)
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

// goesOn walks what a program runs that is an item of its own.
func (p *parsed) goesOn(name string) {
	if argv.IsShell(name) && p.readsScript() {
		(&innerText{w: p.w, st: p.st.child()}).ranInput(name)
	}
	for _, argv := range p.after {
		p.w.program(p.st, argv, nil, nil)
	}
	p.runsBy()
}

// printers looks at what programs print that print their words.
func (p *parsed) printers(name string) {
	switch {
	case name == "printf":
		p.printf()
	case name == "echo" && len(p.args.Operands) == len(p.args.Words):
		p.c.lines = p.args.Operands
	case name == "printenv" && len(p.args.Operands) == 0:
		p.c.Caveats.Add("reads_environment")
	case name == "cut" || name == "awk" || name == "gawk" || name == "mawk" || name == "nawk":
		p.c.first = p.firstField(name)
	case name == "sed":
		p.c.picks = len(p.args.Words) == 2 && p.args.Words[0].literal("-n") && p.args.Words[1].Kind == Literal && script.SelectsLines(p.args.Words[1].Text)
	}
}

// wordsAlone notes of patterns that only what they match is printed.
func (p *parsed) wordsAlone() {
	printing, ok := p.w.table.Words.Printing.WordPrinters[p.c.Verb]
	if !ok || !printing.Holds(p.c.Form) {
		return
	}
	for i := range p.c.Accesses {
		p.c.Accesses[i].Named = p.c.Accesses[i].Glob && !p.c.Accesses[i].Tree
	}
}

// firstField reports whether cut or awk is given that it prints the first field of each
// line, as blanks part them, and nothing else.
func (p *parsed) firstField(name string) bool {
	text := ""
	for _, word := range p.args.Words {
		if word.Kind != Literal {
			return false
		}
		text += word.Text
	}
	if name == "cut" {
		return text == "-d -f1" || text == "-f1-d "
	}
	return len(p.args.Words) == 1 && (text == "{print $1}" || text == "{ print $1 }")
}

// declaration looks at a word of the shell's own behind command or builtin. Behind
// another program it is none, and is read no less strictly.
func (p *parsed) declaration() {
	named := func(word Word) bool { return !strings.HasPrefix(word.Text, "-") }
	if !slices.ContainsFunc(p.args.Words, named) {
		p.c.Caveats.Add("reads_environment")
	}
	p.printed()
}

// declares reports whether a word declares variables, or prints those there are.
func declares(name string) bool {
	return slices.Contains([]string{"declare", "typeset", "export", "readonly", "local"}, name)
}

// printed notes the variables that a declaration with -p prints.
func (p *parsed) printed() {
	if !slices.ContainsFunc(p.args.Words, func(word Word) bool {
		return strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "p")
	}) {
		return
	}
	for _, word := range p.args.Words {
		if word.Kind == Literal && guard.IsName(word.Text) {
			p.c.Variables = append(p.c.Variables, word.Text)
		}
	}
}

// standAside takes back what running another program adds, since that program
// is an item of its own.
func (p *parsed) standAside() {
	p.args.Inner = nil
	p.c.Caveats = slices.DeleteFunc(p.c.Caveats, func(caveat string) bool {
		return caveat == "inner" || caveat == "runs_anything" || caveat == "executes"
	})
	for i := range p.c.Form {
		if p.c.Form[i].Kind == "command" {
			p.c.Form[i].Kind = "item"
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
	args argv.Parser[Word]
	// tree is which files options select from a directory tree.
	tree treeSelection
	// places is what the program puts somewhere.
	places placement
	// after are the commands that this one runs on names, to be walked as commands of their own.
	after [][]Word
	// started is a command that this one runs, an item of its own, and redirs are the redirections of both.
	started []Word
	redirs  []Access
	// archives are the values of options that name an archive, and archiveOptions those options.
	archives       []Word
	archiveOptions []string
	// mark is the last value of xargs -I, and cutAt that of xargs -d.
	mark, cutAt Word
	// backups are the suffixes under which files that are changed are kept.
	backups []Word
	tests   find.Expression
}

var parses sync.Pool

// parse returns the parse of the words of a command.
func (w *walker) parse(st *state, c *Command, words []Word) *parsed {
	p, ok := parses.Get().(*parsed)
	if !ok {
		p = &parsed{}
	}
	p.effects = effects{w: w, c: c, st: st}
	p.args = argv.Parser[Word]{Host: p, Platform: w.options.Platform, Form: &c.Form, Caveats: &c.Caveats, Words: words}
	return p
}

// release gives a parse back of which nothing is used any more.
func (p *parsed) release() {
	*p = parsed{}
	parses.Put(p)
}

// version reads a line that asks a program for its version or its help alone.
func (p *parsed) version(name string) bool {
	if len(p.args.Words) != 1 || p.args.Words[0].Kind != Literal || !p.w.table.Words.PrintsVersion(name, p.args.Words[0].Text) {
		return false
	}
	p.c.Form.Put("<version>", "prints")
	return true
}

// module reads python -m of a module that Python brings and that only reads: a
// program of its own, as long as Python finds no other module of a name that it
// imports.
func (p *parsed) module(interpreter *argv.Program) bool {
	words := p.w.table.Words
	if p.c.Program != "python" && p.c.Program != "python3" || len(p.args.Words) < 2 || !p.args.Words[0].literal("-m") || p.args.Words[1].Kind != Literal {
		return false
	}
	if interpreter != nil && slices.Contains(words.Python.Tools, p.args.Words[1].Text) {
		p.toolModule(interpreter)
		return true
	}
	if !slices.Contains(words.Python.Programs, p.args.Words[1].Text) {
		return false
	}
	name := p.c.Program + " -m " + p.args.Words[1].Text
	program := p.w.table.Program(name)
	if program == nil || interpreter == nil {
		return false
	}
	p.c.Verb, p.c.Imports, p.args.Words = name, words.Python.Modules, p.args.Words[2:]
	p.entry(program)
	p.chosen(interpreter)
	return true
}

func (p *parsed) own() {
	if len(p.args.Words) == 1 && p.args.Words[0].literal("version") {
		p.c.Form.Put("<command>", "value")
		return
	}
	p.c.Caveats.Add("own_program")
}

// unknown takes every word of a program without an entry as a path that it
// may write, if it could be one.
func (p *parsed) unknown() {
	p.c.Caveats.Add("unknown_program")
	p.innerCommand(p.args.Words)
	for i, word := range p.args.Words {
		if word.isOption() {
			p.Unlisted(word.Text, p.args.Words[i+1:])
			p.c.Form.Put(argv.OptionName(word.Text), "unknown")
			p.AnyPath(word)
			continue
		}
		p.c.Form.Put("<word>", "unknown")
		if chainable(word) {
			p.c.Values.Add("<word>", word.Text)
		}
		p.unlistedOperand(p.args.Words[0].Text, word)
		p.variables(word)
		p.pathOperand(word)
		p.AnyPath(word)
	}
}

// innerCommand notes that a program or subcommand without an entry runs a command elsewhere, if one of
// its words says so: "juju ssh", "flyctl ssh console". What it runs there could be anything, and which
// words are subcommands isn't known.
func (p *parsed) innerCommand(words []Word) {
	if slices.ContainsFunc(words, func(word Word) bool {
		return word.Kind == Literal && slices.Contains(p.w.table.Words.InnerCommands, word.Text)
	}) {
		p.c.Caveats.Add("inner")
	}
}

// entry reads the command line by its table entry, subcommand by subcommand.
func (p *parsed) entry(program *argv.Program) {
	for program.Commands != nil {
		next := p.subcommand(program)
		p.risky(program)
		if next == nil {
			return
		}
		program = next
	}
	p.leadingWords(program)
	p.options(program)
	p.chain(program)
	p.roles(program)
	p.attributes(program)
	p.risky(program)
}

// subcommand reads global options and the name of the subcommand behind them.
func (p *parsed) subcommand(program *argv.Program) *argv.Program {
	p.attributes(program)
	command := p.args.Subcommand(program)
	if command.Name != "" {
		p.c.Verb += " " + command.Name
	}
	switch command.Found {
	case argv.Listed, argv.Unnamed:
	case argv.Unlisted:
		p.c.Caveats.Add("unknown_program")
		p.innerCommand(command.Rest)
		p.AnyPath(p.Literal(command.Name))
		p.unlisted(program, command.Rest)
	case argv.Unclear:
		p.loose(command.Rest)
	}
	return command.Entry
}

// unlisted reads the words behind a subcommand that the table doesn't list.
func (p *parsed) unlisted(program *argv.Program, rest []Word) {
	if program.AtFiles {
		p.noAtFiles()
	}
	for range program.ChainOperands {
		p.args.Words = rest
		rest = p.args.Leading(program)
		if p.args.Unsettled > 0 {
			if slices.ContainsFunc(rest, func(word Word) bool { return word.Kind == Literal && argv.IsCommandName(word.Text) }) {
				p.c.Caveats.Add(argv.UnknownCommand)
			}
			break
		}
		if len(rest) == 0 || rest[0].Kind != Literal || !argv.IsCommandName(rest[0].Text) {
			break
		}
		p.c.Verb += " " + rest[0].Text
		p.AnyPath(rest[0])
		rest = rest[1:]
	}
	p.loose(rest)
}

// loose takes words that the table can't explain as paths, if they could be.
func (p *parsed) loose(words []Word) {
	for i, word := range words {
		if word.isOption() {
			p.Unlisted(word.Text, words[i+1:])
			p.c.Form.Put(argv.OptionName(word.Text), "unknown")
			p.AnyPath(word)
			continue
		}
		p.c.Form.Put("<word>", "unknown")
		p.unlistedOperand(p.c.Verb[strings.LastIndexByte(p.c.Verb, ' ')+1:], word)
		p.variables(word)
		p.AnyPath(word)
	}
}

// chain moves the operands that belong to the verb chain into it.
func (p *parsed) chain(program *argv.Program) {
	if p.args.Unsettled > 0 && p.args.Unsettled <= program.ChainOperands {
		p.c.Caveats.Add(argv.UnknownCommand)
		return
	}
	for range program.ChainOperands {
		if len(p.args.Operands) == 0 {
			return
		}
		word := p.args.Operands[0]
		if word.Kind != Literal {
			p.c.Caveats.Add("dynamic_option")
			return
		}
		p.judge(program, "<chain>", word)
		if strings.Contains(word.Text, "/") {
			p.AnyPath(word) // a script by its file
		}
		if isStream(word) {
			p.c.Caveats.Add("inline_code")
		}
		// Where no script has the name, a program of the search path is run.
		if known := p.w.table.Program(word.Text); program.Wrapper == argv.WrapperRunner && known != nil && known.Style != "test" {
			p.started = p.args.Operands
		}
		p.chained(word)
		p.args.Operands = p.args.Operands[1:]
	}
}

func clip(text string) string {
	if len(text) > 64 {
		return text[:64]
	}
	return text
}

func (p *parsed) attributes(program *argv.Program) {
	idle := slices.ContainsFunc(program.Idle, p.has) && len(p.args.Operands) > 0 && p.beginsPlain(p.args.Operands[0], "+")
	if program.RunsAnything && !idle {
		p.c.Caveats.Add("runs_anything")
	}
	if program.Network {
		p.c.Caveats.Add("network")
	}
	switch program.Wrapper {
	case "inner":
		p.c.Caveats.Add("inner")
	case "privileged":
		p.c.Caveats.Add("privileged")
	}
	p.c.WorksIn = max(p.c.WorksIn, program.WorksIn)
	p.chosen(program)
	if p.textFromInput(program) {
		p.c.Caveats.Add("inline_code")
	}
}

// textFromInput reports whether a program runs what it reads on standard input.
func (p *parsed) textFromInput(program *argv.Program) bool {
	if len(program.TextIn) > 0 {
		return !slices.ContainsFunc(program.TextIn, p.has)
	}
	return program.StdinCode && len(p.args.Operands) == 0 && !p.has("-c") && !p.has("-e") && !slices.ContainsFunc(program.StdinUnless, p.has)
}

// chosen notes the files that choose which program really runs, and the variables that
// it prints.
func (p *parsed) chosen(program *argv.Program) {
	p.showsVariables(program)
	if len(program.VersionFiles) > 0 {
		p.c.VersionFiles = program.VersionFiles
	}
	p.c.Unpacks = program.Unpacks.Holds(p.has)
	if len(program.ReadsAbove) > 0 {
		p.c.ReadsAbove = program.ReadsAbove
	}
	p.c.Beside = p.c.Beside || program.Beside
	for _, file := range program.ChosenBy {
		group, ok := p.w.table.Words.ChoosingFiles[file]
		if !ok {
			group = []string{file}
		}
		for _, name := range group {
			if !slices.Contains(p.c.ChosenBy, name) {
				p.c.ChosenBy = append(p.c.ChosenBy, name)
			}
		}
	}
}

// finish ties the accesses to the directory that options chose, and adds what
// the commands within touch.
func (p *parsed) finish() {
	gitReader{&p.effects}.besideObjects()
	if len(p.args.Inner) > 0 {
		p.within()
	}
	if !p.moved {
		return
	}
	from := p.c.Dirs
	p.c.Dirs = p.dirs
	for i := range len(p.c.Accesses) {
		a := &p.c.Accesses[i]
		if a.Dirs != nil {
			continue
		}
		a.Dirs = p.dirs
		if a.Glob && len(from) > 0 {
			// The shell finds the names where it is itself.
			names := Access{Text: a.Text, Op: v1.OpList, Dirs: from, Glob: true, Split: a.Split, NoMatch: a.NoMatch, Single: a.Single, Names: value.Names{Reading: a.Reading}, Inner: a.Inner}
			p.c.Accesses = append(p.c.Accesses, names)
		}
	}
}

// within reads the command that this one runs somewhere or somehow else, and
// keeps of it what deny rules need: paths, variables and grave caveats.
func (p *parsed) within() {
	p.c.Caveats.Add("executes")
	for i, word := range p.args.Inner {
		if i > 0 && p.w.table.Program(p.args.Inner[0].Text) != nil {
			break // a program, whose own words follow
		}
		if word.literal("--") {
			p.args.Inner = p.args.Inner[i+1:]
			break
		}
	}
	if len(p.args.Inner) == 0 {
		return
	}
	line := p.aside(p.args.Inner)
	for _, code := range line.Messy {
		if code == guard.MessyNesting {
			p.w.messy(code)
		}
	}
	if p.c.Caveats.Has("privileged") && len(line.Commands) > 0 {
		p.c.Verb += " " + line.Commands[0].Verb // a chain of its own (V2)
	}
	for _, command := range line.Commands {
		p.c.Accesses = append(p.c.Accesses, command.Accesses...)
		p.c.Variables = append(p.c.Variables, command.Variables...)
		for _, caveat := range []string{"own_program", "reads_environment"} {
			if command.Caveats.Has(caveat) {
				p.c.Caveats.Add(caveat)
			}
		}
	}
}

// aside reads words as a command line of their own, which adds nothing to the line that they
// stand in.
func (p *parsed) aside(words []Word) *Line {
	w := &walker{}
	w.table, w.options, w.Dialect = p.w.table, p.w.options, lexical.Dialect{Zsh: p.w.Zsh, Ksh: p.w.Ksh, Posix: p.w.Posix}
	w.depth, w.text = p.w.depth, p.w.text
	st := p.st.withoutFunctions()
	w.argv(st, st, words, nil)
	return &w.line
}

// changesShell reports whether a builtin runs a builtin that changes the shell
// itself, which its place behind another word would hide.
func changesShell(program string, inner Word) bool {
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
func (p *parsed) wrapper(program *argv.Program) {
	p.options(program)
	p.roles(program)
	if p.c.Caveats.Has("unknown_option") || p.c.Caveats.Has("dynamic_option") {
		p.w.messy(guard.MessyWrapper)
	}
	st := p.st
	if p.moved {
		p.w.messy(guard.MessyWrapper)
		st = st.nowhere()
	}
	if program.Wrapper == "plain" && len(p.args.Inner) > 0 {
		if changesShell(p.c.Program, p.args.Inner[0]) {
			p.w.messy(guard.MessyWrapper)
		}
		if p.c.Caveats.Has("named_by_path") {
			st = st.withCaveat("named_by_path")
		}
		if program.Leaves != "" && !slices.ContainsFunc(p.c.Accesses, writesOutput) {
			p.c.Accesses = append(p.c.Accesses, Access{Text: program.Leaves, Op: v1.OpWrite})
		}
		st = st.withoutFunctions()
		ok, fail := p.w.argv(st, st, p.args.Inner, p.c.Accesses)
		if inShell(p.c.Program) && changed(st, join(ok, fail)) {
			p.w.messy(guard.MessyWrapper)
		}
		return
	}
	p.finish()
	p.w.emit(*p.c)
}

// oneWord quotes a name that isn't one plain word: a program called "git push" is
// not git's push, and what a person approves stands on one line.
func oneWord(name string) string {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || r == '"' || !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}
