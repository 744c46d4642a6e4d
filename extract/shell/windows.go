package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/windows"
)

// windowsLine explains a line in a command language of Windows. Lines that windows.Parse
// refuses are messy; what they may run is reported for deny rules.
func (w *walker) windowsLine(st *state, text string, dialect windows.Dialect) {
	if code := guard.Bytes(text); code != "" {
		w.messy(code)
		windowsPieces(w, st, guard.VisibleOnly(text))
		return
	}
	commands, isPlain := windows.Parse(text, dialect)
	if !isPlain {
		w.messy(guard.MessyPlatformSyntax)
		windowsPieces(w, st, text)
		return
	}
	ok, fail := st, st
	var stream *windowsStream
	for i, command := range commands {
		from := join(ok, fail)
		switch command.Operator {
		case "&&":
			from = ok
		case "||":
			from = fail
		}
		if command.Operator != "|" {
			stream = nil
		}
		if !w.count(len(command.Words)) {
			break
		}
		piped := command.Operator == "|" || i+1 < len(commands) && commands[i+1].Operator == "|"
		p := windowsRun{w: w, st: from, dialect: dialect, words: command.Words, in: stream, piped: piped}
		thisOK, thisFail := p.run()
		stream = p.out
		switch command.Operator {
		case "&&":
			ok, fail = thisOK, join(fail, thisFail)
		case "||":
			ok, fail = join(ok, thisOK), thisFail
		default:
			ok, fail = thisOK, thisFail
		}
	}
}

// windowsPieces reports what a line that is not plain may run, with every word as a
// path and every variable that it names.
func windowsPieces(w *walker, st *state, text string) {
	for _, words := range windows.Fragments(text) {
		c := w.newCommand(st, clip(words[0]), nil)
		c.Caveats.Add("unknown_program")
		e := effects{w: w, c: &c, st: st}
		for _, word := range words {
			providerPath(&e, word)
			if name := variableName(word); name != "" {
				c.Variables = append(c.Variables, name)
			}
			if !w.count(1) {
				break
			}
			e.AnyPath(expansion.Word{Kind: expansion.Literal, Text: word})
		}
		w.emit(c)
	}
}

// variableName is the environment variable that $env:NAME or %NAME% names.
func variableName(word string) string {
	if strings.HasPrefix(strings.ToLower(word), "$env:") {
		return strings.ToUpper(word[len("$env:"):])
	}
	if parts := strings.Split(word, "%"); len(parts) > 2 {
		return strings.ToUpper(parts[1])
	}
	return ""
}

// windowsStream is what a pipe of PowerShell carries: text, or files.
type windowsStream struct {
	files []command.Access // nil for anything else
	// text is true for strings. Objects may name a file that a cmdlet opens.
	text bool
}

// windowsRun is one command of a line.
type windowsRun struct {
	w       *walker
	st      *state
	dialect windows.Dialect
	words   []windows.Word
	in      *windowsStream
	piped   bool
	out     *windowsStream
}

// entry returns the name by which a command is known, and its entry in the table.
func (r *windowsRun) entry(name string) (string, *argv.Program) {
	shell := argv.Cmdlets
	if r.dialect == windows.Cmd {
		shell = argv.Builtins
	}
	return r.w.table.OnWindows(shell, name, windows.Stem(strings.ToLower(name)))
}

// run walks the command, and returns what holds when it succeeded and failed.
func (r *windowsRun) run() (ok, fail *state) {
	r.out = &windowsStream{text: true}
	name := r.words[0].Text
	key, entry := r.entry(name)
	switch {
	case key == "cd":
		return r.changeDirectory()
	case key == "pushd" || key == "popd":
		r.guess(name)
		return r.st.nowhere(), r.st.nowhere()
	case entry != nil && entry.Style == "":
		r.native(key, entry)
	case entry != nil:
		r.builtin(key, entry)
	default:
		r.unknown(name)
	}
	return r.st, r.st
}

