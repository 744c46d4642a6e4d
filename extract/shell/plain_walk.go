package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
)

// plain explains a line in a command language of Windows. Lines that are not
// plain are messy; what they may run is reported for deny rules.
func (w *walker) plain(st *state, text string, dialect dialect) {
	if code := guard.Bytes(text); code != "" {
		w.messy(code)
		w.pieces(st, guard.VisibleOnly(text))
		return
	}
	commands, isPlain := plainLine(text, dialect)
	if !isPlain {
		w.messy(guard.MessyPlatformSyntax)
		w.pieces(st, text)
		return
	}
	ok, fail := st, st
	var stream *plainStream
	for i, command := range commands {
		from := join(ok, fail)
		switch command.operator {
		case "&&":
			from = ok
		case "||":
			from = fail
		}
		if command.operator != "|" {
			stream = nil
		}
		if !w.count(len(command.words)) {
			break
		}
		piped := command.operator == "|" || i+1 < len(commands) && commands[i+1].operator == "|"
		p := plainRun{w: w, st: from, dialect: dialect, words: command.words, in: stream, piped: piped}
		thisOK, thisFail := p.run()
		stream = p.out
		switch command.operator {
		case "&&":
			ok, fail = thisOK, join(fail, thisFail)
		case "||":
			ok, fail = join(ok, thisOK), thisFail
		default:
			ok, fail = thisOK, thisFail
		}
	}
}

