package shell

import (
	"slices"
	"strings"
	"unicode"

	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
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

// treeIf is what a directory is an access to if all of it is, or isn't.
func treeIf(whole bool) Below {
	if whole {
		return Tree
	}
	return Itself
}

// treeSelection is which files of a directory tree options select.
type treeSelection struct {
	// takesIn is true if an option names files to read, takesAll if others are
	// read, too, and leavesOut if one names files not to read.
	takesIn, takesAll, leavesOut bool
}

// filter adds an option that filters a walk, by the kind of filter. A glob over more than base names isn't
// followed: the walk is then wider.
func (s *treeSelection) filter(walk *value.Walk, kind string, word expansion.Word, darwin bool) {
	followed := word.Kind == expansion.Literal && !strings.ContainsAny(word.Text, "/{")
	switch kind {
	case "glob":
		s.glob(walk, word, followed)
	case "include":
		s.takesAll = s.takesAll || s.leavesOut // if leaving out comes first, some programs read what no option names
		s.include(walk, word.Text, followed)
		walk.Across = walk.Across || darwin
	case "extension":
		s.include(walk, "*."+strings.TrimLeft(word.Text, "."), followed && plainExtension(word.Text)) // fd takes all dots away
	case "exclude":
		s.leavesOut = true
		if followed {
			walk.Exclude = append(walk.Exclude, word.Text)
		}
	case "exclude_dir":
		// Some of BSD's greps take the name for the pattern: only one that is spelled out is left out.
		if followed && (!darwin || !lexical.HasWildcard(word.Text)) {
			walk.ExcludeDir = append(walk.ExcludeDir, word.Text)
		}
	case "type":
		walk.Types = append(walk.Types, typeName(word))
	}
}

// glob adds a glob that includes files, or excludes them behind "!".
func (s *treeSelection) glob(walk *value.Walk, word expansion.Word, followed bool) {
	name, not := strings.CutPrefix(word.Text, "!")
	switch {
	case !not || word.Kind != expansion.Literal:
		s.takesAll = s.takesAll || !RuleAsWritten(word.Text)
		s.include(walk, word.Text, followed)
	case followed:
		walk.Exclude, walk.ExcludeDir = append(walk.Exclude, name), append(walk.ExcludeDir, name)
	}
}

// plainExtension reports whether fd takes an extension as it is written.
func plainExtension(text string) bool {
	return !lexical.HasWildcard(text) && !strings.Contains(text, `\\`)
}

func (s *treeSelection) include(walk *value.Walk, pattern string, followed bool) {
	s.takesIn, s.takesAll = true, s.takesAll || !followed
	walk.Include = append(walk.Include, pattern)
}

// RuleAsWritten reports whether a glob that a program reads as a line of ignore rules stands
// for itself: an empty one and a comment stand for none, and blanks at the end are taken away.
func RuleAsWritten(glob string) bool {
	return glob != "" && glob[0] != '#' && strings.TrimRightFunc(glob, unicode.IsSpace) == glob
}

// typeName is a type of files that an option names, empty if it isn't known.
func typeName(word expansion.Word) string {
	if word.Kind != expansion.Literal {
		return ""
	}
	return strings.TrimPrefix(word.Text, "=")
}

// filter adds the value of an option, or an operand by its label, if it filters a walk.
func (p *parsed) filter(name string, word expansion.Word) {
	if p.args.Program != nil && p.args.Program.Filters[name] != "" {
		p.tree.filter(&p.filters, p.args.Program.Filters[name], word, p.w.options.Platform == "darwin")
	}
}

// selects completes which files of a tree are accessed, once all options are known.
func (o operandReader) selects() {
	// A glob that only leaves out more doesn't make a walk read what it would leave out.
	given := func(option string) bool {
		return o.has(option) && (o.args.Program.Filters[option] != "glob" || o.tree.takesIn)
	}
	o.filters.Follow = o.hasAny(o.program.Follows)
	o.filters.Ignoring = len(o.program.IgnoringUnless) > 0 && !slices.ContainsFunc(o.program.IgnoringUnless, given)
	o.filters.IgnoreFiles = o.program.IgnoreFiles
	o.filters.SkipHidden = o.program.SkipsHidden && !slices.ContainsFunc(o.program.Unhide, given)
	if o.tree.takesAll {
		o.filters.Include, o.filters.Exclude = []string{"*"}, nil // the one that comes last counts
	}
	if o.tree.takesIn && o.args.Program.Globs() {
		o.filters.ExcludeDir = nil // one that comes later takes a directory back in
	}
	if len(o.program.Only) > 0 {
		o.filters.Include = o.program.Only
	}
}

// namingOf is how a word names paths.
func namingOf(w expansion.Word) Naming {
	switch w.Kind {
	case expansion.Literal:
		return ByName
	case expansion.Glob:
		return ByGlob
	default:
		return Unnamed
	}
}

// matchesOf is an access to what a Glob matches.
func matchesOf(w expansion.Word, op string) Access {
	a := Access{Text: w.Text, Op: op, Naming: ByGlob, Split: w.Split, Inner: w.IsBehindText()}
	if !w.Expands {
		a.Matches = OneMatch
	}
	return a
}
