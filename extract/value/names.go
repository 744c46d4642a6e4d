package value

import (
	"strings"

	"policyd/extract/git/syntax"
)

// Names describes how names that only the disk knows become words of a command: the matches of
// a pattern, and the names that another command finds.
type Names struct {
	// FromStream means that the names below a tree become words.
	FromStream bool
	// Handing is how they are cut into words.
	Handing Handing
	// Rooted means that every name begins with its root, so that none is an option.
	Rooted bool
	// Parts means that a word can begin with any segment of a name.
	Parts bool
	// Uncut means that the command composes other names of each word, so that a piece of a name
	// can lead anywhere.
	Uncut bool
	// Braces means that the shell expands braces in them outside of quotes.
	Braces bool
	// FilesOnly means that a directory prints what isn't known.
	FilesOnly bool
	// Reading is what the program can take them for.
	Reading Reading
}

// Handing is how a stream of names is cut into words. The zero value is the one that cuts most.
type Handing uint8

// Ways to cut names into words.
const (
	// AsWords cuts at blanks, and reads quotes, backslashes and patterns.
	AsWords Handing = iota
	// AsItems cuts at newlines, and reads quotes and backslashes (xargs -I).
	AsItems
	// AsLines cuts at newlines (read -r).
	AsLines
	// Whole is each name as it is (find -exec, xargs -0).
	Whole
)

// Reading is how a program reads an operand. The zero value takes every name for a path.
type Reading uint8

// Ways to read an operand.
const (
	// AsPath is as a path.
	AsPath Reading = iota
	// AsPathspec is as a git pathspec, with magic behind a leading colon.
	AsPathspec
	// AsRevision is as a git revision, with a path behind a colon, or as a path.
	AsRevision
	// AsArchive is as a file, on another machine if its first segment holds a colon.
	AsArchive
	// AsInput is as a file, or as an assignment to a variable of awk.
	AsInput
	// AsAnything is as a word of which any part can be a path.
	AsAnything
)

// Misread reports whether a program with this reading can take name for more than a path.
func (r Reading) Misread(name string) bool {
	switch r {
	case AsPathspec:
		return strings.HasPrefix(name, ":")
	case AsRevision:
		return strings.Contains(name, ":") || syntax.MayNameHash(name)
	case AsArchive:
		first, _, _ := strings.Cut(name, "/")
		return strings.Contains(first, ":")
	case AsInput:
		variable, _, assigns := strings.Cut(name, "=")
		return assigns && IsName(variable)
	default:
		return false
	}
}