func (r *windowsRun) argv() []expansion.Word {
	out := make([]expansion.Word, 0, len(r.words))
	for _, word := range r.words[1:] {
		out = append(out, expansion.Word{Kind: expansion.Literal, Text: word.Text})
	}
	return out
}

// unknown takes a program without an entry, or one named by a path.
func (r *windowsRun) unknown(name string) {
	c := r.w.newCommand(r.st, clip(name), nil)
	base := name[strings.LastIndexAny(name, `\/`)+1:]
	c.Program = strings.TrimSuffix(strings.ToLower(base), ".exe")
	p := r.w.parse(r.st, &c, r.argv())
	defer p.release()
	v := invocation{commandReader{p}}
	if base == name && v.version(windows.Stem(c.Program)) {
		c.Program, c.Verb, c.Selection.SearchesCwd = windows.Stem(c.Program), windows.Stem(c.Program), r.dialect == windows.Cmd
		r.emit(p)
		return
	}
	if base != name {
		c.Caveats.Add("named_by_path")
		c.Accesses = append(c.Accesses, command.AccessTo(v1.OpExecute, name))
	}
	if argv.IsOwn(c.Program) {
		v.own()
	} else {
		v.unknown()
	}
	r.emit(p)
}

func (r *windowsRun) guess(verb string) {
	r.w.emitGuess(r.st, strings.ToLower(verb), r.argv(), nil)
}

// native walks a program that is the same on every system.
func (r *windowsRun) native(key string, entry *argv.Program) {
	c := r.w.newCommand(r.st, key, nil)
	c.Program = key
	c.Selection.SearchesCwd = r.dialect == windows.Cmd
	p := r.w.parse(r.st, &c, r.argv())
	defer p.release()
	if r.rewritten() {
		c.Caveats.Add("dynamic_option")
	}
	if text, is := r.nested(key); is {
		r.w.depth++
		if r.w.depth > maxDepth {
			r.w.messy(guard.MessyNesting)
		} else {
			r.w.windowsLine(r.st, text, windows.PowerShell)
		}
		r.w.depth--
		return
	}
	commandReader{p}.entry(entry)
	r.emit(p)
}

