package history

import (
	"slices"
	"strings"

	"policyd/extract/git/object"
)

// source reads objects of a repository, and finds what revisions name. It remembers commits.
type source struct {
	past       *Past
	repository *object.Repository
	reader     *object.Reader
	budget     *object.Budget
	// shallow are commits that a shallow clone ends with.
	shallow []string
}

// open returns a source of a repository. It reports false if what the repository's objects are can't be known. The caller closes the reader.
func (p *Past) open(repository *object.Repository, budget *object.Budget) (*source, bool) {
	reader, err := object.NewReader(repository, budget)
	if err != nil {
		return nil, false
	}
	text, known := repository.Read(repository.CommonDir, "shallow", object.MaxRefsBytes)
	return &source{past: p, repository: repository, reader: reader, budget: budget, shallow: strings.Fields(string(text))}, known
}

// object returns the kind alone if it is a commit that is remembered.
func (s *source) object(id string) (object.Object, error) {
	if _, known := s.past.commit(id); known {
		return object.Object{Kind: object.KindCommit}, nil
	}
	return s.reader.Read(id)
}

// commit has no parents if a shallow clone ends with it.
func (s *source) commit(id string) (*object.Commit, bool) {
	c, known := s.past.commit(id)
	if !known {
		found, err := s.reader.Read(id)
		if err != nil || found.Kind != object.KindCommit {
			return nil, false
		}
		var ok bool
		if c, ok = s.repository.ParseCommit(found.Body); !ok {
			return nil, false
		}
		s.past.keepCommit(id, c)
	}
	if len(c.Parents) > 0 && slices.Contains(s.shallow, id) {
		return &object.Commit{Tree: c.Tree, Date: c.Date, Dated: c.Dated}, true
	}
	return c, true
}
