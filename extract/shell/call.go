package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// call walks a simple command: assignments, then words.
func (w *walker) call(st *state, call *syntax.CallExpr, redirs []Access) (ok, fail *state) {
	argv := make([]Word, 0, len(call.Args))
	for _, arg := range call.Args {
		if w.wordCount+len(argv) > maxWords {
			break // counted as too many below
		}
		argv = w.appendWords(argv, st, arg)
		if last := len(argv) - 1; last > 0 && argv[last].nothing() {
			argv = argv[:last] // shells make no word of it
		}
	}
	dropUnmatched(st, argv)
	if !w.count(len(argv) + len(call.Assigns)) {
		return st, st
	}
	redirs = unmatched(argv, redirs)
	if len(argv) == 0 {
		return w.assignments(st, call.Assigns, redirs)
	}
	if !w.printsWords(st, argv) {
		w.handsOn(st, argv)
	}
	prefix := st
	if value, ok := w.separator(st, call.Assigns); ok && argv[0].literal("read") {
		prefix = st.with("IFS", value)
	} else {
		prefix = w.prefix(st, call.Assigns)
	}
	return w.argv(prefix, st, argv, redirs)
}

// unmatched reads patterns that begin with a dash as the options that they are
// when nothing matches them, which is nearly always (--include=*.ts), and adds
// what has to hold for that.
func unmatched(argv []Word, redirs []Access) []Access {
	for i, word := range argv {
		redirs = append(redirs, extended(word)...)
		if word.Kind == Glob && word.Expands && strings.HasPrefix(word.Text, "-") {
			redirs = append(redirs, Access{Text: word.Text, Op: v1.OpList, Glob: true, NoMatch: true})
			argv[i] = Word{Kind: Literal, Text: lexical.Unescape(word.Text)}
		}
	}
	return redirs
}

// prefix returns the state in which a command with assignments before it runs.
func (w *walker) prefix(st *state, assigns []*syntax.Assign) *state {
	for _, assign := range assigns {
		value, plain := w.assigned(st, assign)
		if !plain {
			st = st.withCaveat("assigns")
			continue
		}
		st = w.sets(st, assign.Name.Value, value)
	}
	return st
}

// sets is the state behind a variable that programs see. One that changes how programs run
// keeps approvals away; the value of any other may be a path that the program opens.
func (s *surroundings) sets(st *state, name string, value Word) *state {
	switch {
	case s.harmless(name, value) || s.unchanged(name, value):
		return st
	case s.loads(name, value):
		return loading(st, value.Text)
	case !s.inert(name, value):
		return st.withCaveat("assigns")
	}
	next := st.withCaveat("sets_variable")
	if value.Text != "" {
		next = next.clone()
		next.given = append(slices.Clip(next.given), Access{Text: value.Text, Op: v1.OpWrite, Maybe: true})
	}
	return next
}

// inert reports whether a variable is none that changes how programs run, and its value text
// that no program takes for a command.
func (s *surroundings) inert(name string, value Word) bool {
	return inertText(value) && guard.IsName(name) && !s.table.Words.Variables.Dangerous(name) &&
		(!s.Zsh || !slices.Contains(s.table.Words.Variables.Zsh, strings.ToLower(name)))
}

// inertText reports whether a value is text that no program takes for a command.
func inertText(value Word) bool {
	return value.Kind == Literal && !strings.ContainsAny(value.Text, "$`()[]{};|&<>\n")
}

// loads reports whether a variable lists directories that code is loaded from, all of them known.
func (s *surroundings) loads(name string, value Word) bool {
	return inertText(value) && slices.Contains(s.table.Words.Variables.Loading, name)
}

