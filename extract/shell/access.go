package shell

import (
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
	// printed is true for a file that standard output is sent to.
	printed bool
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

// named is an access to the path that a text is.
func named(op, text string) Access { return Access{Text: text, Op: op, Naming: ByName} }

// naming is how a word names paths.
func (w Word) naming() Naming {
	switch w.Kind {
	case Literal:
		return ByName
	case Glob:
		return ByGlob
	default:
		return Unnamed
	}
}

// pattern is an access to what a Glob matches.
func (w Word) pattern(op string) Access {
	a := Access{Text: w.Text, Op: op, Naming: ByGlob, Split: w.Split, Inner: w.behindText()}
	if !w.Expands {
		a.Matches = OneMatch
	}
	return a
}

// treeIf is what a directory is an access to if all of it is, or isn't.
func treeIf(whole bool) Below {
	if whole {
		return Tree
	}
	return Itself
}
