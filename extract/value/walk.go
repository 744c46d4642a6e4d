// Package value describes what the words of a command can stand for before it runs. Every value
// is an over-approximation: what it doesn't exclude may happen. The zero value of each type
// excludes least.
package value

// Walk selects files below the roots of a tree. The zero value selects every file that no
// symbolic link leads to.
type Walk struct {
	// Include, Exclude and ExcludeDir are globs over base names: of files that are selected, if
	// there are any, of files that aren't, and of directories that aren't entered.
	Include, Exclude, ExcludeDir []string
	// SkipHidden excludes names that begin with a dot. Types are kinds of files whose hidden
	// ones are selected all the same, as ripgrep's types do.
	SkipHidden bool
	Types      []string
	// Across matches an Include against whole paths as well, so that a star matches slashes, as
	// BSD's grep does.
	Across bool
	// Follow selects what symbolic links lead to; with NamedLinks only if the link's own name
	// is selected.
	Follow, NamedLinks bool
	// Ignoring excludes what git's ignore rules exclude.
	Ignoring bool
	// IgnoreFiles are names of files with such rules. They are read in each directory, in those
	// below and in those above: lines of them that don't parse are printed.
	IgnoreFiles []string
	Index
}

// AllTracked are the pathspecs that select everything.
var AllTracked = []string{"."}

// Index selects the names that git prints, from its index and from commits. The zero value
// selects names on the disk.
type Index struct {
	// Tracked are pathspecs that select from the index; nil if the names are from the disk.
	Tracked []string
	// Commits are revisions whose names are selected as well; with Parents those of their parents,
	// too. Without Dashes git takes a word that names a path for a pathspec.
	Commits         []string
	Parents, Dashes bool
	// AtHead selects the names of HEAD, too.
	AtHead bool
	// Untracked selects untracked files, too; with Ignoring none that git ignores.
	Untracked bool
}
