package history

import (
	"slices"
	"strings"

	"policyd/extract/git/object"
)

// Bounds on what a verified source reads for one answer.
const (
	maxVerified      = 1024
	maxVerifiedBytes = 16 << 20
)

// source reads objects of a repository, and finds what revisions name. It remembers commits.
type source struct {
	past       *Past
	repository *object.Repository
	reader     *object.Reader
	budget     *object.Budget
	// shallow are commits that a shallow clone ends with.
	shallow []string
	// graph has to agree with each commit.
	graph graph
}

// open returns a source that reads the first copy of each object: it looks for what git may print, and returns
// none of it. It reports false if what the repository's objects are can't be known. The caller closes the reader.
func (p *Past) open(repository *object.Repository, budget *object.Budget) (*source, bool) {
	reader, err := object.NewReader(repository, budget)
	if err != nil {
		return nil, false
	}
	text, known := repository.Read(repository.CommonDir, "shallow", object.MaxRefsBytes)
	return &source{past: p, repository: repository, reader: reader, budget: budget, shallow: strings.Fields(string(text))}, known
}

// openVerified returns a source that reads what git reads, whichever copy git takes: all copies of an object have
// to match its id. A revision that may be a hash is not known to it. It reports false if git may read other objects
// in the place of some: objects of another repository, replacements, or what an index of several packs points to.
// The caller closes the reader.
func openVerified(repository *object.Repository) (*source, bool) {
	graph, known := readGraph(repository)
	others := []string{"reftable", "objects/info/alternates", "objects/pack/multi-pack-index", "objects/pack/multi-pack-index.d"}
	if !known || repository.ForeignObjects || slices.ContainsFunc(others, repository.Has) {
		return nil, false
	}
	budget := &object.Budget{MostObjects: maxVerified, MostBytes: maxVerifiedBytes}
	reader, err := object.NewReader(repository, budget)
	if err != nil {
		return nil, false
	}
	reader.Every = true
	return &source{past: NewPast(nil), repository: repository, reader: reader, budget: budget, graph: graph}, true
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
		if c, ok = s.repository.ParseCommit(found.Body); !ok || !s.graph.agrees(id, c, s.budget) {
			return nil, false
		}
		s.past.keepCommit(id, c)
	}
	if len(c.Parents) > 0 && slices.Contains(s.shallow, id) {
		return &object.Commit{Tree: c.Tree, Date: c.Date, Dated: c.Dated}, true
	}
	return c, true
}