// withoutInherited is the value of such a variable without what it held before, at its beginning
// or end. Programs load code from the directories of the person's environment anyway.
func (s *surroundings) withoutInherited(st *state, name string, value *syntax.Word) *syntax.Word {
	if st.assigned(name) || !slices.Contains(s.table.Words.Variables.Loading, name) || !s.table.Words.Variables.Dangerous(name) {
		return value
	}
	parts, wrap := value.Parts, func(parts []syntax.WordPart) []syntax.WordPart { return parts }
	if len(parts) == 1 {
		if quoted, ok := parts[0].(*syntax.DblQuoted); ok && !quoted.Dollar {
			parts = quoted.Parts
			wrap = func(parts []syntax.WordPart) []syntax.WordPart {
				return []syntax.WordPart{&syntax.DblQuoted{Left: quoted.Left, Right: quoted.Right, Parts: parts}}
			}
		}
	}
	if len(parts) < 2 {
		return value
	}
	last := len(parts) - 1
	before, _ := parts[last-1].(*syntax.Lit)
	behind, _ := parts[1].(*syntax.Lit)
	switch {
	case before != nil && strings.HasSuffix(before.Value, ":") && tree.ExpandsOnly(parts[last], name):
		return &syntax.Word{Parts: wrap(parts[:last])}
	case behind != nil && strings.HasPrefix(behind.Value, ":") && tree.ExpandsOnly(parts[0], name):
		return &syntax.Word{Parts: wrap(parts[1:])}
	}
	return value
}

// loadsPath is the caveat of a command that loads code from directories that a variable names.
const loadsPath = "loads_path"

// loading is the state behind a variable that lists directories which code is loaded from: an
// empty one is the working directory.
func loading(st *state, list string) *state {
	next := st.withCaveat(loadsPath).clone()
	for dir := range strings.SplitSeq(list, ":") {
		if dir == "" {
			dir = "."
		}
		next.given = append(slices.Clip(next.given), Access{Text: dir, Op: v1.OpExecute})
	}
	return next
}

// separator is what the assignments before read set IFS to, where they set
// nothing else, which holds for that one command.
func (w *walker) separator(st *state, assigns []*syntax.Assign) (Word, bool) {
	if len(assigns) != 1 || assigns[0].Name == nil || assigns[0].Name.Value != "IFS" {
		return Word{}, false
	}
	value, plain := w.assigned(st, assigns[0])
	return value, plain && value.Kind == Literal
}

// assigned evaluates the value of a plain assignment.
func (w *walker) assigned(st *state, assign *syntax.Assign) (Word, bool) {
	plain := assign.Name != nil && !assign.Append && !assign.Naked && assign.Index == nil && assign.Array == nil
	subscript := assign.Index != nil
	w.subscript(assign.Index)
	if assign.Array != nil {
		for _, element := range assign.Array.Elems {
			subscript = subscript || element.Index != nil
			w.subscript(element.Index)
			if element.Value != nil {
				w.words(st, element.Value)
			}
		}
	}
	if subscript {
		w.aborts(st) // an empty one, or one below the first, is an error
	}
	if assign.Value == nil {
		return Word{Kind: Literal}, plain
	}
	written := assign.Value
	if assign.Name != nil {
		written = w.withoutInherited(st, assign.Name.Value, written)
	}
	value := w.unsplit(st, ownTextQuoted(written))
	switch {
	case value.Kind == Glob && (value.Expands || strings.ContainsAny(value.Text, " \t\n\\")):
		// Values are not expanded: the pattern is kept as text, which the shell
		// may split and expand where it stands unquoted.
		value = Word{Kind: Dynamic, Text: value.Text}
	case value.Kind == Glob: // one of the matches, which another variable holds
		value = located(st, []Word{value})[0]
	}
	return value, plain
}

// subscript makes a line messy in a subscript of which commands are run.
func (w *walker) subscript(index syntax.ArithmExpr) {
	if index != nil && tree.SubstitutesCommands(index) {
		w.messy(guard.MessyArithmetic)
	}
}

// local reports whether assigning name affects nothing but the line, since no program
// is given it. zsh gives many names a meaning, and it and ksh, which may be what sh is, evaluate
// what some are given: there only listed names count, in sh of those that aren't in lower case.
func (s *surroundings) local(name string) bool {
	if slices.Contains(s.exported, name) {
		return false
	}
	switch {
	case s.Zsh && slices.Contains(s.table.Words.Variables.Zsh, strings.ToLower(name)):
		return false
	case s.Zsh:
		return slices.Contains(s.table.Words.Variables.LocalNames, strings.ToUpper(name))
	case s.Posix && strings.ToLower(name) != name:
		return slices.Contains(s.table.Words.Variables.LocalNames, name)
	}
	return s.table.Words.Variables.Local(name, guard.IsName(name))
}

