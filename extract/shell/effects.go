package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// effects receive what the words of a command do: the paths that they access, the variables that they show, and
// what is unknown about them.
type effects struct {
	w  *walker
	c  *command.Command
	st *state
	// filters are what a walk over a tree includes and leaves out.
	filters value.Walk
	// dirs are the directories that options change to, if moved is true.
	dirs  []string
	moved bool
}

// has reports whether the form has an option or operand.
func (e *effects) has(canonical string) bool {
	_, ok := e.c.Form.Get(canonical)
	return ok
}

// hasAny reports whether the form has one of some options; "*" is always there.
func (e *effects) hasAny(options []string) bool {
	return slices.ContainsFunc(options, func(option string) bool { return option == "*" || e.has(option) })
}

// access notes a word that is a path.
func (e *effects) access(word expansion.Word, op string, tree bool) {
	e.accessAs(value.AsPath, word, op, tree)
}

// accessAs does the same for a program that may take it for something else.
func (e *effects) accessAs(reading value.Reading, word expansion.Word, op string, tree bool) {
	if word.Is("-") && op == v1.OpRead {
		e.c.Reading.Stdin = true
		return
	}
	switch {
	case word.Kind == expansion.Names && (word.Stream == nil || word.Stream.AreRefs()):
		word.Kind = expansion.Dynamic // a part of a name is another name, and a ref is none of a file
	case word.Kind == expansion.Names && word.IsPart():
		word.Kind, word.Text = expansion.Dynamic, word.Stream.Part.Text
	case word.Kind == expansion.Names && (e.elsewhere(word.Stream) || word.Split && word.Stream.IsComposed()):
		word.Kind = expansion.Dynamic // the names count from another directory, or are pieces of such
	case word.Kind == expansion.Names:
		before := len(e.c.Accesses)
		e.c.Accesses = command.AppendNames(e.c.Accesses, word, op, tree)
		for i := range e.c.Accesses[before:] {
			e.c.Accesses[before+i].Reading = reading
		}
		for _, name := range word.Stream.Extra {
			e.c.Accesses = append(e.c.Accesses, command.Access{
				Text: name, Op: op, Naming: command.ByName, Below: command.BelowIf(tree), Walk: value.Walk{Follow: tree}, Presence: command.IfExists,
			})
		}
		e.c.Accesses = append(e.c.Accesses, command.Composing(word.Stream)...)
		return
	case word.Kind == expansion.Pipe && op == v1.OpRead:
		return // what it reads, the commands within have read
	}
	if word.Kind == expansion.Literal && word.Text == "" {
		return
	}
	var a command.Access
	switch word.Kind {
	case expansion.Glob:
		a = command.AccessToMatches(word, op)
	case expansion.Dynamic, expansion.Output, expansion.Number, expansion.Hash:
		a = command.Access{Text: word.Text, Op: op}
		e.c.Caveats.Add("dynamic_word")
	default:
		a = command.AccessTo(op, word.Text)
	}
	a.Below, a.Walk, a.Reading = command.BelowIf(tree), e.filters, reading
	e.c.Accesses = append(e.c.Accesses, a)
}

// maybePath notes a word that could be a path.
func (e *effects) maybePath(word expansion.Word, op string) {
	if e.c.Reading.Stdin = e.c.Reading.Stdin || word.Is("-"); word.Text == "" || word.Is("-") {
		return
	}
	if word.Kind == expansion.Names {
		e.access(word, op, true)
		return
	}
	naming := command.ByName
	switch word.Kind {
	case expansion.Glob:
		naming = command.ByGlob
	case expansion.Dynamic, expansion.Output:
		naming = command.Unnamed
		e.c.Caveats.Add("dynamic_word")
	default:
	}
	e.c.Accesses = append(e.c.Accesses, command.Access{Text: word.Text, Op: op, Naming: naming, Presence: command.IfPathLike})
}

