package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/state"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// call walks a simple command: assignments, then words.
func (w *walker) call(st *state.State, call *syntax.CallExpr, redirs []command.Access) (ok, fail *state.State) {
	argv := make([]expansion.Word, 0, len(call.Args))
	for _, arg := range call.Args {
		if w.wordCount+len(argv) > maxWords {
			break // counted as too many below
		}
		argv = splitter{w: w, st: st}.appendWords(argv, arg)
		if last := len(argv) - 1; last > 0 && isNothing(argv[last]) {
			argv = argv[:last] // shells make no word of it
		}
	}
	if !w.count(len(argv) + len(call.Assigns)) {
		return st, st
	}
	redirs = unmatched(argv, redirs)
	if len(argv) == 0 {
		return assigner{w: w, st: st}.assignments(call.Assigns, redirs)
	}
	if !w.printsWords(st, argv) {
		w.handsOn(st, argv)
	}
	prefix := st
	if value, ok := (assigner{w: w, st: st}).separator(call.Assigns); ok && argv[0].Is("read") {
		prefix = st.With("IFS", value)
	} else {
		prefix = assigner{w: w, st: st}.prefix(call.Assigns)
	}
	return w.argv(prefix, st, argv, redirs)
}

// unmatched reads patterns that begin with a dash as the options that they are
// when nothing matches them, which is nearly always (--include=*.ts), and adds
// what has to hold for that.
func unmatched(argv []expansion.Word, redirs []command.Access) []command.Access {
	for i, word := range argv {
		redirs = append(redirs, extended(word)...)
		if word.Kind == expansion.Glob && word.Expands && strings.HasPrefix(word.Text, "-") {
			redirs = append(redirs, command.Access{Text: word.Text, Op: v1.OpList, Naming: command.ByGlob, Matches: command.NoMatch})
			argv[i] = expansion.Word{Kind: expansion.Literal, Text: value.Unescape(word.Text)}
		}
	}
	return redirs
}

// assigner evaluates assignments, each in the state behind the one before.
type assigner struct {
	w  *walker
	st *state.State
}

// prefix returns the state in which a command with assignments before it runs.
func (a assigner) prefix(assigns []*syntax.Assign) *state.State {
	for _, assign := range assigns {
		value, plain := a.assigned(assign)
		if !plain {
			a.st = a.st.WithCaveat("assigns")
			continue
		}
		a.st = a.w.sets(a.st, assign.Name.Value, value)
	}
	return a.st
}

// sets is the state behind a variable that programs see. One that changes how programs run
// keeps approvals away; the value of any other may be a path that the program opens.
func (s *surroundings) sets(st *state.State, name string, value expansion.Word) *state.State {
	switch {
	case s.harmless(name, value) || s.producers.Unchanged(name, value):
		return st
	case s.loads(name, value):
		return loading(st, value.Text)
	case !s.inert(name, value):
		return st.WithCaveat("assigns")
	}
	next := st.WithCaveat(state.SetsVariable)
	if value.Text != "" {
		next = next.WithGiven(command.Access{Text: value.Text, Op: v1.OpWrite, Naming: command.ByName, Presence: command.IfPathLike})
	}
	return next
}

// inert reports whether a variable is none that changes how programs run, and its value text
// that no program takes for a command.
func (s *surroundings) inert(name string, given expansion.Word) bool {
	return inertText(given) && value.IsName(name) && !s.table.Words.Variables.Dangerous(name) &&
		(!s.Zsh || !slices.Contains(s.table.Words.Variables.Zsh, strings.ToLower(name)))
}

// inertText reports whether a value is text that no program takes for a command.
func inertText(value expansion.Word) bool {
	return value.Kind == expansion.Literal && !strings.ContainsAny(value.Text, "$`()[]{};|&<>\n")
}

// loads reports whether a variable lists directories that code is loaded from, all of them known.
func (s *surroundings) loads(name string, value expansion.Word) bool {
	return inertText(value) && slices.Contains(s.table.Words.Variables.Loading, name)
}