// rewritten reports whether PowerShell would hand a word to a program other
// than as it stands: versions differ about quotes, blanks and arrays.
func (r *windowsRun) rewritten() bool {
	if r.dialect == windows.Cmd {
		return false
	}
	return slices.ContainsFunc(r.words[1:], func(word windows.Word) bool {
		single := strings.HasPrefix(word.Text, "-") && !strings.HasPrefix(word.Text, "--")
		return word.Joined || word.Text == "" || strings.Contains(word.Text, `"`) || strings.HasSuffix(word.Text, `\`) && word.Quoted ||
			!word.Quoted && single && len(word.Text) > 1 && strings.ContainsAny(word.Text, ".:") ||
			!word.Quoted && strings.HasPrefix(word.Text, "~")
	})
}

// nested is the text of `powershell -Command "text"`.
func (r *windowsRun) nested(key string) (string, bool) {
	if key != "powershell" && key != "pwsh" {
		return "", false
	}
	for i, word := range r.words[1:] {
		switch strings.ToLower(word.Text) {
		case "-noprofile", "-nop", "-noninteractive", "-nologo":
			continue
		case "-command", "-c":
			return r.words[len(r.words)-1].Text, i == len(r.words)-3
		}
		break
	}
	return "", false
}

// builtin walks a cmdlet, or a command with options in the manner of cmd.
func (r *windowsRun) builtin(key string, entry *argv.Program) {
	c := r.w.newCommand(r.st, key, nil)
	c.Program = key
	c.Selection.SearchesCwd = r.dialect == windows.Cmd && entry.External
	p := r.w.parse(r.st, &c, r.argv())
	defer p.release()
	p.args.Begin(entry)
	if !entry.External && slices.ContainsFunc(r.words, func(word windows.Word) bool { return word.Splits && r.dialect == windows.Cmd }) {
		c.Caveats.Add("unknown_option")
	}
	if entry.External && r.rewritten() {
		c.Caveats.Add("dynamic_option")
	}
	if entry.Style == "cmdlet" {
		windowsArguments{operandReader{verbChain{p, entry}}}.cmdlet(r.words[1:])
	} else {
		windowsArguments{operandReader{verbChain{p, entry}}}.switches(r.words[1:])
	}
	commandReader{p}.attributes(entry)
	riskReader{&p.effects}.form(entry)
	if entry.Environment && len(p.c.Form) == 0 {
		c.Caveats.Add("reads_environment")
	}
	r.flow(p, entry)
	r.emit(p)
}

// flow follows files through a pipe: what a later command opens is what an
// earlier one found.
func (r *windowsRun) flow(p *parsed, entry *argv.Program) {
	if r.in != nil && entry.Style == "cmdlet" {
		opens := entry.Piped == "files" || entry.Piped == "both"
		switch {
		case opens && r.in.files != nil:
			for _, file := range r.in.files {
				file.Op, file.Below, file.Presence = v1.OpRead, command.Tree, command.Always
				p.c.Accesses = append(p.c.Accesses, file)
			}
		case entry.Piped == "" || entry.Piped == "files" || opens && !r.in.text:
			p.c.Caveats.Add("dynamic_word")
		}
	}
	r.out.text = entry.Style != "cmdlet" || entry.Yields == "text"
	switch {
	case entry.Yields == "files":
		r.out.files = []command.Access{}
		for _, access := range p.c.Accesses {
			access.Include = p.filters.Include
			r.out.files = append(r.out.files, access)
		}
	case entry.Yields == "same" && r.in != nil && !p.has("-ExpandProperty"):
		r.out = r.in
	}
}

func (r *windowsRun) emit(p *parsed) {
	p.c.Argv = append([]expansion.Word{{Kind: expansion.Literal, Text: r.words[0].Text}}, p.args.Words...)
	textReader{p}.windowsText(r.in != nil)
	for i := range p.c.Accesses {
		providerPath(&p.effects, p.c.Accesses[i].Text)
	}
	invocation{commandReader{p}}.finish()
	r.w.emit(*p.c)
}

// providerPath notes PowerShell's drives that are no directories.
func providerPath(e *effects, text string) {
	folded := strings.ToLower(text)
	if colon := strings.LastIndex(folded, "::"); colon >= 0 {
		folded = folded[strings.LastIndexByte(folded[:colon], '\\')+1:colon] + ":"
	}
	if strings.HasPrefix(folded, "env:") || strings.HasPrefix(folded, "environment:") || strings.HasPrefix(folded, "variable:") {
		e.c.Caveats.Add("reads_environment")
	}
}

// changeDirectory walks cd. Paths lose their ".." by spelling on Windows, so
// that the directory is known as soon as the words are.
func (r *windowsRun) changeDirectory() (ok, fail *state) {
	c := r.w.newCommand(r.st, "cd", nil)
	words := r.words[1:]
	drive := r.dialect == windows.Cmd && len(words) > 0 && strings.EqualFold(words[0].Text, "/d")
	if drive || r.dialect == windows.PowerShell && len(words) > 0 && oneOfFold(words[0].Text, "-path", "-literalpath") {
		words = words[1:]
	}
	lost := r.st.nowhere()
	if len(words) == 0 && !drive && r.dialect == windows.Cmd {
		r.w.emit(c) // prints the directory
		return r.st, r.st
	}
	target := ""
	if len(words) == 1 {
		target = words[0].Text
	}
	absolute := len(target) > 2 && target[1] == ':' && (target[2] == '\\' || target[2] == '/')
	if r.piped || target == "" || strings.ContainsAny(target, "*?[~%^") || strings.ContainsAny(target[:1], `\/-+`) ||
		!absolute && (strings.Contains(target, ":") || r.st.cwd.Others) || words[0].Splits ||
		absolute && r.dialect == windows.Cmd && !drive && !r.sameDrive(target) {
		c.Form.Put("<directory>", "unknown")
		c.Caveats.Add("cwd_unknown")
		r.w.emit(c)
		return lost, lost
	}
	c.Form.Put("<directory>", "dir")
	r.w.emit(c)
	if absolute {
		return r.st.in([]string{target}), r.st
	}
	for _, dir := range r.st.cwd.Known {
		if next := r.st.in([]string{dir + "/" + target}); ok == nil {
			ok = next
		} else {
			ok = join(ok, next)
		}
	}
	if ok == nil {
		return lost, lost
	}
	return ok, r.st
}

func oneOfFold(text string, options ...string) bool {
	return slices.ContainsFunc(options, func(option string) bool { return strings.EqualFold(text, option) })
}

func (r *windowsRun) sameDrive(target string) bool {
	return !r.st.cwd.Others && !slices.ContainsFunc(r.st.cwd.Known, func(dir string) bool { return !strings.EqualFold(dir[:min(2, len(dir))], target[:2]) })
}

// rooted reports whether a path doesn't count from the working directory alone.
func (h *host) rooted(text string) bool {
	if h.options.Platform != "windows" {
		return strings.HasPrefix(text, "/")
	}
	return strings.ContainsAny(text[:1], `/\~`) || strings.Contains(text, ":")
}

// windowsArguments reads the words of a command of Windows.
type windowsArguments struct{ operandReader }

// cmdlet reads parameters in the manner of PowerShell. Arguments that commas
// tie together are one.
func (a windowsArguments) cmdlet(words []windows.Word) {
	var positional [][]expansion.Word
	if a.program.Piped == "text" && slices.ContainsFunc(words, deepProperty) {
		a.c.Caveats.Add("dynamic_word")
	}
	for len(words) > 0 {
		if !words[0].IsParameter() {
			n := group(words)
			positional = append(positional, literals(words[:n]))
			words = words[n:]
			continue
		}
		words = a.parameter(words)
	}
	a.positional(positional)
}

// parameter reads a parameter and its value, and returns the words behind it.
func (a windowsArguments) parameter(words []windows.Word) []windows.Word {
	name, value, attached := strings.Cut(words[0].Text, ":")
	words = words[1:]
	known, ok := a.program.Parameter(name)
	switch takes := ok && known.Kinds[0] != "none"; {
	case !ok || !takes && attached:
		a.args.Unknown(name)
		a.AnyPath(expansion.Word{Kind: expansion.Literal, Text: value})
		return words
	case !takes:
		a.c.Form.Put(known.Canonical, "none")
		return words
	}
	n := 0
	switch {
	case attached && value != "":
		a.Value(known, known.Kinds[0], expansion.Word{Kind: expansion.Literal, Text: value})
		for n < len(words) && words[n].Joined {
			n++
		}
	case len(words) > 0 && !words[0].IsParameter():
		n = group(words)
	default:
		a.args.Unknown(name)
	}
	for _, word := range literals(words[:n]) {
		a.Value(known, known.Kinds[0], word)
	}
	return words[n:]
}

// deepProperty reports whether a word may name a property of a process that
// holds its environment.
func deepProperty(word windows.Word) bool {
	folded := strings.ToLower(word.Text)
	return strings.Contains(folded, "startinfo") || strings.Contains(folded, "environment")
}

// group is the number of words that commas tie to the first.
func group(words []windows.Word) int {
	n := 1
	for n < len(words) && words[n].Joined {
		n++
	}
	return n
}

func literals(words []windows.Word) []expansion.Word {
	out := make([]expansion.Word, 0, len(words))
	for _, word := range words {
		out = append(out, expansion.Word{Kind: expansion.Literal, Text: word.Text})
	}
	return out
}

// positional gives arguments without a name their roles by their places.
func (a windowsArguments) positional(groups [][]expansion.Word) {
	rule, _ := a.program.Rule(a.has)
	for i, words := range groups {
		at := i
		if last := len(rule.Roles) - 1; last >= 0 && rule.Roles[last].Repeat {
			at = min(i, last)
		}
		for _, word := range words {
			if at >= len(rule.Roles) {
				a.c.Form.Put("<more>", "unknown")
				a.c.Caveats.Add("unknown_option")
				riskReader{&a.effects}.operand("", word)
				a.AnyPath(word)
				continue
			}
			r := rule.Roles[at]
			r.Repeat = true
			a.role(r, word, a.walks())
			if at == len(rule.Roles)-1 && a.program.Filters[r.Label] != "" {
				a.filter(r.Label, word)
			}
		}
	}
	if len(a.c.Accesses) == 0 {
		a.impliedAccess(false)
	}
	a.places.land(&a.effects, a.program.Places)
}

// switches reads options in the manner of cmd: /S, /O:N, /ON, several in one
// word, upper and lower case alike.
func (a windowsArguments) switches(words []windows.Word) {
	if a.program.Style == "text" {
		a.args.Operands = literals(words)
		words = nil
	}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		known, ok := a.program.Switch(word.Text)
		switch {
		case ok && !word.Quoted && known.Kinds[0] == "list" && len(words) > 0 && !strings.HasPrefix(words[0].Text, "/"):
			a.Value(known, "list", expansion.Word{Kind: expansion.Literal, Text: words[0].Text}) // where /R takes the next word
			words = words[1:]
		case word.Quoted || !strings.HasPrefix(word.Text, "/"):
			if strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "/") {
				a.c.Form.Put(argv.OptionName(word.Text), "unknown")
				a.c.Caveats.Add("unknown_option")
			}
			a.args.Operands = append(a.args.Operands, expansion.Word{Kind: expansion.Literal, Text: word.Text})
		case strings.Contains(word.Text, ":"):
			a.switchOption(word.Text)
		default:
			for part := range strings.SplitSeq(word.Text[1:], "/") {
				a.switchOption("/" + part)
			}
		}
	}
	a.roles()
}

func (a windowsArguments) switchOption(text string) {
	name, value, attached := strings.Cut(text, ":")
	known, ok := a.program.Switch(name)
	switch {
	case ok && known.Kinds[0] == "none" && !attached:
		a.c.Form.Put(known.Canonical, "none")
		return
	case ok && known.Kinds[0] != "none" && (attached || strings.HasSuffix(known.Kinds[0], "?")):
		a.Value(known, known.Kinds[0], expansion.Word{Kind: expansion.Literal, Text: value})
		return
	case !attached && len(text) > 2:
		if a.bundled(text[1:]) {
			return
		}
		known, ok := a.program.Switch(text[:2])
		if ok && strings.HasSuffix(known.Kinds[0], "?") {
			a.Value(known, known.Kinds[0], expansion.Word{Kind: expansion.Literal, Text: text[2:]})
			return
		}
	}
	a.c.Form.Put(argv.OptionName(text), "unknown")
	a.c.Caveats.Add("unknown_option")
	a.AnyPath(expansion.Word{Kind: expansion.Literal, Text: value})
}

// bundled reads letters behind one slash, each an option without a value.
func (a windowsArguments) bundled(letters string) bool {
	var found []string
	for i := range len(letters) {
		known, ok := a.program.Switch("/" + letters[i:i+1])
		if !ok || !slices.Equal(known.Kinds, []string{"none"}) {
			return false
		}
		found = append(found, known.Canonical)
	}
	for _, canonical := range found {
		a.c.Form.Put(canonical, "none")
	}
	return true
}
