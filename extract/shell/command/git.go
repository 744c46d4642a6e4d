package command

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