// withoutInherited is the value of such a variable without what it held before, at its beginning
// or end. Programs load code from the directories of the person's environment anyway.
func (s *surroundings) withoutInherited(st *state.State, name string, value *syntax.Word) *syntax.Word {
	if st.Assigned(name) || !slices.Contains(s.table.Words.Variables.Loading, name) || !s.table.Words.Variables.Dangerous(name) {
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

// loading is the state behind a variable that lists directories which code is loaded from: an
// empty one is the working directory.
func loading(st *state.State, list string) *state.State {
	var dirs []command.Access
	for dir := range strings.SplitSeq(list, ":") {
		if dir == "" {
			dir = "."
		}
		dirs = append(dirs, command.AccessTo(v1.OpExecute, dir))
	}
	return st.WithCaveat(state.LoadsPath).WithGiven(dirs...)
}

// separator is what the assignments before read set IFS to, where they set
// nothing else, which holds for that one command.
func (a assigner) separator(assigns []*syntax.Assign) (expansion.Word, bool) {
	if len(assigns) != 1 || assigns[0].Name == nil || assigns[0].Name.Value != "IFS" {
		return expansion.Word{}, false
	}
	value, plain := a.assigned(assigns[0])
	return value, plain && value.Kind == expansion.Literal
}

// assigned evaluates the value of an assignment. It reports false for one that isn't name=value.
func (a assigner) assigned(assign *syntax.Assign) (value expansion.Word, plain bool) {
	plain = tree.IsPlainAssignment(assign) && !assign.Naked
	if a.elements(assign, func(expansion.Word) {}) {
		a.w.aborts(a.st)
	}
	if assign.Value == nil {
		return expansion.Word{Kind: expansion.Literal}, plain
	}
	written := assign.Value
	if assign.Name != nil {
		written = a.w.withoutInherited(a.st, assign.Name.Value, written)
	}
	value = a.w.unsplit(a.st, ownTextQuoted(written))
	switch {
	case value.Kind == expansion.Glob && (value.Expands || strings.ContainsAny(value.Text, " \t\n\\")):
		// Values are not expanded: the pattern is kept as text, which the shell can split and expand
		// outside of quotes.
		value = expansion.Word{Kind: expansion.Dynamic, Text: value.Text}
	case value.Kind == expansion.Glob: // one of the matches, which another variable holds
		value = expansion.AddDirectories(a.st.Cwd.Known, []expansion.Word{value})[0]
	}
	return value, plain
}

// elements walks the subscripts and the members of an assignment, and hands each member on. It reports
// whether there are subscripts: an empty one, or one below the first, is an error.
func (a assigner) elements(assign *syntax.Assign, member func(word expansion.Word)) (subscripts bool) {
	subscripts = assign.Index != nil
	a.subscript(assign.Index)
	if assign.Array == nil {
		return subscripts
	}
	for _, element := range assign.Array.Elems {
		subscripts = subscripts || element.Index != nil
		if a.subscript(element.Index); element.Value == nil {
			continue
		}
		for _, word := range a.w.words(a.st, element.Value) {
			member(word)
		}
	}
	return subscripts
}

// subscript walks a subscript, and makes the line messy if commands are run of it.
func (a assigner) subscript(index syntax.ArithmExpr) {
	if index == nil {
		return
	}
	if tree.SubstitutesCommands(index) {
		a.w.messy(guard.MessyArithmetic)
	}
	if word, ok := index.(*syntax.Word); ok {
		a.w.word(a.st, word)
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
	return s.table.Words.Variables.Local(name, value.IsName(name))
}

// assignments walks a command that is nothing but assignments.
func (a assigner) assignments(assigns []*syntax.Assign, redirs []command.Access) (ok, fail *state.State) {
	for _, assign := range assigns {
		if list, ok := assignArray(a.w, a.st, assign); ok {
			a.st = a.st.With(assign.Name.Value, list)
			continue
		}
		value, plain := a.assigned(assign)
		name := ""
		if assign.Name != nil {
			name = assign.Name.Value
		}
		switch {
		case plain && name == "IFS" && value.Kind == expansion.Literal && value.Text != "" && strings.Trim(value.Text, " \t\n") == "":
			// It cuts at no more than before.
		case !plain || !a.w.local(name):
			// A variable that is already exported reaches every program
			// from here on, and shells evaluate some when they are set.
			known := plain && (a.w.inert(name, value) || a.w.producers.Unchanged(name, value))
			if plain {
				a.st = a.w.sets(a.st, name, value)
			} else {
				a.st = a.st.WithCaveat("assigns")
			}
			if !known {
				value = expansion.Word{}
			}
		}
		a.st = a.st.With(name, value)
	}
	c := a.w.newCommand(a.st, ":", redirs)
	a.w.emit(c)
	return a.st, a.st
}

// harmless reports whether assigning value to name changes nothing but how output looks.
func (s *surroundings) harmless(name string, value expansion.Word) bool {
	return value.Kind == expansion.Literal && s.table.Words.Variables.Harmless(name, value.Text)
}

// isNothing reports whether nothing is left of a word outside of quotes.
func isNothing(w expansion.Word) bool {
	return w.Kind == expansion.Dynamic && w.Text == "" && w.Vanishes && w.Split
}

// extended returns what has to hold for a word with one of the characters that
// zsh reads as a pattern under EXTENDED_GLOB (HEAD^, main~2) to be itself: that
// nothing begins as it does. Without a match zsh reports an error.
func extended(word expansion.Word) []command.Access {
	if word.Kind != expansion.Literal || word.Extended == "" {
		return nil
	}
	return []command.Access{{Text: word.Extended, Op: v1.OpList, Naming: command.ByGlob, Matches: command.NoMatch}}
}

// handsOn notes the patterns that the words of a command, a loop or an array hold matches
// of, where the words' own patterns don't say all of them.
func (r *report) handsOn(st *state.State, words []expansion.Word) {
	for i := range words {
		word := &words[i]
		from := word.Origins
		if from == nil && word.Kind == expansion.Glob && word.Recut {
			from = []expansion.Origin{{Pattern: word.Text, Cut: true, Head: true}}
		}
		for _, held := range from {
			if held.Cut || held.Head && held.Pattern != word.Text {
				r.standing = append(r.standing, command.Access{
					Text: held.Pattern, Op: v1.OpList, Naming: command.ByGlob, Split: held.Cut, Names: value.Names{Rooted: !held.Head, Braces: r.Posix}, Dirs: st.Cwd.Known,
				})
			}
		}
	}
}

// printsWords reports whether a command does nothing with its words but print them.
func (s *surroundings) printsWords(st *state.State, argv []expansion.Word) bool {
	if argv[0].Kind != expansion.Literal {
		return false
	}
	if _, known := st.Functions.Get(argv[0].Text); known {
		return false
	}
	program := s.table.Program(argv[0].Text)
	return program != nil && program.Inert
}

// assignArray reads an assignment that makes an array, or appends to one. Subscripts are expressions,
// or keys of an associative array: what they assign to isn't known.
func assignArray(w *walker, st *state.State, assign *syntax.Assign) (expansion.Word, bool) {
	if w.Zsh || assign.Name == nil || assign.Array == nil || !w.local(assign.Name.Value) {
		return expansion.Word{}, false
	}
	if w.Posix {
		w.messy(guard.MessyDialect) // which only some shells called sh take for an array
	}
	next := &expansion.Array{}
	if assign.Append {
		old := st.Array(assign.Name.Value)
		if old == nil {
			return expansion.Word{}, false
		}
		next.Words = slices.Clone(old.Words)
	}
	for _, element := range assign.Array.Elems {
		if element.Value == nil || element.Index != nil || len(next.Words) > maxWords {
			return expansion.Word{}, false
		}
		words := w.words(st, element.Value)
		w.handsOn(st, words)
		next.Words = append(next.Words, expansion.AddDirectories(st.Cwd.Known, words)...)
	}
	return expansion.Word{Array: next}, len(next.Words) <= maxWords
}
