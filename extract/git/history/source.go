package history

import (
	"slices"
	"strings"

	"policyd/extract/git/object"
)

// source reads what revisions lead to.
type source interface {
	object(id string) (object.Object, error)
	commit(id string) (*object.Commit, bool)
}

var (
	_ source = (*verified)(nil)
	_ source = (*remembered)(nil)
)

// Bounds on what a verified source reads for one answer.
const (
	maxVerified      = 1024
	maxVerifiedBytes = 16 << 20
)

// verified reads what git reads, whichever copy git takes: all copies of an object have to match
// its id, and the commit graph has to agree with each commit.
type verified struct {
	repository *object.Repository
	reader     *object.Reader
	budget     object.Budget
	graph      graph
	commits    map[string]*object.Commit
}

// openVerified reports false if git may read other objects in the place of some: objects of another
// repository, replacements, or what an index of several packs points to. The caller closes the
// reader.
func openVerified(repository *object.Repository) (*verified, bool) {
	graph, known := readGraph(repository)
	others := []string{"reftable", "objects/info/alternates", "objects/pack/multi-pack-index", "objects/pack/multi-pack-index.d"}
	if !known || repository.ForeignObjects || slices.ContainsFunc(others, repository.Has) {
		return nil, false
	}
	s := &verified{
		repository: repository, graph: graph, commits: map[string]*object.Commit{},
		budget: object.Budget{MostObjects: maxVerified, MostBytes: maxVerifiedBytes},
	}
	var err error
	s.reader, err = object.NewReader(repository, &s.budget)
	return s, err == nil
}

func (s *verified) object(id string) (object.Object, error) { return s.reader.ReadAll(id) }

func (s *verified) commit(id string) (*object.Commit, bool) {
	if c := s.commits[id]; c != nil {
		return c, true
	}
	found, err := s.reader.ReadAll(id)
	if err != nil || found.Kind != object.KindCommit {
		return nil, false
	}
	c, ok := s.repository.ParseCommit(found.Body)
	if !ok || !s.graph.agrees(id, c, &s.budget) {
		return nil, false
	}
	s.commits[id] = c
	return c, true
}

// remembered reads the first copy of each object: it looks for what git may print, and returns
// none of it. It remembers commits.
type remembered struct {
	past       *Past
	repository *object.Repository
	reader     *object.Reader
	// shallow are commits that a shallow clone ends with.
	shallow []string
}

// open reports false if what the repository's objects are can't be known. The caller closes the reader.
func (p *Past) open(repository *object.Repository, budget *object.Budget) (*remembered, bool) {
	reader, err := object.NewReader(repository, budget)
	if err != nil {
		return nil, false
	}
	s := &remembered{past: p, repository: repository, reader: reader}
	return s, s.readShallow()
}

func (s *remembered) resolver() resolver {
	return resolver{source: s, repository: s.repository, reader: s.reader}
}

// object returns the kind alone if it is a commit that is remembered.
func (s *remembered) object(id string) (object.Object, error) {
	if _, known := s.past.commit(id); known {
		return object.Object{Kind: object.KindCommit}, nil
	}
	return s.reader.Read(id)
}

// commit has no parents if a shallow clone ends with it.
func (s *remembered) commit(id string) (*object.Commit, bool) {
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

func (s *remembered) readShallow() (known bool) {
	text, known := s.repository.Read(s.repository.CommonDir, "shallow", object.MaxRefsBytes)
	s.shallow = strings.Fields(string(text))
	return known
}