// AnyPath notes a word of a role that is not known: each path that it may hold can be
// written, and a directory may be read with all that is below.
func (e *effects) AnyPath(word expansion.Word) {
	added := e.anyPart(word, v1.OpWrite)
	for i := range added {
		if added[i].Presence == command.IfPathLike {
			added[i].Below = command.Tree
		}
	}
}

// anyPart notes a word of which a path may be any part, and returns the accesses that this adds.
func (e *effects) anyPart(word expansion.Word, op string) []command.Access {
	before := len(e.c.Accesses)
	e.maybePath(word, op)
	added := e.c.Accesses[before:]
	for i := range added {
		if added[i].Presence == command.IfPathLike {
			added[i].Reading = value.AsAnything
		}
	}
	return added
}

// move notes an option that changes the working directory of the command.
func (e *effects) move(word expansion.Word) {
	if dirs := e.w.matched(e.st, word); dirs != nil && !e.moved && !e.c.Cwd.Others && slices.Equal(e.c.Cwd.Known, e.st.cwd.Known) {
		e.moved, e.dirs = true, dirs
		return
	}
	if word.Kind != expansion.Literal || word.Text == "" {
		e.c.Caveats.Add("dynamic_word")
		e.c.Cwd.Others = true
		e.moved, e.dirs = true, nil
		return
	}
	from := e.c.Cwd.Known
	if e.moved {
		from = e.dirs
	}
	e.moved = true
	if e.w.rooted(word.Text) {
		e.dirs = []string{word.Text}
		e.c.Cwd.Others = false
		return
	}
	e.dirs = nil
	for _, dir := range from {
		e.dirs = append(e.dirs, dir+"/"+word.Text)
	}
}

// variables notes the variables that a word expands.
func (e *effects) variables(word expansion.Word) {
	e.c.Variables = append(e.c.Variables, word.Variables...)
	if word.Kind == expansion.Dynamic {
		e.c.Caveats.Add("dynamic_word")
	}
}

// elsewhere reports whether a command may run in another directory than the names of a stream
// count from.
func (e *effects) elsewhere(names *stream.NameStream) bool {
	return e.moved || !e.c.Cwd.Only(names.Dir)
}

// partsHere notes that a word consists of names, or parts of them, and isn't a path. How a name begins may make the word
// an option. It reports false if the names were found in another directory.
func (e *effects) partsHere(word expansion.Word) bool {
	if e.elsewhere(word.Stream) {
		return false
	}
	before := len(e.c.Accesses)
	e.c.Accesses = command.AppendNames(e.c.Accesses, word, v1.OpList, false)
	for i := range e.c.Accesses[before:] {
		e.c.Accesses[before+i].Parts = true
	}
	e.c.Accesses = append(e.c.Accesses, command.Composing(word.Stream)...)
	return true
}

// refsHere notes that names of refs of the repository there become a word. It reports false
// where they are those of another one, or cut elsewhere than at their ends.
func (e *effects) refsHere(word expansion.Word) bool {
	if e.elsewhere(word.Stream) || word.Split && e.st.assigned("IFS") {
		return false
	}
	refs := command.Access{Text: ".", Op: v1.OpList, Naming: command.ByName, Below: command.Refs}
	if word.Stream.Kind == stream.TagRefs {
		refs.Below = command.TagRefs
	}
	e.c.Accesses = append(e.c.Accesses, refs)
	return true
}

// beginsPlain reports whether a word begins as a name does, whatever it
// expands to, and not with mark. Of a pattern that could match such a name it
// adds what has to hold: that there is none.
func (e *effects) beginsPlain(word expansion.Word, mark string) bool {
	if word.Kind == expansion.Names || word.Text == "" {
		return false
	}
	if first := word.Text[0]; value.IsNameByte(first) || first == '.' || first == '/' {
		return true
	}
	if word.Kind != expansion.Glob || strings.IndexByte("*?[", word.Text[0]) < 0 {
		return false
	}
	e.c.Accesses = append(e.c.Accesses, command.Access{Text: mark + "*", Op: v1.OpList, Naming: command.ByGlob, Matches: command.NoMatch})
	return true
}

