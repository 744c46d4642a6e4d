package history

import (
	"errors"
	"strings"

	"policyd/extract/git/object"
)

// CountsFromTop reports whether paths in what a revision names count from the top of the repository,
// as they do in a commit. They don't in the tree of a directory, which a tag or a hash can name: the
// path config in the tree of .kube is .kube/config. A word that names nothing counts from the top, since git fails.
//
// The answer is false if it can't be known. What is read counts in the budget. It may be used concurrently.
func (p *Past) CountsFromTop(repository object.Repository, word string, budget *object.Budget) bool {
	if repository.Has("reftable") {
		name, _, _ := strings.Cut(strings.ReplaceAll(word, "^", "~"), "~")
		return name == "HEAD" || name == "@"
	}
	source, ok := p.open(&repository, budget)
	if !ok {
		return false
	}
	defer source.reader.Close()
	if id, ok := source.revision(word); ok {
		return source.isTop(id)
	}
	return source.pieces(word, source.isTop)
}

// RefsCountFromTop is CountsFromTop for whichever ref a revision names.
func (p *Past) RefsCountFromTop(repository object.Repository, budget *object.Budget) bool {
	if repository.Has("reftable") {
		return false
	}
	source, ok := p.open(&repository, budget)
	if !ok {
		return false
	}
	defer source.reader.Close()
	return (&tips{repository: &repository, visit: source.isTop}).walk()
}

// isTop reports whether an object is no tree that has files, itself or behind tags. One that isn't there
// is none: git fails.
func (s *source) isTop(id string) bool {
	_, found, err := s.peel(id)
	if errors.Is(err, object.ErrMissing) {
		return true
	}
	return err == nil && (found.Kind != object.KindTree || len(found.Body) == 0)
}
