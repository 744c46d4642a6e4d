package extract

import (
	"io/fs"

	"policyd/extract/lists"
)

// walked are the trees that one call has looked at so far: a line that names one in
// each of its commands has it walked once. It is over with the call.
type walked struct {
	trees   []walkedTree
	doubles []doublesOf
}

type walkedTree struct {
	treeWalk
	sought *lists.PathClass
	answer string
}

// doublesOf are the secrets with more than one name that matter to a walk of dir.
type doublesOf struct {
	dir    string
	sought *lists.PathClass
	files  []fs.FileInfo
}

// tree says what reading everything below a directory reaches. Each name that becomes a word is
// given to found, unless that is nil.
func (e *extraction) tree(t treeWalk, found foundName) string {
	if !t.FromStream {
		t.named, t.base = "", ""
	}
	if found != nil {
		return e.walkTree(&t, found) // for each command anew
	}
	for i := range e.walked.trees {
		if known := &e.walked.trees[i]; known.sought == e.sought && known.equal(&t) {
			return known.answer
		}
	}
	answer := e.walkTree(&t, nil)
	e.walked.trees = append(e.walked.trees, walkedTree{treeWalk: t, sought: e.sought, answer: answer})
	return answer
}

func (t *treeWalk) equal(other *treeWalk) bool {
	return t.root == other.root && t.named == other.named && t.base == other.base && t.spelled == other.spelled &&
		t.listing == other.listing && t.Names == other.Names && t.Equal(&other.Walk)
}

// doubles are the secrets with more than one name that lie where otherNames looks for
// those of a file in dir: a walk of dir may read one by another name.
func (e *extraction) doubles(dir string) []fs.FileInfo {
	for i := range e.walked.doubles {
		if e.walked.doubles[i].dir == dir && e.walked.doubles[i].sought == e.sought {
			return e.walked.doubles[i].files
		}
	}
	files := e.findDoubles(dir)
	e.walked.doubles = append(e.walked.doubles, doublesOf{dir, e.sought, files})
	return files
}
