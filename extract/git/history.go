package git

import (
	"errors"
	"math"
	"slices"
	"strings"

	"policyd/extract/git/syntax"
)

// ErrHistoryUnknown means that it can't be known what commits hold: an object that isn't there
// or can't be read, a ref likewise, or more of them than are read for one answer.
var ErrHistoryUnknown = errors.New("history is not known")

// History names the commits that git prints contents of. The zero value names none.
type History struct {
	// Revisions are words as git log takes them. Where one is not known, all commits count, and
	// with them what refs were before.
	Revisions []string
	// Walks is true where git goes on to what came before each; of a range it does so always.
	Walks bool
	// Alone is true where of a commit that is named only what it holds is printed, not what it
	// changed; of a range these are its ends.
	Alone bool
	// Count is how many commits it prints at most, the youngest first; 0 for any number. It
	// doesn't hold for All.
	Count int
	// All is true where it begins at every ref, Logs where at what refs were before.
	All, Logs bool
	// Contents is true where it prints no commit, but what else a revision names, and with All what
	// else any ref names.
	Contents bool
	// Budget counts what is read for the answer, beside others of one decision.
	Budget *Budget
}

// Held visits the files with the names that are looked for which the commits hold, or those
// before them did, as far as the pathspecs select them, until visit returns false. Paths are relative to
// v.Top. It may visit more: of a commit all that it holds counts, be it that the commit changed
// nothing of it. Of a repository with its refs in a table (reftable) nothing is visited.
//
// Errors: those of Tracked, and ErrHistoryUnknown. After an error the paths visited so far
// mean nothing; what was read is remembered, so that the next answer comes further. It may be used
// concurrently.
func (p *Past) Held(v Verdict, of History, pathspecs []string, cwd string, visit func(path string) bool) error {
	if !v.Repository || v.Top == "" || v.objectSize == 0 {
		return ErrNoRepository
	}
	selection, err := syntax.ParsePathspecs(v.Top, cwd, pathspecs)
	if err != nil {
		return err
	}
	if v.there("reftable") {
		return nil
	}
	if v.replaces() || v.there("info/grafts") {
		return ErrHistoryUnknown
	}
	d := newDatabase(&v, of.Budget)
	defer d.close()
	h := history{past: p, d: d, v: &v, of: of, selection: selection, visit: visit}
	if !h.begin() || !h.follow() || h.lost && !h.stopped {
		return ErrHistoryUnknown
	}
	return nil
}

// history is one answer under way.
type history struct {
	past      *Past
	d         *database
	v         *Verdict
	of        History
	selection syntax.Pathspecs
	visit     func(path string) bool
	shallow   []string
	// from are commits that count with all before them, without those that don't, only those
	// that count with what they changed, and ends those of which only what they hold counts.
	from, without, only, ends []string
	// trees count as they are.
	trees []string
	// lost is true where contents are named of which the index doesn't say whose they are: those
	// of a file that was added and never committed lie in no tree.
	lost bool
	// walked is true where git goes on to what came before, whatever the words are.
	walked bool
	// stopped is true once visit has had enough, dirty when anything that is looked for was
	// found, whether it is selected or not.
	stopped, dirty bool
}

// begin finds what the words name.
func (h *history) begin() bool {
	text, known := h.v.read("shallow", maxPackedRefs)
	if !known {
		return false
	}
	h.shallow = strings.Fields(string(text))
	all, logs := h.of.All, h.of.Logs
	h.walked, h.of.Walks = h.of.Walks, h.of.Walks || !h.of.Alone && slices.ContainsFunc(h.of.Revisions, syntax.Excludes)
	for _, word := range h.of.Revisions {
		if h.word(word) {
			continue
		}
		if !h.pieces(word) {
			return false
		}
		if !h.of.Contents || strings.Contains(word, "$(") { // what the shell makes may be any hash
			all, logs = true, true
		}
	}
	if all || logs {
		// What the words name may be walked, too, whatever side of a range it stands on.
		h.from = slices.Concat(h.from, h.without, h.ends, h.only)
		h.without, h.of.Count = nil, 0
		return h.tips(logs)
	}
	return true
}

// commit reads a commit; one that a shallow clone ends with has no parents.
func (h *history) commit(id string) (*commit, bool) {
	c, known := h.past.commit(id)
	if !known {
		found, err := h.d.read(id)
		if err != nil || found.kind != kindCommit {
			return nil, false
		}
		var ok bool
		if c, ok = h.v.parseCommit(found.body); !ok {
			return nil, false
		}
		h.past.keepCommit(id, c)
	}
	if len(c.parents) > 0 && slices.Contains(h.shallow, id) {
		return &commit{tree: c.tree, date: c.date, dated: c.dated}, true
	}
	return c, true
}

// follow visits what all of them hold.
func (h *history) follow() bool {
	for _, id := range h.trees {
		if !h.tree(id) {
			return false
		}
	}
	for _, id := range h.ends {
		if c, ok := h.commit(id); !ok || !h.tree(c.tree) {
			return false
		}
	}
	for _, id := range h.only {
		if c, ok := h.commit(id); !ok || !h.holds(c) {
			return false
		}
	}
	whole := len(h.without) == 0 && h.of.Count == 0
	if !h.walk(whole) {
		return false
	}
	if whole && !h.dirty && len(h.shallow) == 0 {
		h.past.keepClean(h.v.Top, h.from)
	}
	return true
}

// walk goes back from commits, the youngest first.
func (h *history) walk(whole bool) bool {
	w := newWalk(h)
	for _, id := range h.without {
		if !w.mark(id, older) {
			return false
		}
	}
	for _, id := range h.from {
		if !w.mark(id, fromOne) {
			return false
		}
	}
	limited, count, oldest := h.of.Count > 0 && len(h.without) == 0, 0, int64(math.MaxInt64)
	straight := true // no commit stood beside another so far
	for w.open > 0 && !h.stopped {
		if limited && count >= h.of.Count && (straight || w.queue[0].date < oldest) {
			return true // of several commits of one time git may take any first
		}
		straight = straight && w.queue.Len() == 1
		id, marks := w.next()
		c, ok := h.commit(id)
		switch {
		case !ok:
			return false
		case marks&older != 0:
		case whole && h.past.isClean(h.v.Top, id):
			continue
		case !h.holds(c):
			return false
		}
		count, oldest, limited = count+1, min(oldest, c.date), limited && c.dated
		if !w.parents(c, marks) {
			return false
		}
	}
	return true
}

// holds visits what a commit and those right before it hold: what it changed is among that.
func (h *history) holds(c *commit) bool {
	if !h.tree(c.tree) {
		return false
	}
	for _, parent := range c.parents {
		before, ok := h.commit(parent)
		if !ok || !h.tree(before.tree) {
			return false
		}
	}
	return true
}

// tree visits what a tree holds.
func (h *history) tree(id string) bool {
	at, ok := hashOf(id)
	if !ok {
		return false
	}
	found, ok := h.past.tree(h.d, treeAt{dir: h.v.Top + "/", id: at}, 0)
	if !ok {
		return false
	}
	for _, path := range found {
		h.dirty = true
		path = strings.TrimPrefix(path, h.v.Top+"/")
		if !h.stopped && h.selection.Select(path) {
			h.stopped = !h.visit(path)
		}
	}
	return true
}