// assignments walks a command that is nothing but assignments.
func (w *walker) assignments(st *state, assigns []*syntax.Assign, redirs []Access) (ok, fail *state) {
	for _, assign := range assigns {
		if list, ok := w.arrayAssigned(st, assign, false); ok {
			st = st.with(assign.Name.Value, list)
			continue
		}
		value, plain := w.assigned(st, assign)
		name := ""
		if assign.Name != nil {
			name = assign.Name.Value
		}
		switch {
		case plain && name == "IFS" && value.Kind == Literal && value.Text != "" && strings.Trim(value.Text, " \t\n") == "":
			// It cuts at no more than before.
		case !plain || !w.local(name):
			// A variable that is already exported reaches every program
			// from here on, and shells evaluate some when they are set.
			known := plain && (w.inert(name, value) || w.unchanged(name, value))
			if plain {
				st = w.sets(st, name, value)
			} else {
				st = st.withCaveat("assigns")
			}
			if !known {
				value = Word{}
			}
		}
		st = st.with(name, value)
	}
	c := w.newCommand(st, ":", redirs)
	w.emit(c)
	return st, st
}

// argv walks a command by its words. st is the state that it runs in, after
// the one that holds behind it.
func (w *walker) argv(st, after *state, argv []Word, redirs []Access) (ok, fail *state) {
	if argv[0].Kind != Literal || argv[0].Text == "" {
		w.messy(guard.MessyDynamicVerb)
		w.emitGuess(st, "", argv, redirs)
		return after.nowhere(), after.nowhere()
	}
	name := argv[0].Text
	if ok, fail, found := w.functionCall(st, after, argv, redirs); found {
		return ok, fail
	}
	if next, end, ok := w.read(st, after, argv, redirs); ok {
		return next, end
	}
	if next, ok := w.mapfile(st, after, argv, redirs); ok {
		return next, next
	}
	if next, ok := w.shellOptions(st, after, argv, redirs); ok {
		return next, next
	}
	if name == "ulimit" && limitsRead(argv[1:]) {
		c := w.newCommand(st, name, redirs)
		c.Form.Put("<limit>", "prints")
		w.emit(c)
		return after, after
	}
	if next, ok := w.unset(st, after, argv, redirs); ok {
		return next, next
	}
	if next, ok := w.activates(st, after, argv, redirs); ok {
		return next, next
	}
	if slices.Contains(w.table.Words.Shell.RunsText, name) {
		w.runsText(st, argv, redirs)
		return after.nowhere().withCaveat("assigns"), after.nowhere().withCaveat("assigns")
	}
	switch name {
	case "cd":
		return w.changeDirectory(st, after, argv[1:], redirs)
	case "pushd":
		return w.push(st, after, argv[1:], redirs)
	case "popd":
		return w.pop(st, after, argv[1:], redirs)
	case "shift":
		if slices.ContainsFunc(argv[1:], func(arg Word) bool { return !isNumber(arg) }) {
			w.messy(guard.MessyArithmetic) // some shells evaluate it as an expression
		}
		w.emit(w.newCommand(st, ":", redirs))
		next := shifted(after, argv[1:])
		return next, next
	case "set":
		return w.set(st, after, argv[1:], redirs)
	case "exit", "return", "break", "continue":
		if len(argv) > 2 || len(argv) == 2 && !isNumber(argv[1]) {
			w.messy(guard.MessyArithmetic) // shells evaluate the operand as an expression
		}
		w.emit(w.newCommand(st, ":", redirs))
		w.jump(after)
		return after, after
	}
	w.program(st, argv, redirs, v1.Set{})
	return after, after
}

// unset walks the builtin for names that neither shells nor programs give a meaning to. Of a
// variable that the line didn't assign programs behind it may see that it is gone.
func (w *walker) unset(st, after *state, argv []Word, redirs []Access) (*state, bool) {
	if argv[0].Text != "unset" || len(argv) == 1 {
		return nil, false
	}
	next := after
	for _, word := range argv[1:] {
		_, function := st.functions.Get(word.Text)
		if word.Kind != Literal || !guard.IsName(word.Text) || function || !w.local(word.Text) && !w.inert(word.Text, Word{Kind: Literal}) {
			return nil, false
		}
		if !w.local(word.Text) || !st.assigned(word.Text) {
			next = next.withCaveat("sets_variable")
		}
		next = next.with(word.Text, Word{})
	}
	w.emit(w.newCommand(st, ":", redirs))
	return next, true
}

