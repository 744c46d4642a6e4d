package history

import (
	"fmt"
	"strings"

	"policyd/extract/git/object"
)

// Opens are the objects that a git command may open beside those through which git resolves its words.
type Opens uint32

// Kinds of objects.
const (
	// OpensRefs is what each ref names, itself and through tags.
	OpensRefs Opens = 1 << iota
	// OpensLogs is what refs named before.
	OpensLogs
	// OpensNamed is what the words name. Of that OpensTop is the tree, OpensTrees the trees below and
	// OpensFiles the files, too.
	OpensNamed
	OpensTop
	OpensTrees
	OpensFiles
	// OpensHistory are the commits before those that are named, OpensAll those before any ref.
	OpensHistory
	OpensAll
	// OpensNames are, of each commit, the trees that differ from those of its parents, OpensChanges the files
	// that do, too. OpensBetween are those that differ between the words if there are several, and nothing else.
	OpensNames
	OpensChanges
	OpensBetween
	// OpensNotes are the notes of commits.
	OpensNotes
	// OpensAttributes and OpensIgnores are the files of rules that the index names, OpensTracked the files that it
	// names and the work tree has, and what differs between index and what is named, OpensIndex all files that it names.
	OpensAttributes
	OpensIgnores
	OpensTracked
	OpensIndex

	// OpensDifferences are those for which git compares commits.
	OpensDifferences = OpensNames | OpensChanges | OpensBetween | OpensTracked
	// opensBelow are those for which it matters which commit a word names.
	opensBelow = OpensTop | OpensTrees | OpensFiles | OpensDifferences
)

// opensByName are kinds of objects by their names in tables.
var opensByName = map[string]Opens{
	"none": 0, "refs": OpensRefs, "logs": OpensLogs, "named": OpensNamed, "top": OpensTop, "trees": OpensTrees, "files": OpensFiles,
	"history": OpensHistory, "all": OpensAll, "names": OpensNames, "changes": OpensChanges, "between": OpensBetween, "notes": OpensNotes,
	"attributes": OpensAttributes, "ignores": OpensIgnores, "tracked": OpensTracked, "index": OpensIndex,
}

// ParseOpens reads names of kinds of objects, with blanks between them.
func ParseOpens(text string) (opens Opens, err error) {
	for name := range strings.FieldsSeq(text) {
		kind, known := opensByName[name]
		if !known {
			return 0, fmt.Errorf("parse kinds of objects: unknown %q", name)
		}
		opens |= kind
	}
	return opens, nil
}

// Opened names the objects that a git command may open. The zero value names none.
type Opened struct {
	Opens Opens
	// Revisions are words as git log takes them, Objects those of the form revision:path.
	Revisions []string
	Objects   []ObjectName
	// Count is how many commits are opened at most, the youngest first; 0 for any number.
	Count int
	// Budget counts what is read for the answer, beside others of one decision.
	Budget *object.Budget
}

// ObjectName is a word of the form revision:path. The path counts from the top, and the revision is empty
// for the index.
type ObjectName struct{ Revision, Path string }

// Stored reports whether the repository has every object that a command may open, so that a partial
// clone fetches none. It is false if that can't be known. It may be used concurrently.
func (p *Past) Stored(repository object.Repository, of Opened) bool {
	if of.Opens == 0 && len(of.Revisions)+len(of.Objects) == 0 {
		return true
	}
	if repository.HashSize == 0 || repository.Has("reftable") {
		return false
	}
	source, ok := p.open(&repository, of.Budget)
	if !ok {
		return false
	}
	defer source.reader.Close()
	now := &stored{remembered: source, recent: map[string]map[string]treeEntry{}}
	words := openedWords{
		resolver: resolver{source: now, repository: &repository, reader: source.reader}, stored: now, opens: of.Opens, count: of.Count,
	}
	if !words.resolve(of) {
		return false
	}
	c := opened{openedWords: words}
	return c.refs() && c.below() && c.walk() && c.notes() && c.index() && !now.missing
}