// knownIf returns the kind of a word that is explained only where something
// holds.
func (e *effects) knownIf(kind string, holds bool) string {
	if holds {
		return kind
	}
	e.c.Caveats.Add("unknown_option")
	return "unknown"
}

// codeIf returns the kind of a file of program text, and "code" if the line itself holds the text.
func (e *effects) codeIf(inline bool, kind string) string {
	if inline {
		e.c.Caveats.Add("inline_code")
		return "code"
	}
	return kind
}

// single notes a word that stands in a place of its own: a pattern that matches several files would push the others
// into places of their own. To an inert program places don't matter.
func (e *effects) single(word expansion.Word, inert bool) {
	switch {
	case word.Kind == expansion.Glob && !word.Vanishes:
		a := command.Access{Text: word.Text, Op: v1.OpList, Naming: command.ByGlob}
		if word.Expands {
			a.Matches = command.SingleMatch
		}
		e.c.Accesses = append(e.c.Accesses, a)
	case word.Kind == expansion.Names && word.Stream.Several:
		e.c.Caveats.Add("dynamic_option")
	case word.Vanishes && !inert:
		e.c.Caveats.Add("dynamic_option") // what stands behind it may take its place
	case word.Split && (word.Kind == expansion.Output || word.Kind == expansion.Dynamic) && !inert:
		e.c.Caveats.Add("dynamic_option") // the shell makes as many words of it as there are blanks
	}
}

// risk notes what an approval has to be given for by name, if it is anything.
func (e *effects) risk(name string) {
	if name != "" {
		e.c.Approval.Risks.Add(name)
	}
}

// mayTurn reports whether a word may become an option of a program when it is expanded.
func (e *effects) mayTurn(program *argv.Program, word expansion.Word) bool {
	if word.Kind != expansion.Literal && strings.HasPrefix(word.Text, "-") {
		return true // a pattern that matches nothing stays as it is
	}
	switch word.Kind {
	case expansion.Number:
		// A command that fails prints nothing. Digits of other options may follow the sign.
		return word.MayBeginWithDash() && (!beginsWithNumber(word) || expansion.IsNumber(word) || program.Digits())
	case expansion.Hash:
		return word.MayBeginWithDash()
	case expansion.Dynamic, expansion.Output:
		return !e.begun(word) && (word.Split || !strings.HasPrefix(strings.TrimPrefix(word.Text, "."), "/"))
	case expansion.Glob:
		return !e.begun(word) && lexical.HasWildcard(word.Text[:min(len(word.Text), 1)]) && matchesOptions(program, word.Text)
	default:
		return false
	}
}

// matchesOptions reports whether a pattern may match an option that does more than choose output. No word of an
// expression ends in a slash, and find refuses words that it doesn't know.
func matchesOptions(program *argv.Program, pattern string) bool {
	return program.Acts() && (program.Style != "find" || !strings.HasSuffix(pattern, "/"))
}

// begun reports whether the beginning of a word is known not to be a dash, whatever it expands to: text, or a name.
func (e *effects) begun(word expansion.Word) bool {
	if word.Split {
		return false
	}
	return !word.MayBeginWithDash() || word.Begins != nil && e.partsHere(expansion.OfNames(word.Begins, word.Begins.Roots[0]))
}

// pathOperand remembers the first path-like operand (V3).
func (e *effects) pathOperand(word expansion.Word) {
	if e.c.Effective.Operand == "" && word.Kind == expansion.Literal && pathLike(word.Text) {
		e.c.Effective.Operand = word.Text
	}
}

// beginsWithNumber reports whether a number that can't be empty stands at the beginning of a word.
func beginsWithNumber(w expansion.Word) bool {
	return len(w.Holes) > 0 && w.Holes[0].Start == 0 && !w.Holes[0].Class.MayBeEmpty()
}
