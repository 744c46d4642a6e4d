package command

import (
	v1 "policyd/api/v1"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// Access is one word that names paths, and what happens to what it names.
type Access struct {
	Text string
	Op   string
	// Naming is how Text names paths. The zero value is a path that only the run knows.
	Naming Naming
	// Presence is what has to hold for the access to count.
	Presence Presence
	// Below is what else is accessed if a path is a directory.
	Below Below
	// Matches is how many matches the place of a ByGlob takes.
	Matches Matches
	// Split is true for a ByGlob whose matches the shell splits at blanks.
	Split bool
	// Inner is true for a ByGlob that stands behind other text, or that a script puts into
	// some: what it is without a match is not looked at.
	Inner bool
	// Named is true for a ByGlob of which nothing but the words is printed.
	Named bool
	// Printed is true for a file that standard output is sent to.
	Printed bool
	// Walk selects the files of a Tree that are accessed.
	value.Walk
	// Names are how matches of a ByGlob, and names below a Tree, become words of the command.
	value.Names
	// Landing, when not nil, is what is put at the path.
	Landing *Landing
	// Dirs, when not nil, are what the path is relative to, instead of the
	// command's own directories.
	Dirs []string
}

// Naming is how the text of an access names paths.
type Naming uint8

const (
	// Unnamed means that only the run knows the path.
	Unnamed Naming = iota
	// ByName means that the text is the path.
	ByName
	// ByGlob means that the text is a pattern that the shell expands.
	ByGlob
	// ByPathspec means that the text is a pattern that git matches: only what it spells counts.
	ByPathspec
)

// Presence is the condition under which an access counts.
type Presence uint8

const (
	// Always has no condition.
	Always Presence = iota
	// IfPathLike counts a word that looks like a path or is one that exists.
	IfPathLike
	// IfExists counts a name that something has.
	IfExists
)

// Below is what an access to a directory is an access to besides.
type Below uint8

const (
	// Itself is nothing else.
	Itself Below = iota
	// Tree is everything below that the walk selects.
	Tree
	// Module is the file that another one in the directory names.
	Module
	// Refs is the names of the repository's refs: words of the command, of which each is taken
	// for what it is called.
	Refs
	// TagRefs is Refs if a name can be the one that a tag gives itself.
	TagRefs
)

// NamesRefs reports whether names of refs become words.
func (b Below) NamesRefs() bool { return b == Refs || b == TagRefs }

// Matches is how many matches of a pattern become words.
type Matches uint8

const (
	// AllMatches become a word each.
	AllMatches Matches = iota
	// OneMatch is one of them, which a variable holds.
	OneMatch
	// SingleMatch is the only one: the place takes one word.
	SingleMatch
	// NoMatch means that the pattern was taken to match nothing.
	NoMatch
)

// AccessTo is an access to the path that a text is.
func AccessTo(op, text string) Access { return Access{Text: text, Op: op, Naming: ByName} }

// BelowIf is what a directory is an access to if all of it is, or isn't.
func BelowIf(whole bool) Below {
	if whole {
		return Tree
	}
	return Itself
}

// NamingOf is how a word names paths.
func NamingOf(w expansion.Word) Naming {
	switch w.Kind {
	case expansion.Literal:
		return ByName
	case expansion.Glob:
		return ByGlob
	default:
		return Unnamed
	}
}

// AccessToMatches is an access to what a Glob matches.
func AccessToMatches(w expansion.Word, op string) Access {
	a := Access{Text: w.Text, Op: op, Naming: ByGlob, Split: w.Split, Inner: w.IsBehindText()}
	if !w.Expands {
		a.Matches = OneMatch
	}
	return a
}

// AppendNames adds what an operation on the names that a word stands for touches, without what their
// composition needs. A program that reads directories whole reads what no filter on the names selects.
func AppendNames(accesses []Access, w expansion.Word, op string, tree bool) []Access {
	name := w.Name()
	for _, root := range name.Roots() {
		accesses = append(accesses, accessOf(name.Stream, root, op, tree, w.Split))
	}
	return accesses
}

func accessOf(names *stream.NameStream, root, op string, tree, split bool) Access {
	if !names.AreFiles() {
		return Access{Text: root, Op: op} // what is not there yet is made, wherever that is
	}
	a := Access{Text: root, Op: op, Naming: ByName, Below: Tree, Walk: names.Walk, Names: names.Names}
	if names.Kind == stream.Written {
		a.Below = BelowIf(tree)
		if lexical.HasWildcard(root) {
			a.Naming = ByGlob
		}
	}
	if tree && !names.OnlyFiles {
		a.Walk = value.Walk{Follow: true, Index: names.Index}
	}
	a.FromStream, a.Parts, a.Uncut = true, names.Part != nil, names.Composed != nil
	if split {
		a.Handing = value.AsWords
	}
	return a
}

// Composing are the names that a path is composed of.
func Composing(names *stream.NameStream) []Access {
	var accesses []Access
	for _, name := range names.Composed {
		for _, root := range name.Roots() {
			a := accessOf(name.Stream, root, v1.OpList, false, false)
			a.Parts = true
			accesses = append(accesses, a)
		}
		accesses = append(accesses, Composing(name.Stream)...)
	}
	return accesses
}

// Landing says what a program puts at the path that an access names, so that
// what really is written can be told: `cp a b` writes b/a where b is a directory.
type Landing struct {
	// Sources are the words whose files are put there.
	Sources []Access
	// Tree is true when what lies below a source goes with it.
	Tree bool
	// Exact is true when the path is never taken for a directory to put sources in.
	Exact bool
	// Parents is true when a source keeps the directories that it names.
	Parents bool
	// Makes is what is made of each source.
	Makes Making
	// Follow is true when links below a source are followed.
	Follow bool
	// Vague is true when an option has a say in where things land.
	Vague bool
}

// Making is what a program makes of a source.
type Making uint8

const (
	// Copies are files of their own. It also stands for sources that are moved.
	Copies Making = iota
	// HardLinks are other names of the sources.
	HardLinks
	// SymbolicLinks are links to the sources' names, which count from where the link lies.
	SymbolicLinks
)