// limitsRead reports whether ulimit is only asked: nothing but options.
func limitsRead(args []Word) bool {
	return !slices.ContainsFunc(args, func(arg Word) bool {
		return !arg.isOption() || strings.Trim(arg.Text[1:], "SHabcdefiklmnpqrstuvxPRT") != ""
	})
}

// read walks `read -r name…`: the names hold what a line of the input says,
// which is text that only the run can tell. Names that are more than names,
// and other options, are not followed. At the end of the input they may be empty.
func (w *walker) read(st, after *state, argv []Word, redirs []Access) (next, end *state, ok bool) {
	if argv[0].Text != "read" || st.caveats.Has("assigns") {
		return nil, nil, false
	}
	names := argv[1:]
	raw, zero := false, false
	for len(names) > 0 && (names[0].literal("-r") || names[0].literal("-d") && len(names) > 1 && names[1].literal("")) {
		if names[0].Text == "-d" {
			names, zero = names[1:], true
		} else {
			raw = true
		}
		names = names[1:]
	}
	next, end = after, after
	for i, name := range names {
		if name.Kind != Literal || strings.Trim(name.Text, guard.WordBytes) != "" || !w.local(name.Text) {
			return nil, nil, false
		}
		value := w.lineRead(st, i, len(names), name.Text, raw, zero)
		w.takes(value, zero)
		next = next.with(name.Text, value)
		if value.Solid = false; value.feed != nil {
			value.feed = value.feed.orNone()
		}
		end = end.with(name.Text, value)
	}
	if len(names) == 0 || zero && w.Posix {
		return nil, nil, false // dash knows no -d: the names keep what they hold
	}
	w.emit(w.newCommand(st, ":", redirs))
	return next, end, true
}

// lineRead is what read puts into a variable: one of the names that the input
// consists of, where that is known, or text.
func (s *streams) lineRead(st *state, at, names int, name string, raw, zero bool) Word {
	text := Word{Kind: Output, Text: "$" + name}
	in := s.in
	text.bare = in != nil && in.bare
	ifs, set := st.variable("IFS")
	if in != nil && in.digits != nil && at == 0 && !zero && in.digits.begins(names, ifs, set) {
		return Word{Kind: Number, Text: "$" + name, Solid: true, Signed: in.digits.signed}
	}
	if in == nil || in.zero != zero || len(in.roots) == 0 || in.spaced || len(st.dirs) != 1 || st.unknown || st.dirs[0] != in.dir {
		return text
	}
	if in.hashes {
		separator := " "
		if set && ifs.Kind == Literal && ifs.Text != "" {
			separator = ifs.Text
		}
		whole := in.rest == "" && names == 1
		if at == 0 && (whole || names > 1 && strings.HasPrefix(in.rest, separator)) {
			return Word{Kind: Hash, Text: hashText}
		}
		return text
	}
	if names != 1 || set && !ifs.literal("") {
		return text // other separators are cut off the ends of a name
	}
	one := *in
	one.many, one.every = false, len(in.roots) > 1
	if raw || in.Untracked { // of a name with a backslash git prints none
		one.Handing = value.AsLines
	}
	return one.word(one.roots[0])
}

// mapfile walks `mapfile -t name`: the lines of the input become the members of an array,
// names among them where they are known.
func (w *walker) mapfile(st, after *state, argv []Word, redirs []Access) (*state, bool) {
	if verb := argv[0].Text; verb != "mapfile" && verb != "readarray" || w.Zsh || w.Posix || st.caveats.Has("assigns") {
		return nil, false
	}
	if len(argv) != 3 || !argv[1].literal("-t") || argv[2].Kind != Literal || !guard.IsName(argv[2].Text) || !w.local(argv[2].Text) {
		return nil, false
	}
	member := Word{Kind: Output, Text: "$(…)", Split: true}
	in := w.in
	if in != nil && !in.zero && len(in.roots) > 0 && !in.spaced && !in.hashes && len(st.dirs) == 1 && !st.unknown && st.dirs[0] == in.dir {
		lines := *in
		lines.Handing, lines.many, lines.every = max(in.Handing, value.AsLines), true, len(in.roots) > 1
		member = lines.word(lines.roots[0])
	}
	member.Vanishes = true // there may be none
	w.both(&w.mapped, &w.doubtful, argv[2].Text)
	w.takes(member, false)
	w.emit(w.newCommand(st, ":", redirs))
	if st.assigned(argv[2].Text) {
		// It holds what it held where there is no mapfile, as in bash 3.2, or nothing to read.
		return after.with(argv[2].Text, Word{}), true
	}
	return after.with(argv[2].Text, Word{array: &array{words: []Word{member}}}), true
}

