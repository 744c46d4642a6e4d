package git

import (
	"bytes"
	"container/heap"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"policyd/extract/stat"
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
	selection, err := parsePathspecs(v.Top, cwd, pathspecs)
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
	selection selection
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
	h.walked, h.of.Walks = h.of.Walks, h.of.Walks || !h.of.Alone && slices.ContainsFunc(h.of.Revisions, excludes)
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

// excludes reports whether a word leaves out commits: then git walks from all others that are named.
func excludes(word string) bool {
	return strings.HasPrefix(word, "^") || strings.Contains(word, "..") || strings.Contains(word, "^!") || strings.Contains(word, "^-")
}

// hashes are the parts of a word that may be hashes, or beginnings of some.
func hashes(word string) []string {
	isOther := func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }
	return slices.DeleteFunc(strings.FieldsFunc(word, isOther), func(digits string) bool { return len(digits) < leastHash })
}

// pieces begins at all that a word may name of which the whole isn't known: no ref may lead there.
func (h *history) pieces(word string) bool {
	all := hashes(word)
	if len(all) > maxAlike {
		return false
	}
	for _, digits := range all {
		if len(digits) > 2*h.v.objectSize {
			continue
		}
		ids, ok := h.d.beginning(strings.ToLower(digits), maxAlike)
		if !ok || len(ids) == maxAlike || slices.ContainsFunc(ids, func(id string) bool { return !h.piece(id) }) {
			return false
		}
	}
	for side := range strings.SplitSeq(word, "..") {
		side = strings.TrimLeft(side, "^.")
		if end := strings.IndexAny(side, "^~@:"); end > 0 {
			side = side[:end]
		}
		if id, ok := h.named(side); ok && !h.piece(id) {
			return false
		}
	}
	return true
}

// maxAlike is up to how many objects whose ids begin alike, and hashes in one word, are looked at.
const maxAlike = 16

func (h *history) piece(id string) bool {
	at, found, err := h.behindTags(id)
	if err == nil && found.kind == kindBlob {
		return h.inIndex(at)
	}
	return h.of.Contents || h.tip(id)
}

// word notes what one word names. It reports false where that is not known.
func (h *history) word(text string) bool {
	if name, excluded := strings.CutPrefix(text, "^"); excluded {
		id, ok := h.commitOf(name)
		if ok {
			h.without, h.ends = append(h.without, id), append(h.ends, id)
		}
		if ok && !h.walked && !h.of.Alone {
			h.only = append(h.only, id) // git diff-tree shows a lone commit, even so
		}
		return ok
	}
	from, to, ranged := strings.Cut(text, "..")
	if !ranged {
		return h.single(text)
	}
	to, parted := strings.CutPrefix(to, ".")
	one, ok := h.commitOf(orHead(from))
	other, also := h.commitOf(orHead(to))
	if !ok || !also {
		return false
	}
	h.ends = append(h.ends, one, other)
	if !h.of.Alone {
		h.from = append(h.from, other)
	}
	switch {
	case parted:
		return h.part(one, other)
	case !h.of.Alone:
		h.without = append(h.without, one)
	}
	return true
}

// part begins at two commits and leaves out what is before both; where they part counts, too.
func (h *history) part(one, other string) bool {
	if !h.of.Alone {
		h.from = append(h.from, one)
	}
	w := newWalk(h)
	if !w.mark(one, fromOne) || !w.mark(other, fromOther) {
		return false
	}
	for w.open > 0 {
		id, marks := w.next()
		if marks&(fromOne|fromOther) == fromOne|fromOther && marks&older == 0 {
			h.without, h.ends = append(h.without, id), append(h.ends, id)
			marks |= older
		}
		c, ok := h.commit(id)
		if !ok || !w.parents(c, marks) {
			return false
		}
	}
	return true
}

func orHead(name string) string {
	if name == "" {
		return "HEAD"
	}
	return name
}

