package command

import (
	"math"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// Command is one simple command, without the wrappers around it.
type Command struct {
	// Verb is the verb chain (V2).
	Verb string
	// Argv are its words as they are expanded, the program's name first; nil where that
	// isn't known.
	Argv []expansion.Word
	// Program is the base name of the program.
	Program string
	Form    v1.Form
	// Accesses are the paths that it names or implies.
	Accesses []Access
	Execution
	Effective EffectiveDirectory
	Caveats   v1.Set
	Approval  Approval
	// Variables are the variables whose values it gets.
	Variables []string
	Selection Selection
	Implied   Implied
	// Git are the words of a git command that select what it prints.
	Git GitWords
	// Printing and reading are what the walk needs to know of its standard streams.
	Printing Printing
	Reading  Reading
}

// Execution is where and when a command runs.
type Execution struct {
	// Cwd are the directories that it may run in.
	Cwd value.Directories
	// Step counts the parts of a line that run one after the other: a command of a later step begins when all of
	// an earlier one have ended, but for those of AnyStep.
	Step int
}

// AnyStep is the step of a command that runs beside what follows, such as one in the background.
const AnyStep = math.MaxInt

// MayPrecede reports whether a command of the line may begin before another one has ended.
func (e *Execution) MayPrecede(other *Execution) bool {
	return e.Step == AnyStep || e.Step <= other.Step
}

// Printing is what is known of what a command prints.
type Printing struct {
	// Found selects the files that a find prints.
	Found *value.Walk
	// Ran are the names that find gives to the one command that it runs, if it
	// prints none itself.
	Ran *stream.NameStream
	// Mixed is true if some of them end by NUL and others by a newline.
	Mixed bool
	// Color is what options choose of colors, if any does.
	Color Color
	// Lines are the words that printf and echo print, each on a line of its own
	// or behind a blank.
	Lines []expansion.Word
	// First is true if it prints of each line what stands before the first blank.
	First bool
	// Picks is true if it prints some of the lines that it reads, by their numbers.
	Picks bool
}

// Reading is what is known of what a command reads.
type Reading struct {
	// Files counts the operands that are files, be they standard input or pipes.
	Files int
	// Stdin is true if a word names standard input.
	Stdin bool
	// Refusable is true if a pattern among its words can be one that it refuses.
	Refusable bool
}

// EffectiveDirectory is what the effective directory follows from (V3).
type EffectiveDirectory struct {
	// Operand is the first path-like operand as it stands; empty if there is none. File is true if
	// it can be no directory.
	Operand string
	File    bool
	// WorksIn is what the command does with the directory that it runs in.
	WorksIn argv.WorkingDirectory
}

// Approval is what an approval is given for by name (V6).
type Approval struct {
	Risks v1.Set
	// Values are the literal words that the table marks as judged.
	Values v1.Values
}

// Selection is what chooses the program that runs, besides its name.
type Selection struct {
	// ChosenBy names files that do, if one of them lies in a directory above. Beside is true if
	// they count beside the files that the command reads as well.
	ChosenBy []string
	Beside   bool
	// VersionFiles are files, or patterns, that can contain the version that is installed.
	VersionFiles []string
	// Imports are modules that a file in a working directory would stand in for.
	Imports []string
	// SearchesCwd is true if the working directory is searched for the program
	// before the places that programs are in.
	SearchesCwd bool
}

// Implied is what a command touches without a word that names it.
type Implied struct {
	// Changes is what it may change.
	Changes Change
	// Unnamed are directories, as they count from those that it runs in, where it makes files of ChangesTree although
	// no word of a path that it writes leads there.
	Unnamed []string
	// ReadsAbove names files that it reads in a working directory or above, and prints parts of if
	// they are not what they should be.
	ReadsAbove []string
	// Held are patterns whose matches stand in words with other text, or are split by the shell. The
	// names of the matches matter even if the command touches none of them.
	Held []Access
}

// Change is what a command changes without a word that names it, each kind more than the one before.
type Change uint8

const (
	// ChangesNothing is the change of commands that write nothing but what their words name.
	ChangesNothing Change = iota
	// ChangesRefs is that of git commands that make its index, branches, tags or notes others than they are.
	ChangesRefs
	// ChangesNamed is that of git commands that do so, and make files at the paths that their words name. They may
	// be links.
	ChangesNamed
	// ChangesTracked is that of commands of version control that put any files of a commit into the work tree.
	ChangesTracked
	// ChangesTree is that of commands that make files of which neither the names nor the kinds are known, in the
	// directories that they run in or at the paths that they write: links can be among them.
	ChangesTree
)

// Complete reports whether the words name all objects.
func (o *GitObjects) Complete() bool { return o.Words == len(o.Named) }

// Revisions are the revisions that the objects are of.
func (o *GitObjects) Revisions() []string {
	revisions := make([]string, 0, len(o.Named))
	for i := range o.Named {
		revisions = append(revisions, o.Named[i].Revision)
	}
	return revisions
}

// Everywhere reports whether something holds of the path of an access, from whichever
// directory it counts. Of a path that climbs nothing is known: behind a link ".." leads
// elsewhere than it says.
func (c *Command) Everywhere(a *Access, holds func(path string) bool) bool {
	dirs := c.Cwd.Known
	if a.Dirs != nil {
		dirs = a.Dirs
	}
	return !slices.ContainsFunc(dirs, func(dir string) bool {
		full := a.Text
		if !strings.HasPrefix(full, "/") {
			full = dir + "/" + full
		}
		return dir == "" || strings.Contains(a.Text, "..") || !holds(full)
	})
}

// Has reports whether the form of a command has an option or a role.
func (c *Command) Has(name string) bool {
	return c.Form.Has(name)
}

// OnlyForm reports whether the form of a command has no others than these options and roles.
func (c *Command) OnlyForm(names ...string) bool {
	return !slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(names, e.Name) })
}