// pieces reports what a line that is not plain may run, with every word as a
// path and every variable that it names.
func (w *walker) pieces(st *state, text string) {
	for _, words := range plainPieces(text) {
		c := w.newCommand(st, clip(words[0]), nil)
		c.Caveats.Add("unknown_program")
		p := parsed{w: w, c: &c, st: st}
		for _, word := range words {
			p.providerPath(word)
			if name := variableName(word); name != "" {
				c.Variables = append(c.Variables, name)
			}
			if !w.count(1) {
				break
			}
			p.anyPath(Word{Kind: Literal, Text: word})
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

// plainStream is what a pipe of PowerShell carries: text, or files.
type plainStream struct {
	files []Access // nil for anything else
	// text is true for strings. Objects may name a file that a cmdlet opens.
	text bool
}

// plainRun is one command of a plain line.
type plainRun struct {
	w       *walker
	st      *state
	dialect dialect
	words   []plainWord
	in      *plainStream
	piped   bool
	out     *plainStream
}

// run walks the command, and returns what holds when it succeeded and failed.
func (r *plainRun) run() (ok, fail *state) {
	r.out = &plainStream{text: true}
	name := r.words[0].text
	key, entry := r.w.table.windowsProgram(r.dialect, name)
	switch {
	case key == "cd":
		return r.changeDirectory()
	case key == "pushd" || key == "popd":
		r.guess(name)
		return r.st.nowhere(), r.st.nowhere()
	case entry != nil && entry.style == "":
		r.native(key, entry)
	case entry != nil:
		r.builtin(key, entry)
	default:
		r.unknown(name)
	}
	return r.st, r.st
}

func (r *plainRun) argv() []Word {
	out := make([]Word, 0, len(r.words))
	for _, word := range r.words[1:] {
		out = append(out, Word{Kind: Literal, Text: word.text})
	}
	return out
}

// unknown takes a program without an entry, or one named by a path.
func (r *plainRun) unknown(name string) {
	c := r.w.newCommand(r.st, clip(name), nil)
	base := name[strings.LastIndexAny(name, `\/`)+1:]
	c.Program = strings.TrimSuffix(strings.ToLower(base), ".exe")
	p := parsed{w: r.w, c: &c, st: r.st, words: r.argv()}
	if base == name && p.version(windowsStem(c.Program)) {
		c.Program, c.Verb, c.SearchesCwd = windowsStem(c.Program), windowsStem(c.Program), r.dialect == cmd
		r.emit(&p)
		return
	}
	if base != name {
		c.Caveats.Add("named_by_path")
		c.Accesses = append(c.Accesses, Access{Text: name, Op: v1.OpExecute})
	}
	if ownProgram(c.Program) {
		p.own()
	} else {
		p.unknown()
	}
	r.emit(&p)
}

func (r *plainRun) guess(verb string) {
	r.w.emitGuess(r.st, strings.ToLower(verb), r.argv(), nil)
}

// native walks a program that is the same on every system.
func (r *plainRun) native(key string, entry *Program) {
	c := r.w.newCommand(r.st, key, nil)
	c.Program = key
	c.SearchesCwd = r.dialect == cmd
	p := parsed{w: r.w, c: &c, st: r.st, words: r.argv()}
	if r.rewritten() {
		c.Caveats.Add("dynamic_option")
	}
	if text, is := r.nested(key); is {
		r.w.depth++
		if r.w.depth > maxDepth {
			r.w.messy(guard.MessyNesting)
		} else {
			r.w.plain(r.st, text, powershell)
		}
		r.w.depth--
		return
	}
	p.entry(entry)
	r.emit(&p)
}

// rewritten reports whether PowerShell would hand a word to a program other
// than as it stands: versions differ about quotes, blanks and arrays.
func (r *plainRun) rewritten() bool {
	if r.dialect == cmd {
		return false
	}
	return slices.ContainsFunc(r.words[1:], func(word plainWord) bool {
		single := strings.HasPrefix(word.text, "-") && !strings.HasPrefix(word.text, "--")
		return word.more || word.text == "" || strings.Contains(word.text, `"`) || strings.HasSuffix(word.text, `\`) && word.quoted ||
			!word.quoted && single && len(word.text) > 1 && strings.ContainsAny(word.text, ".:") ||
			!word.quoted && strings.HasPrefix(word.text, "~")
	})
}

// nested is the text of `powershell -Command "text"`.
func (r *plainRun) nested(key string) (string, bool) {
	if key != "powershell" && key != "pwsh" {
		return "", false
	}
	for i, word := range r.words[1:] {
		switch strings.ToLower(word.text) {
		case "-noprofile", "-nop", "-noninteractive", "-nologo":
			continue
		case "-command", "-c":
			return r.words[len(r.words)-1].text, i == len(r.words)-3
		}
		break
	}
	return "", false
}

// builtin walks a cmdlet, or a command with options in the manner of cmd.
func (r *plainRun) builtin(key string, entry *Program) {
	c := r.w.newCommand(r.st, key, nil)
	c.Program = key
	c.SearchesCwd = r.dialect == cmd && entry.external
	p := parsed{w: r.w, c: &c, st: r.st, words: r.argv(), dashes: -1, program: entry, level: entry}
	if !entry.external && slices.ContainsFunc(r.words, func(word plainWord) bool { return word.parted && r.dialect == cmd }) {
		c.Caveats.Add("unknown_option")
	}
	if entry.external && r.rewritten() {
		c.Caveats.Add("dynamic_option")
	}
	if entry.style == "cmdlet" {
		p.cmdlet(entry, r.words[1:])
	} else {
		p.switches(entry, r.words[1:])
	}
	p.attributes(entry)
	p.risky(entry)
	if entry.environment && len(p.c.Form) == 0 {
		c.Caveats.Add("reads_environment")
	}
	r.flow(&p, entry)
	r.emit(&p)
}

// flow follows files through a pipe: what a later command opens is what an
// earlier one found.
func (r *plainRun) flow(p *parsed, entry *Program) {
	if r.in != nil && entry.style == "cmdlet" {
		opens := entry.piped == "files" || entry.piped == "both"
		switch {
		case opens && r.in.files != nil:
			for _, file := range r.in.files {
				file.Op, file.Tree, file.Maybe = v1.OpRead, true, false
				p.c.Accesses = append(p.c.Accesses, file)
			}
		case entry.piped == "" || entry.piped == "files" || opens && !r.in.text:
			p.c.Caveats.Add("dynamic_word")
		}
	}
	r.out.text = entry.style != "cmdlet" || entry.yields == "text"
	switch {
	case entry.yields == "files":
		r.out.files = []Access{}
		for _, access := range p.c.Accesses {
			access.Include = p.filters.Include
			r.out.files = append(r.out.files, access)
		}
	case entry.yields == "same" && r.in != nil && !p.has("-ExpandProperty"):
		r.out = r.in
	}
}

func (r *plainRun) emit(p *parsed) {
	p.c.Argv = append([]Word{{Kind: Literal, Text: r.words[0].text}}, p.words...)
	p.windowsText(r.in != nil)
	for i := range p.c.Accesses {
		p.providerPath(p.c.Accesses[i].Text)
	}
	p.finish()
	r.w.emit(*p.c)
}

// providerPath notes PowerShell's drives that are no directories.
func (p *parsed) providerPath(text string) {
	folded := strings.ToLower(text)
	if colon := strings.LastIndex(folded, "::"); colon >= 0 {
		folded = folded[strings.LastIndexByte(folded[:colon], '\\')+1:colon] + ":"
	}
	if strings.HasPrefix(folded, "env:") || strings.HasPrefix(folded, "environment:") || strings.HasPrefix(folded, "variable:") {
		p.c.Caveats.Add("reads_environment")
	}
}

// changeDirectory walks cd. Paths lose their ".." by spelling on Windows, so
// that the directory is known as soon as the words are.
func (r *plainRun) changeDirectory() (ok, fail *state) {
	c := r.w.newCommand(r.st, "cd", nil)
	words := r.words[1:]
	drive := r.dialect == cmd && len(words) > 0 && strings.EqualFold(words[0].text, "/d")
	if drive || r.dialect == powershell && len(words) > 0 && oneOfFold(words[0].text, "-path", "-literalpath") {
		words = words[1:]
	}
	lost := r.st.nowhere()
	if len(words) == 0 && !drive && r.dialect == cmd {
		r.w.emit(c) // prints the directory
		return r.st, r.st
	}
	target := ""
	if len(words) == 1 {
		target = words[0].text
	}
	absolute := len(target) > 2 && target[1] == ':' && (target[2] == '\\' || target[2] == '/')
	if r.piped || target == "" || strings.ContainsAny(target, "*?[~%^") || strings.ContainsAny(target[:1], `\/-+`) ||
		!absolute && (strings.Contains(target, ":") || r.st.unknown) || words[0].parted ||
		absolute && r.dialect == cmd && !drive && !r.sameDrive(target) {
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
	for _, dir := range r.st.dirs {
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

func (r *plainRun) sameDrive(target string) bool {
	return !r.st.unknown && !slices.ContainsFunc(r.st.dirs, func(dir string) bool { return !strings.EqualFold(dir[:min(2, len(dir))], target[:2]) })
}

// rooted reports whether a path doesn't count from the working directory alone.
func (w *walker) rooted(text string) bool {
	if w.options.Platform != "windows" {
		return strings.HasPrefix(text, "/")
	}
	return strings.ContainsAny(text[:1], `/\~`) || strings.Contains(text, ":")
}