func (h *history) single(text string) bool {
	name, alone := strings.CutSuffix(text, "^!")
	id, ok := h.revision(name)
	if !ok {
		return false
	}
	found := object{kind: kindCommit}
	if _, known := h.past.commit(id); !known {
		var err error
		if found, err = h.d.read(id); err != nil {
			return false
		}
	}
	switch {
	case found.kind == kindBlob:
		h.lost = h.lost || !h.inIndex(id)
	case h.of.Contents:
	case found.kind == kindTree:
		h.trees = append(h.trees, id)
	case found.kind != kindCommit:
		return false
	case alone && !h.of.Alone:
		return h.apart(id)
	case h.of.Walks:
		h.from = append(h.from, id)
	case h.of.Alone && !alone:
		h.ends = append(h.ends, id)
	default:
		h.only = append(h.only, id)
	}
	return true
}

// apart begins at a commit and leaves out what is before it.
func (h *history) apart(id string) bool {
	c, ok := h.commit(id)
	if ok {
		h.from, h.without = append(h.from, id), append(h.without, c.parents...)
	}
	return ok
}

// inIndex reports whether the index has a file with such contents.
func (h *history) inIndex(id string) bool {
	content, err := h.v.index()
	raw, ok := hashOf(id)
	if err != nil || content == nil || !ok {
		return false
	}
	found := false
	err = walkIndex(content, h.v.objectSize, func(e indexEntry) bool {
		found = bytes.Equal(e.object, raw[:h.v.objectSize])
		return !found
	})
	return err == nil && found
}

// commitOf is the commit that a revision names.
func (h *history) commitOf(text string) (string, bool) {
	id, ok := h.revision(text)
	if !ok {
		return "", false
	}
	_, ok = h.commit(id)
	return id, ok
}

// revision is what a revision names, behind tags.
func (h *history) revision(text string) (string, bool) {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "^{}"), "^{commit}")
	name, steps, ok := stepsBack(text)
	if !ok {
		return "", false
	}
	id, ok := h.named(name)
	if ok {
		var err error
		id, _, err = h.behindTags(id)
		ok = err == nil
	}
	for i := 0; ok && i < len(steps); i++ {
		if steps[i].parent {
			id, ok = h.parent(id, steps[i].count)
			continue
		}
		for left := steps[i].count; ok && left > 0; left-- {
			id, ok = h.parent(id, 1)
		}
	}
	return id, ok
}

// named is the object that a name means: a ref, or the beginning of a hash.
func (h *history) named(name string) (string, bool) {
	if name == "HEAD" || name == "@" {
		return h.v.head()
	}
	hash := len(name) >= leastHash && isHex([]byte(name))
	if hash && len(name) == 2*h.v.objectSize {
		return strings.ToLower(name), true
	}
	if !plainRef(name) {
		return "", false
	}
	found, count := "", 0
	for _, place := range refPlaces {
		id, there, known := h.v.ref(strings.Replace(place, "%", name, 1), 0)
		if !known {
			return "", false
		}
		if there {
			found, count = id, count+1
		}
	}
	if count == 0 && hash {
		return h.d.abbreviated(strings.ToLower(name))
	}
	return found, count == 1
}

// leastHash is how many digits git takes for an abbreviated hash (gitrevisions(7)).
const leastHash = 4

// behindTags is the object that an id names itself or through tags.
func (h *history) behindTags(id string) (string, object, error) {
	for range maxTags {
		if _, known := h.past.commit(id); known {
			return id, object{kind: kindCommit}, nil
		}
		found, err := h.d.read(id)
		if err != nil || found.kind != kindTag {
			return id, found, err
		}
		line, _, _ := strings.Cut(string(found.body), "\n")
		id = strings.TrimPrefix(line, "object ")
	}
	return "", object{}, errObject
}

func (h *history) parent(id string, number int) (string, bool) {
	c, ok := h.commit(id)
	if !ok || number > len(c.parents) {
		return "", false
	}
	if number == 0 {
		return id, true
	}
	return c.parents[number-1], true
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

// tips begins at every ref, at what is checked out anywhere, and with logs at what refs were.
func (h *history) tips(logs bool) bool {
	packed, known := h.v.packedRefs()
	if !known {
		return false
	}
	for _, ref := range packed {
		if !h.tip(ref.id) {
			return false
		}
	}
	var dirs []string
	for _, dir := range []string{h.v.CommonDir, h.v.GitDir} {
		dir, err := disk(h.v.view, dir, true)
		if err != nil {
			return false
		}
		dirs = append(dirs, dir)
	}
	trees, err := filepath.Glob(filepath.Join(escapeGlob(dirs[0]), "worktrees", "*"))
	if err != nil {
		return false
	}
	for _, dir := range append(dirs, trees...) {
		if !h.heads(dir, logs) || !h.files(filepath.Join(dir, "refs")) || logs && !h.files(filepath.Join(dir, "logs")) {
			return false
		}
	}
	return true
}

// heads begins at what HEAD names, and with all at what else stands beside it (ORIG_HEAD, FETCH_HEAD).
func (h *history) heads(dir string, all bool) bool {
	if !all {
		return h.lines(filepath.Join(dir, "HEAD"))
	}
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		name := entry.Name()
		return entry.Type().IsRegular() && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" && !h.lines(filepath.Join(dir, name))
	})
}

