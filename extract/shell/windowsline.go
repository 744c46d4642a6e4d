package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/effect"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/state"
	"policyd/extract/windows"
)

// windowsLine explains a line in a command language of Windows. Lines that windows.Parse
// refuses are messy; what they may run is reported for deny rules.
func (w *walker) windowsLine(st *state.State, text string, dialect windows.Dialect) {
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
		from := state.Join(ok, fail)
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
			ok, fail = thisOK, state.Join(fail, thisFail)
		case "||":
			ok, fail = state.Join(ok, thisOK), thisFail
		default:
			ok, fail = thisOK, thisFail
		}
	}
}

// windowsPieces reports what a line that is not plain may run, with every word as a
// path and every variable that it names.
func windowsPieces(w *walker, st *state.State, text string) {
	for _, words := range windows.Fragments(text) {
		c := w.newCommand(st, clip(words[0]), nil)
		c.Caveats.Add("unknown_program")
		e := effectsOf(w, st, &c)
		for _, word := range words {
			effect.ProviderPath(&e, word)
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
	st      *state.State
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
func (r *windowsRun) run() (ok, fail *state.State) {
	r.out = &windowsStream{text: true}
	name := r.words[0].Text
	key, entry := r.entry(name)
	switch {
	case key == "cd":
		return r.changeDirectory()
	case key == "pushd" || key == "popd":
		r.guess(name)
		return r.st.Nowhere(), r.st.Nowhere()
	case entry != nil && entry.Style == "":
		r.native(key, entry)
	case entry != nil:
		r.builtin(key, entry)
	default:
		r.unknown(name)
	}
	return r.st, r.st
}

// unknown takes a program without an entry, or one named by a path.
func (r *windowsRun) unknown(name string) {
	base := name[strings.LastIndexAny(name, `\/`)+1:]
	v := r.w.reading(r.st, clip(name), strings.TrimSuffix(strings.ToLower(base), ".exe"), effect.Literals(r.words[1:]))
	defer v.release()
	c := &v.command
	if base == name && v.ReadVersion(windows.Stem(c.Program)) {
		c.Program, c.Verb, c.Selection.SearchesCwd = windows.Stem(c.Program), windows.Stem(c.Program), r.dialect == windows.Cmd
		r.emit(v)
		return
	}
	if base != name {
		c.Caveats.Add("named_by_path")
		c.Accesses = append(c.Accesses, command.AccessTo(v1.OpExecute, name))
	}
	if argv.IsOwn(c.Program) {
		v.ReadOwn()
	} else {
		v.ReadUnknown()
	}
	r.emit(v)
}

func (r *windowsRun) guess(verb string) {
	r.w.emitGuess(r.st, strings.ToLower(verb), effect.Literals(r.words[1:]), nil)
}

// native walks a program that is the same on every system.
func (r *windowsRun) native(key string, entry *argv.Program) {
	v := r.w.reading(r.st, key, key, effect.Literals(r.words[1:]))
	defer v.release()
	v.command.Selection.SearchesCwd = r.dialect == windows.Cmd
	if r.rewritten() {
		v.command.Caveats.Add("dynamic_option")
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
	v.ReadEntry(entry)
	r.emit(v)
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
	v := r.w.reading(r.st, key, key, effect.Literals(r.words[1:]))
	defer v.release()
	c := &v.command
	c.Selection.SearchesCwd = r.dialect == windows.Cmd && entry.External
	if !entry.External && slices.ContainsFunc(r.words, func(word windows.Word) bool { return word.Splits && r.dialect == windows.Cmd }) {
		c.Caveats.Add("unknown_option")
	}
	if entry.External && r.rewritten() {
		c.Caveats.Add("dynamic_option")
	}
	v.ReadBuiltin(entry, r.words[1:])
	r.flow(v, entry)
	r.emit(v)
}

// flow follows files through a pipe: what a later command opens is what an
// earlier one found.
func (r *windowsRun) flow(v *run, entry *argv.Program) {
	if r.in != nil && entry.Style == "cmdlet" {
		opens := entry.Piped == "files" || entry.Piped == "both"
		switch {
		case opens && r.in.files != nil:
			for _, file := range r.in.files {
				file.Op, file.Below, file.Presence = v1.OpRead, command.Tree, command.Always
				v.command.Accesses = append(v.command.Accesses, file)
			}
		case entry.Piped == "" || entry.Piped == "files" || opens && !r.in.text:
			v.command.Caveats.Add("dynamic_word")
		}
	}
	r.out.text = entry.Style != "cmdlet" || entry.Yields == "text"
	switch {
	case entry.Yields == "files":
		r.out.files = []command.Access{}
		for _, access := range v.command.Accesses {
			access.Include = v.parsed.Filters.Include
			r.out.files = append(r.out.files, access)
		}
	case entry.Yields == "same" && r.in != nil && !v.command.Has("-ExpandProperty"):
		r.out = r.in
	}
}

func (r *windowsRun) emit(v *run) {
	v.CompleteOnWindows(r.words[0].Text, r.in != nil)
	r.w.emit(v.command)
}

// changeDirectory walks cd. Paths lose their ".." by spelling on Windows, so
// that the directory is known as soon as the words are.
func (r *windowsRun) changeDirectory() (ok, fail *state.State) {
	c := r.w.newCommand(r.st, "cd", nil)
	words := r.words[1:]
	drive := r.dialect == windows.Cmd && len(words) > 0 && strings.EqualFold(words[0].Text, "/d")
	if drive || r.dialect == windows.PowerShell && len(words) > 0 && oneOfFold(words[0].Text, "-path", "-literalpath") {
		words = words[1:]
	}
	lost := r.st.Nowhere()
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
		!absolute && (strings.Contains(target, ":") || r.st.Cwd.Others) || words[0].Splits ||
		absolute && r.dialect == windows.Cmd && !drive && !r.sameDrive(target) {
		c.Form.Put("<directory>", "unknown")
		c.Caveats.Add("cwd_unknown")
		r.w.emit(c)
		return lost, lost
	}
	c.Form.Put("<directory>", "dir")
	r.w.emit(c)
	if absolute {
		return r.st.In([]string{target}), r.st
	}
	for _, dir := range r.st.Cwd.Known {
		if next := r.st.In([]string{dir + "/" + target}); ok == nil {
			ok = next
		} else {
			ok = state.Join(ok, next)
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
	return !r.st.Cwd.Others && !slices.ContainsFunc(r.st.Cwd.Known, func(dir string) bool { return !strings.EqualFold(dir[:min(2, len(dir))], target[:2]) })
}
