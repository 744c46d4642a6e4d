package history

import (
	"errors"
	"math"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

// ErrHistoryUnknown means that it can't be known what commits hold: an object that isn't there
// or can't be read, a ref likewise, or more of them than are read for one answer.
var ErrHistoryUnknown = errors.New("history is not known")

// Query names the commits that git prints contents of. The zero value names none.
type Query struct {
	// Revisions are words as git log takes them. If one is not known, all commits count, and
	// with them what refs were before.
	Revisions []string
	// Walks is true if git goes on to what came before each; of a range it does so always.
	Walks bool
	// Alone is true if of a commit that is named only what it holds is printed, not what it
	// changed; of a range these are its ends.
	Alone bool
	// Count is how many commits it prints at most, the youngest first; 0 for any number. It
	// doesn't hold for All.
	Count int
	// All is true if it begins at every ref, Logs if at what refs were before.
	All, Logs bool
	// Contents is true if it prints no commit, but what else a revision names, and with All what
	// else any ref names.
	Contents bool
	// Budget counts what is read for the answer, beside others of one decision.
	Budget *object.Budget
}

// Held visits the files with the names that are looked for which the commits hold, or those
// before them did, as far as the pathspecs select them, until visit returns false. Paths are relative to
// the top. It may visit more: of a commit all that it holds counts, be it that the commit changed
// nothing of it. Of a repository with its refs in a table (reftable) nothing is visited.
//
// Errors: those of Tracked, and ErrHistoryUnknown. After an error the paths visited so far
// mean nothing; what was read is remembered, so that the next answer comes further. It may be used
// concurrently.
func (p *Past) Held(repository object.Repository, of Query, pathspecs []string, cwd string, visit func(path string) bool) error {
	selection, err := selected(&repository, pathspecs, cwd)
	if err != nil {
		return err
	}
	if repository.Has("reftable") {
		return nil
	}
	source, ok := p.open(&repository, of.Budget)
	if !ok {
		return ErrHistoryUnknown
	}
	defer source.reader.Close()
	s := starts{source: source, of: of}
	held := held{source: source, top: repository.Top, selection: selection, visit: visit}
	if !s.find() || !held.follow(&s) || s.lost && !held.stopped {
		return ErrHistoryUnknown
	}
	return nil
}

// held visits what commits hold.
type held struct {
	source    *source
	top       string
	selection syntax.Pathspecs
	visit     func(path string) bool
	// stopped is true once visit has had enough, dirty when anything that is looked for was
	// found, whether it is selected or not.
	stopped, dirty bool
}

// follow visits what is held where git begins, and before it.
func (h *held) follow(s *starts) bool {
	for _, id := range s.trees {
		if !h.tree(id) {
			return false
		}
	}
	for _, id := range s.ends {
		if c, ok := h.source.commit(id); !ok || !h.tree(c.Tree) {
			return false
		}
	}
	for _, id := range s.only {
		if c, ok := h.source.commit(id); !ok || !h.changed(c) {
			return false
		}
	}
	whole := len(s.without) == 0 && s.of.Count == 0
	if !h.walk(s, whole) {
		return false
	}
	if whole && !h.dirty && len(h.source.shallow) == 0 {
		h.source.past.keepClean(h.top, s.from)
	}
	return true
}

// walk goes back from commits; whole is true if nothing ends it before the first one.
func (h *held) walk(s *starts, whole bool) bool {
	w := newWalk(h.source)
	if !w.mark(older, s.without...) || !w.mark(fromOne, s.from...) {
		return false
	}
	end := countdown{active: s.of.Count > 0 && len(s.without) == 0, left: s.of.Count, oldest: math.MaxInt64, single: true}
	for w.open > 0 && !h.stopped && !end.reached(w.queue) {
		id, marks := w.next()
		c, ok := h.source.commit(id)
		switch {
		case !ok:
			return false
		case marks&older != 0:
		case whole && h.source.past.isClean(h.top, id):
			continue
		case !h.changed(c):
			return false
		}
		end.note(c)
		if !w.mark(marks, c.Parents...) {
			return false
		}
	}
	return true
}

// countdown ends a walk after a number of commits. Of several of one time git may take any first,
// so that it goes on to an older one unless no commit waited beside another so far.
type countdown struct {
	active bool
	left   int
	oldest int64
	single bool
}

func (e *countdown) reached(waiting youngest) bool {
	if e.active && e.left <= 0 && (e.single || waiting[0].date < e.oldest) {
		return true
	}
	e.single = e.single && waiting.Len() == 1
	return false
}

func (e *countdown) note(c *object.Commit) {
	e.left--
	e.oldest, e.active = min(e.oldest, c.Date), e.active && c.Dated
}

// changed visits what a commit and those right before it hold: what it changed is among that.
func (h *held) changed(c *object.Commit) bool {
	if !h.tree(c.Tree) {
		return false
	}
	for _, parent := range c.Parents {
		before, ok := h.source.commit(parent)
		if !ok || !h.tree(before.Tree) {
			return false
		}
	}
	return true
}

// tree visits what a tree holds.
func (h *held) tree(id string) bool {
	at, ok := hashOf(id)
	if !ok {
		return false
	}
	found, ok := h.source.past.tree(h.source.reader, treeAt{dir: h.top + "/", id: at}, h.source.repository.HashSize, 0)
	if !ok {
		return false
	}
	for _, path := range found {
		h.dirty = true
		path = strings.TrimPrefix(path, h.top+"/")
		if !h.stopped && h.selection.Select(path) {
			h.stopped = !h.visit(path)
		}
	}
	return true
}
