package effect

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

// Effects receive what the words of a command do: the paths that they access, the variables that they show, and
// what is unknown about them.
type Effects struct {
	Surroundings
	Command *command.Command
	// Filters are what a walk over a tree includes and leaves out.
	Filters value.Walk
	// Dirs are the directories that options change to, if moved is true.
	Dirs  []string
	Moved bool
}

// Has reports whether the form has an option or operand.
func (e *Effects) Has(canonical string) bool {
	return e.Command.Form.Has(canonical)
}

// hasAny reports whether the form has one of some options; "*" is always there.
func (e *Effects) hasAny(options []string) bool {
	return slices.ContainsFunc(options, func(option string) bool { return option == "*" || e.Has(option) })
}

// Access notes a word that is a path.
func (e *Effects) Access(word expansion.Word, op string, tree bool) {
	e.accessAs(value.AsPath, word, op, tree)
}

// accessAs does the same for a program that may take it for something else.
func (e *Effects) accessAs(reading value.Reading, word expansion.Word, op string, tree bool) {
	if word.Is("-") && op == v1.OpRead {
		e.Command.Reading.Stdin = true
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
		before := len(e.Command.Accesses)
		e.Command.Accesses = command.AppendNames(e.Command.Accesses, word, op, tree)
		for i := range e.Command.Accesses[before:] {
			e.Command.Accesses[before+i].Reading = reading
		}
		for _, name := range word.Stream.Extra {
			e.Command.Accesses = append(e.Command.Accesses, command.Access{
				Text: name, Op: op, Naming: command.ByName, Below: command.BelowIf(tree), Walk: value.Walk{Follow: tree}, Presence: command.IfExists,
			})
		}
		e.Command.Accesses = append(e.Command.Accesses, command.Composing(word.Stream)...)
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
		e.Command.Caveats.Add("dynamic_word")
	default:
		a = command.AccessTo(op, word.Text)
	}
	a.Below, a.Walk, a.Reading = command.BelowIf(tree), e.Filters, reading
	e.Command.Accesses = append(e.Command.Accesses, a)
}

// MaybePath notes a word that could be a path.
func (e *Effects) MaybePath(word expansion.Word, op string) {
	if e.Command.Reading.Stdin = e.Command.Reading.Stdin || word.Is("-"); word.Text == "" || word.Is("-") {
		return
	}
	if word.Kind == expansion.Names {
		e.Access(word, op, true)
		return
	}
	naming := command.ByName
	switch word.Kind {
	case expansion.Glob:
		naming = command.ByGlob
	case expansion.Dynamic, expansion.Output:
		naming = command.Unnamed
		e.Command.Caveats.Add("dynamic_word")
	default:
	}
	e.Command.Accesses = append(e.Command.Accesses, command.Access{Text: word.Text, Op: op, Naming: naming, Presence: command.IfPathLike})
}

// AnyPath notes a word of a role that is not known: each path that it may hold can be
// written, and a directory may be read with all that is below.
func (e *Effects) AnyPath(word expansion.Word) {
	added := e.anyPart(word, v1.OpWrite)
	for i := range added {
		if added[i].Presence == command.IfPathLike {
			added[i].Below = command.Tree
		}
	}
}

// anyPart notes a word of which a path may be any part, and returns the accesses that this adds.
func (e *Effects) anyPart(word expansion.Word, op string) []command.Access {
	before := len(e.Command.Accesses)
	e.MaybePath(word, op)
	added := e.Command.Accesses[before:]
	for i := range added {
		if added[i].Presence == command.IfPathLike {
			added[i].Reading = value.AsAnything
		}
	}
	return added
}

// move notes an option that changes the working directory of the command.
func (e *Effects) move(word expansion.Word) {
	if dirs := e.Shell.Matches(word); dirs != nil && !e.Moved && !e.Command.Cwd.Others && slices.Equal(e.Command.Cwd.Known, e.Cwd.Known) {
		e.Moved, e.Dirs = true, dirs
		return
	}
	if word.Kind != expansion.Literal || word.Text == "" {
		e.Command.Caveats.Add("dynamic_word")
		e.Command.Cwd.Others = true
		e.Moved, e.Dirs = true, nil
		return
	}
	from := e.Command.Cwd.Known
	if e.Moved {
		from = e.Dirs
	}
	e.Moved = true
	if isRooted(e.Platform, word.Text) {
		e.Dirs = []string{word.Text}
		e.Command.Cwd.Others = false
		return
	}
	e.Dirs = nil
	for _, dir := range from {
		e.Dirs = append(e.Dirs, dir+"/"+word.Text)
	}
}

// variables notes the variables that a word expands.
func (e *Effects) variables(word expansion.Word) {
	e.Command.Variables = append(e.Command.Variables, word.Variables...)
	if word.Kind == expansion.Dynamic {
		e.Command.Caveats.Add("dynamic_word")
	}
}

// elsewhere reports whether a command may run in another directory than the names of a stream
// count from.
func (e *Effects) elsewhere(names *stream.NameStream) bool {
	return e.Moved || !e.Command.Cwd.Only(names.Dir)
}

