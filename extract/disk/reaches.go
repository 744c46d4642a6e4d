package disk

// Bounds of looking at what recursion and globs reach (S3). Beyond them the
// answer is that it is not known.
const (
	MaxReached = 20000
	MaxMatches = 1000
)

// Answers of a look at a tree or a glob.
const (
	ReachesNone    = ""
	ReachesSecret  = "reaches_secret"
	ReachesOutside = "reaches_outside"
	ReachesUnknown = "reaches_unknown"
)