// files begins at all that the files below a directory of the repository name.
func (h *history) files(dir string) bool {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !h.lines(path) {
			return fs.ErrInvalid
		}
		return err
	})
	return err == nil || stat.Missing(err)
}

// lines begins at all that the lines of a file name: a ref has one hash, a line of a log has two.
func (h *history) lines(path string) bool {
	content, _, err := readOrAbsent(path, maxPackedRefs)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(content)) {
		words := strings.Fields(line)
		for _, word := range words[:min(len(words), 2)] {
			if _, isID := h.v.id(word); isID && !h.tip(word) {
				return false
			}
		}
	}
	return true
}

// tip begins at what a ref names. What is gone of what one was once names nothing any more.
func (h *history) tip(id string) bool {
	if strings.Trim(id, "0") == "" {
		return true
	}
	id, found, err := h.behindTags(id)
	switch {
	case errors.Is(err, errMissing):
	case err != nil:
		return false
	case h.of.Contents && h.of.All:
		h.lost = h.lost || found.kind == kindBlob && !h.inIndex(id)
	case found.kind == kindCommit:
		h.from = append(h.from, id)
	case found.kind == kindTree:
		h.trees = append(h.trees, id)
	}
	return true
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
		if !h.stopped && h.selection.selects([]byte(path)) {
			h.stopped = !h.visit(path)
		}
	}
	return true
}

// walk goes back through a history, the youngest commits first, as git does.
type walk struct {
	h     *history
	marks map[string]int
	queue youngest
	waits map[string]bool
	// open counts those that wait and are before none that are left out.
	open int
}

type dated struct {
	id   string
	date int64
}

func newWalk(h *history) *walk {
	return &walk{h: h, marks: map[string]int{}, waits: map[string]bool{}}
}

// mark adds marks to a commit, which is then to be looked at if they are new to it.
func (w *walk) mark(id string, marks int) bool {
	before, seen := w.marks[id]
	after := before | marks
	if seen && after == before {
		return true
	}
	w.marks[id] = after
	if w.waits[id] {
		if before&older == 0 && after&older != 0 {
			w.open--
		}
		return true
	}
	c, ok := w.h.commit(id)
	if !ok || len(w.marks) > maxPastCommits {
		return false
	}
	heap.Push(&w.queue, dated{id, c.date})
	w.waits[id] = true
	if after&older == 0 {
		w.open++
	}
	return true
}

// next takes the youngest commit that waits.
func (w *walk) next() (id string, marks int) {
	id = heap.Pop(&w.queue).(dated).id //nolint:forcetypeassert // it holds nothing else
	w.waits[id] = false
	if marks = w.marks[id]; marks&older == 0 {
		w.open--
	}
	return id, marks
}

// parents marks what is right before a commit as the commit is.
func (w *walk) parents(c *commit, marks int) bool {
	return !slices.ContainsFunc(c.parents, func(parent string) bool { return !w.mark(parent, marks) })
}

// youngest is a heap of commits.
type youngest []dated

func (y youngest) Len() int           { return len(y) }
func (y youngest) Less(i, j int) bool { return y[i].date > y[j].date }
func (y youngest) Swap(i, j int)      { y[i], y[j] = y[j], y[i] }
func (y *youngest) Push(x any)        { *y = append(*y, x.(dated)) } //nolint:forcetypeassert // as above
func (y *youngest) Pop() any {
	last := len(*y) - 1
	popped := (*y)[last]
	*y = (*y)[:last]
	return popped
}