// partsHere notes that a word consists of names, or parts of them, and isn't a path. How a name begins may make the word
// an option. It reports false if the names were found in another directory.
func (e *Effects) partsHere(word expansion.Word) bool {
	if e.elsewhere(word.Stream) {
		return false
	}
	before := len(e.Command.Accesses)
	e.Command.Accesses = command.AppendNames(e.Command.Accesses, word, v1.OpList, false)
	for i := range e.Command.Accesses[before:] {
		e.Command.Accesses[before+i].Parts = true
	}
	e.Command.Accesses = append(e.Command.Accesses, command.Composing(word.Stream)...)
	return true
}

// refsHere notes that names of refs of the repository there become a word. It reports false
// where they are those of another one, or cut elsewhere than at their ends.
func (e *Effects) refsHere(word expansion.Word) bool {
	if e.elsewhere(word.Stream) || word.Split && e.AssignsIFS {
		return false
	}
	refs := command.Access{Text: ".", Op: v1.OpList, Naming: command.ByName, Below: command.Refs}
	if word.Stream.Kind == stream.TagRefs {
		refs.Below = command.TagRefs
	}
	e.Command.Accesses = append(e.Command.Accesses, refs)
	return true
}

// beginsPlain reports whether a word begins as a name does, whatever it
// expands to, and not with mark. Of a pattern that could match such a name it
// adds what has to hold: that there is none.
func (e *Effects) beginsPlain(word expansion.Word, mark string) bool {
	if word.Kind == expansion.Names || word.Text == "" {
		return false
	}
	if first := word.Text[0]; value.IsNameByte(first) || first == '.' || first == '/' {
		return true
	}
	if word.Kind != expansion.Glob || strings.IndexByte("*?[", word.Text[0]) < 0 {
		return false
	}
	e.Command.Accesses = append(e.Command.Accesses, command.Access{Text: mark + "*", Op: v1.OpList, Naming: command.ByGlob, Matches: command.NoMatch})
	return true
}

// knownIf returns the kind of a word that is explained only where something
// holds.
func (e *Effects) knownIf(kind string, holds bool) string {
	if holds {
		return kind
	}
	e.Command.Caveats.Add("unknown_option")
	return "unknown"
}

// codeIf returns the kind of a file of program text, and "code" if the line itself holds the text.
func (e *Effects) codeIf(inline bool, kind string) string {
	if inline {
		e.Command.Caveats.Add("inline_code")
		return "code"
	}
	return kind
}

// NoteSingle notes a word that stands in a place of its own: a pattern that matches several files would push the others
// into places of their own. To an inert program places don't matter.
func (e *Effects) NoteSingle(word expansion.Word, inert bool) {
	switch {
	case word.Kind == expansion.Glob && !word.Vanishes:
		a := command.Access{Text: word.Text, Op: v1.OpList, Naming: command.ByGlob}
		if word.Expands {
			a.Matches = command.SingleMatch
		}
		e.Command.Accesses = append(e.Command.Accesses, a)
	case word.Kind == expansion.Names && word.Stream.Several:
		e.Command.Caveats.Add("dynamic_option")
	case word.Vanishes && !inert:
		e.Command.Caveats.Add("dynamic_option") // what stands behind it may take its place
	case word.Split && (word.Kind == expansion.Output || word.Kind == expansion.Dynamic) && !inert:
		e.Command.Caveats.Add("dynamic_option") // the shell makes as many words of it as there are blanks
	}
}

// risk notes what an approval has to be given for by name, if it is anything.
func (e *Effects) risk(name string) {
	if name != "" {
		e.Command.Approval.Risks.Add(name)
	}
}

// mayTurn reports whether a word may become an option of a program when it is expanded.
func (e *Effects) mayTurn(program *argv.Program, word expansion.Word) bool {
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
func (e *Effects) begun(word expansion.Word) bool {
	if word.Split {
		return false
	}
	return !word.MayBeginWithDash() || word.Begins != nil && e.partsHere(expansion.OfNames(word.Begins, word.Begins.Roots[0]))
}

// pathOperand remembers the first path-like operand (V3).
func (e *Effects) pathOperand(word expansion.Word) {
	if e.Command.Effective.Operand == "" && word.Kind == expansion.Literal && pathLike(word.Text) {
		e.Command.Effective.Operand = word.Text
	}
}

// beginsWithNumber reports whether a number that can't be empty stands at the beginning of a word.
func beginsWithNumber(w expansion.Word) bool {
	return len(w.Holes) > 0 && w.Holes[0].Start == 0 && !w.Holes[0].Class.MayBeEmpty()
}

// isRooted reports whether a path doesn't count from the working directory alone.
func isRooted(platform, text string) bool {
	if platform != "windows" {
		return strings.HasPrefix(text, "/")
	}
	return strings.ContainsAny(text[:1], `/\~`) || strings.Contains(text, ":")
}

// NewEffects returns the effects of a command whose words aren't read by a table.
func NewEffects(in Surroundings, c *command.Command) Effects {
	return Effects{Surroundings: in, Command: c}
}
