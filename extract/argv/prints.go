package argv

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// Prints is what a verb prints, as far as other commands may rely on it. The zero value is that nothing is known. Each
// list of options holds all that the verb may be given for that to hold.
type Prints struct {
	// Version are the options with which the program, given nothing else, prints its version or its
	// help and does nothing besides.
	Version []string `json:"version"`
	// Names is how it prints names of files.
	Names NamePrinting `json:"names"`
	// FiltersNames are for a filter that drops lines and changes none.
	FiltersNames []string `json:"filters_names" names:""`
	// PicksNames are for printing, of the names that it is given, some as they are.
	PicksNames []string `json:"picks_names" names:""`
	// Number are for printing one number with the first of them.
	Number []string `json:"number" names:""`
	// Hashes are for printing a line for each of some commits that may begin with its hash.
	Hashes []string `json:"hashes" names:""`
	// Refs is how it prints names of refs, one a line.
	Refs *RefPrinting `json:"refs"`
	// Words is for printing the words of its operands, and of what these name nothing that a directory does not list.
	Words *Printing `json:"words"`
}

// NamePrinting is how a verb prints names of files below its paths.
type NamePrinting struct {
	// Options are for printing names; colors depend on their value.
	Options []string `json:"options" names:""`
	// OnlyWith are the options one of which it needs, nil for none.
	OnlyWith []string `json:"only_with" names:""`
	// FilesWith are options with which no name is that of a directory.
	FilesWith []string `json:"files_with" names:""`
	// NULWith are options with which names end by NUL.
	NULWith []string `json:"nul_with" names:""`
	// Tracked are for printing names of tracked files alone.
	Tracked []string `json:"tracked" names:""`
	// Untracked is for printing names of files that git doesn't ignore, and that it may not track.
	Untracked *Printing `json:"untracked"`
	// Commits is how it prints names of files in commits.
	Commits *CommitNaming `json:"commits"`
}

// CommitNaming is how a verb names what commits contain.
type CommitNaming struct {
	// Needs are options without which it prints more than names of files.
	Needs []string `json:"needs" names:""`
	// Parents is true if it compares each commit with its parents, Head if it
	// takes HEAD if none is named, and Plain if it prints names alone only behind
	// an empty format.
	Parents bool `json:"parents"`
	Head    bool `json:"head"`
	Plain   bool `json:"plain"`
}

// RefPrinting is how a verb prints names of refs.
type RefPrinting struct {
	// Options are all that it may be given for that to hold.
	Options []string `json:"options" names:""`
	// Bare is true if it does so without a format, BareWith are options with which it
	// does.
	Bare     bool     `json:"bare"`
	BareWith []string `json:"bare_with" names:""`
	// Said is true if the name may be the one that a tag says of itself.
	Said bool `json:"said"`
}

// Printing is what a verb may be given for it to print what it is known for.
type Printing struct {
	// Needs are what it has to be given, Options what it may be given besides.
	Needs   []string `json:"needs" names:""`
	Options []string `json:"options" names:""`
}

// Holds reports whether a form has all of what is needed, and nothing that is not known. No form fulfils nil.
func (p *Printing) Holds(form v1.Form) bool {
	has := form.Has
	return p != nil && !slices.ContainsFunc(p.Needs, func(option string) bool { return !has(option) }) &&
		!slices.ContainsFunc(form, func(e v1.Entry) bool { return !slices.Contains(p.Needs, e.Name) && !slices.Contains(p.Options, e.Name) })
}

// nothingKnown is what is known of the output of most verbs.
var nothingKnown Prints

// Prints returns what a verb prints. It is never nil, and must not be changed.
func (t *Table) Prints(verb string) *Prints {
	if entry := t.verb(verb); entry != nil && entry.Prints != nil {
		return entry.Prints
	}
	return &nothingKnown
}

// verb returns the entry of a verb chain, nil if there is none.
func (t *Table) verb(verb string) *Program {
	if _, listed := t.raw[verb]; listed {
		return t.Program(verb)
	}
	name, chain, nested := strings.Cut(verb, " ")
	if _, listed := t.raw[name]; !listed || !nested {
		return nil
	}
	entry := t.Program(name)
	for name := range strings.SplitSeq(chain, " ") {
		if entry == nil {
			return nil
		}
		entry = entry.Commands[name]
	}
	return entry
}

// PrintsVersion reports whether a program that is given word and nothing else prints its version or its
// help, and does nothing besides.
func (t *Table) PrintsVersion(program, word string) bool {
	return slices.Contains(t.Words.versions[program], word) || slices.Contains(t.Prints(program).Version, word)
}