// shellOptions walks shopt -s nullglob, with which a pattern that matches nothing is no
// word. Any other option is not followed.
func (w *walker) shellOptions(st, after *state, argv []Word, redirs []Access) (*state, bool) {
	if argv[0].Text != "shopt" || w.Zsh || w.Posix || len(argv) < 3 || !argv[1].literal("-s") {
		return nil, false
	}
	next := after
	for _, option := range argv[2:] {
		if !option.literal("nullglob") {
			return nil, false
		}
		if !next.nullglob {
			next = next.clone()
			next.nullglob = true
		}
	}
	w.emit(w.newCommand(st, ":", redirs))
	return next, true
}

// dropUnmatched gives up the patterns among the words of a command of which nothing may be
// left: what it does without them is another matter.
func dropUnmatched(st *state, words []Word) {
	for i := range words {
		if st.nullglob && words[i].Kind == Glob && words[i].Expands {
			words[i] = Word{Kind: Dynamic, Text: words[i].Text, Split: true, Vanishes: true}
		}
	}
}

// set walks the builtin: a few options change nothing but when the line ends.
func (w *walker) set(st, after *state, args []Word, redirs []Access) (ok, fail *state) {
	if len(args) == 0 {
		c := w.newCommand(st, "set", redirs)
		c.Caveats.Add("reads_environment")
		w.emit(c)
		return after, after
	}
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		named := strings.HasSuffix(text, "o") && len(text) > 1 && (text[0] == '-' || text[0] == '+')
		if named {
			text = strings.TrimSuffix(text, "o")
			if i++; i == len(args) || !slices.Contains(w.table.Words.Shell.SafeSetNames, args[i].Text) {
				text = "?"
			}
		}
		if args[min(i, len(args)-1)].Kind != Literal ||
			text != "-" && text != "+" && !w.safeSetOption(after, text) {
			w.messy(guard.MessyBuiltin)
			w.emitGuess(st, "set", args, redirs)
			return after.withCaveat("assigns"), after.withCaveat("assigns")
		}
	}
	w.emit(w.newCommand(st, ":", redirs))
	return after, after
}

// safeSetOption reports whether a cluster of options of set changes nothing
// but when the line ends and what it traces. Tracing expands PS4.
func (w *walker) safeSetOption(st *state, text string) bool {
	if len(text) < 2 || text[0] != '-' && text[0] != '+' || strings.Trim(text[1:], "eux") != "" {
		return false
	}
	w.shown.traces = w.shown.traces || text[0] == '-' && strings.Contains(text, "x")
	return !strings.Contains(text, "x") || !st.assigned("PS4") && !st.caveats.Has("assigns")
}

// emitGuess reports a command that can't be explained, with every word as a
// path that it may touch, for the deny rules.
func (w *walker) emitGuess(st *state, verb string, words []Word, redirs []Access) {
	c := w.newCommand(st, verb, redirs)
	c.Caveats.Add("unknown_program")
	p := parsed{w: w, c: &c, st: st}
	for _, word := range words {
		p.anyPath(word)
		for _, field := range strings.FieldsFunc(word.Text, func(r rune) bool { return strings.ContainsRune(" \t\n;|&<>()'\"", r) }) {
			if word.Kind == Literal && field != word.Text {
				p.anyPath(Word{Kind: Literal, Text: field})
			}
		}
	}
	w.emit(c)
}

// harmless reports whether assigning value to name changes nothing but how output looks.
func (s *surroundings) harmless(name string, value Word) bool {
	return value.Kind == Literal && s.table.Words.Variables.Harmless(name, value.Text)
}
