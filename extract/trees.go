package extract

import (
	"io/fs"
	"slices"

	"policyd/extract/lists"
)

// walked are the trees that one call has looked at so far: a line that names one in
// each of its commands has it walked once. It is over with the call.
type walked struct {
	trees   []walkedTree
	doubles []doublesOf
}

type walkedTree struct {
	root, named, base string
	filter            filter
	sought            *lists.PathClass
	answer            string
}

// doublesOf are the secrets with more than one name that matter to a walk of dir.
type doublesOf struct {
	dir    string
	sought *lists.PathClass
	files  []fs.FileInfo
}

// treeOf says what reading everything below root reaches, for a tree whose names
// become words of a command where the filter says so.
func (e *extraction) treeOf(root, named, base string, f filter, found foundName) string {
	if !f.fed {
		named, base = "", ""
	}
	if found != nil {
		return e.walkTree(root, named, base, f, found) // for each command anew
	}
	for i := range e.walked.trees {
		tree := &e.walked.trees[i]
		if tree.root == root && tree.named == named && tree.base == base && tree.sought == e.sought && tree.filter.equal(&f) {
			return tree.answer
		}
	}
	answer := e.walkTree(root, named, base, f, nil)
	e.walked.trees = append(e.walked.trees, walkedTree{root: root, named: named, base: base, filter: f, sought: e.sought, answer: answer})
	return answer
}

func (f *filter) equal(other *filter) bool {
	return f.skipHidden == other.skipHidden && f.across == other.across && f.spelled == other.spelled && f.follow == other.follow && f.namedLinks == other.namedLinks && f.names == other.names && f.fed == other.fed &&
		f.rooted == other.rooted && f.parts == other.parts && f.uncut == other.uncut && f.handing == other.handing && f.braces == other.braces && f.reading == other.reading && f.ignoring == other.ignoring && f.untracked == other.untracked && f.quoted == other.quoted && slices.Equal(f.ignoreFiles, other.ignoreFiles) &&
		slices.Equal(f.unhidden, other.unhidden) && slices.Equal(f.include, other.include) && slices.Equal(f.exclude, other.exclude) && slices.Equal(f.excludeDir, other.excludeDir)
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