// Opened is what a command accesses besides what takes away what it complains of.
func (c *Command) Opened() []Access {
	return slices.DeleteFunc(slices.Clone(c.Accesses), func(a Access) bool { return a.Op == v1.OpWrite && a.Text == "/dev/null" })
}

// Color says whether a command prints marks for a terminal among its text.
type Color uint8

const (
	// ColorUnsaid is that no option chooses.
	ColorUnsaid Color = iota
	// ColorNone is that there are none into a pipe.
	ColorNone
	// ColorGiven is that there may be some.
	ColorGiven
)

// Below are pathspecs that select what the words which the shell expands stand for, and of
// directories all that is below, which the pattern itself doesn't.
func (g *GitWords) Below() (specs []string) {
	for _, pattern := range g.Expanded {
		specs = append(specs, pattern, pattern+"/*")
	}
	return specs
}

// GitWords are words that git reads its own way.
type GitWords struct {
	// Pathspecs stand behind "--", exclusions among them.
	Pathspecs []string
	// Revisions are words that name a revision, or a path if there is one.
	Revisions []string
	// Objects are words of the form revision:path.
	Objects GitObjects
	// Staged are paths that git looks for in its index before it takes a word for a
	// pathspec with magic.
	Staged []string
	// Patterns are words that the shell expands, or hands on as pathspecs where
	// nothing matches.
	Patterns []string
	// Expanded are the words among Pathspecs and Patterns that the shell expands, as it reads
	// them: a name that one of them stands for may be that of a directory.
	Expanded []string
	// Setting is the name of the one setting that is printed, if it is known.
	Setting string
	// Mapped is true where configuration has a say in what a push changes.
	Mapped bool
	// PathRisk is the risk of a word that may name a revision, if it names a path.
	PathRisk string
	Log      GitLog
	// Settings are those that stand on the line, as name=value in lower case.
	Settings []string
	// Handed is true when words of other commands are made of its lines.
	Handed bool
	// Dashes is true when "--" stands among the words, so that those before it
	// name no paths.
	Dashes bool
}

// GitObjects are words of the form revision:path.
type GitObjects struct {
	// Words counts them, those that name no path or an unknown one among them.
	Words int
	Named []GitObject
}

// GitObject is the path that such a word names, as git counts it: from the top, or from the working
// directory behind "./". Revision is the one that it is of, "" the index.
type GitObject struct{ Revision, Path string }

// GitLog is how git prints commits.
type GitLog struct {
	// Count is how many are printed at most; 0 if no option limits it.
	Count int
	// Format is how commits are printed, Formats are all values that are formats or name fields of them.
	Format  string
	Formats []string
	// Date is how dates are printed.
	Date string
}

// Kinds of the roles that say what a push does to a ref of the remote. What is forced may
// lose history.
const (
	PushUpdates = "updates"
	PushForces  = "forces"
	PushDeletes = "deletes"
)

// PushUnknown stands for a destination that the line doesn't name. No ref can be called so.
const PushUnknown = "?"

// PushAnywhere is the role of a push that may change any ref.
const PushAnywhere = "<to " + PushUnknown + ">"

// PushTags stands for every tag that there is.
const PushTags = "refs/tags/*"
