package history

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

// Opens are the objects that a git command may open beside those through which git resolves its words.
type Opens uint32

const (
	// OpensRefs is what each ref names, itself and through tags, OpensLogs what it named before, too.
	OpensRefs Opens = 1 << iota
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
	now := &stored{remembered: source}
	c := check{
		resolver: resolver{source: now, repository: &repository, reader: source.reader},
		stored:   now, opens: of.Opens, count: of.Count, whole: map[string]bool{},
	}
	return c.words(of) && c.refs() && c.below() && c.walk() && c.notes() && c.index() && !now.missing
}

// stored reads objects that are there now, of which more may be remembered.
type stored struct {
	*remembered

	// missing is true once one was not there.
	missing bool
}

var _ source = (*stored)(nil)

func (s *stored) has(id []byte) bool {
	there := s.reader.Has(id)
	s.missing = s.missing || !there
	return there
}

func (s *stored) object(id string) (object.Object, error) {
	if raw, err := hex.DecodeString(id); err != nil || !s.has(raw) {
		return object.Object{}, object.ErrMissing
	}
	return s.remembered.object(id)
}

func (s *stored) commit(id string) (*object.Commit, bool) {
	if raw, err := hex.DecodeString(id); err != nil || !s.has(raw) {
		return nil, false
	}
	return s.remembered.commit(id)
}

// check is one answer under way. Its methods report false if an object is missing, or that can't be known.
type check struct {
	resolver

	stored *stored
	opens  Opens
	count  int
	// named are what the words name, from the commits at which git begins.
	named, from []string
	// whole are the trees of which all that is opened below is there.
	whole map[string]bool
	// changed is true if a file of a commit is another in the index, or not there.
	changed bool
}

func (c *check) has(some Opens) bool { return c.opens&some != 0 }

// words resolves what the words name.
func (c *check) words(of Opened) bool {
	if slices.ContainsFunc(of.Revisions, func(word string) bool { return !c.word(word) }) ||
		slices.ContainsFunc(of.Objects, func(name ObjectName) bool { return !c.objectName(name) }) {
		return false
	}
	if len(of.Revisions)+len(of.Objects) == 0 && c.has(OpensNamed|OpensTracked) {
		if !c.head() {
			return false
		}
	}
	if c.has(OpensBetween) && len(c.named) > 1 {
		c.opens &^= OpensTracked | OpensChanges | OpensNames
		return true
	}
	if c.opens &^= OpensBetween; c.has(OpensTracked) {
		c.opens &^= OpensChanges | OpensNames // it is the index that is compared
	}
	return true
}

// head takes the place of words that are left out. A branch without a commit leads nowhere.
func (c *check) head() bool {
	if id, known := c.repository.Head(); known {
		return c.name(id)
	}
	text, known := c.repository.HeadText()
	branch, onBranch := strings.CutPrefix(text, "ref: ")
	return known && onBranch && !c.has(opensBelow) && !c.repository.MayHaveRef(branch)
}

// word resolves a revision or a range.
func (c *check) word(text string) bool {
	if syntax.Excludes(text) {
		c.count = 0
		if c.has(OpensNamed) && !c.has(OpensBetween) {
			c.opens |= OpensHistory
		}
	}
	ends, ranged := syntax.CutRange(strings.TrimPrefix(text, "^"))
	if !ranged {
		return c.end(strings.TrimPrefix(text, "^"))
	}
	one, ok := c.single(ends.From)
	other, also := c.single(ends.To)
	if !ok || !also || !ends.Symmetric {
		return ok && also
	}
	// git looks for the commit where they part, however far back it is.
	c.opens |= OpensHistory
	if one == "" || other == "" {
		c.opens |= OpensAll
		return true
	}
	c.from = append(c.from, one, other)
	parted, ok := bases(c.source, one, other, false)
	return ok && !slices.ContainsFunc(parted, func(id string) bool { return !c.name(id) })
}

// end resolves one end of a range, with what stands behind the revision that names its parents.
func (c *check) end(text string) bool {
	name, parents := strings.CutSuffix(text, "^@")
	if !parents {
		name, parents = strings.CutSuffix(text, "^!")
	}
	if back := strings.LastIndex(name, "^-"); back >= 0 && strings.Trim(name[back+2:], "0123456789") == "" {
		name, parents = name[:back], true
	}
	id, ok := c.single(name)
	if !ok || !parents {
		return ok
	}
	if id == "" {
		return !c.has(opensBelow) // the parents are part of the history
	}
	found, ok := c.commit(id)
	return ok && !slices.ContainsFunc(found.Parents, func(parent string) bool { return !c.name(parent) })
}

// single resolves a revision; the id is empty if it is any commit that a ref names, or one before it.
func (c *check) single(text string) (id string, ok bool) {
	text, tree := strings.CutSuffix(text, "^{tree}")
	if id, ok = c.revision(text); !ok {
		return "", !tree && c.reference(text)
	}
	if tree {
		id, ok = c.treeOf(id)
	}
	return id, ok && c.name(id)
}

// name notes an object that a word names. git looks at its kind, and goes through tags.
func (c *check) name(id string) bool {
	id, found, err := c.peel(id)
	if err != nil {
		return false
	}
	switch {
	case !c.has(OpensNamed):
	case found.Kind == object.KindCommit:
		c.from = append(c.from, id)
	case c.has(OpensHistory):
		return false // git describe looks for a file in all trees
	}
	c.named = append(c.named, id)
	return true
}

// treeOf is the tree of a commit, or the tree itself; a file has none.
func (c *check) treeOf(id string) (tree string, ok bool) {
	found, err := c.object(id)
	switch {
	case err != nil:
		return "", false
	case found.Kind == object.KindTree:
		return id, true
	case found.Kind == object.KindBlob:
		return "", true
	}
	commit, ok := c.commit(id)
	if !ok {
		return "", false
	}
	return commit.Tree, true
}

// reference takes a word that reads like the name of a ref, as it was or is, and steps from there, for
// any of them.
func (c *check) reference(text string) bool {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "^{}"), "^{commit}")
	end := len(text)
	if i := strings.IndexAny(text, "~^"); i >= 0 && !strings.Contains(text[i:], "}") {
		if _, _, ok := syntax.CutSteps("x" + text[i:]); !ok {
			return false
		}
		end = i
	}
	name, steps := text[:end], text[end:]
	name, behind, past := strings.Cut(name, "@{")
	if past && (strings.Count(behind, "}") != 1 || !strings.HasSuffix(behind, "}") || strings.Contains(behind, "{")) {
		return false
	}
	ofShell := name == "$(hash)" // a commit that git printed
	if !ofShell && (name == "" && !past || name != "" && !syntax.IsRefName(name) || syntax.HashIn(name) != "") {
		return false
	}
	switch {
	case steps == "" && !ofShell && !c.has(OpensNamed):
		return true // git reads refs and their logs
	case c.has(opensBelow):
		return false
	}
	c.opens, c.count = c.opens|OpensRefs|OpensLogs, 0
	if steps != "" || ofShell || c.has(OpensHistory) {
		c.opens |= OpensHistory | OpensAll
	}
	return true
}

// objectName resolves revision:path. A path that isn't there makes git fail.
func (c *check) objectName(name ObjectName) bool {
	if name.Revision == "" {
		missing := walkIndex(c.repository, func(e object.IndexEntry) bool {
			return string(e.Path) != name.Path || !c.has(OpensNamed) || c.stored.has(e.ID)
		}) != nil
		return !missing && !c.stored.missing
	}
	id, ok := c.revision(name.Revision)
	if ok {
		id, ok = c.treeOf(id)
	}
	for rest := strings.TrimSuffix(name.Path, "/"); ok && rest != ""; {
		var entries map[string]treeEntry
		if entries, ok = c.entries(id); !ok {
			return false
		}
		var segment string
		segment, rest, _ = strings.Cut(rest, "/")
		entry, there := entries[segment]
		if !there || rest != "" && !entry.isTree() {
			return true
		}
		id = entry.id
	}
	return ok && (!c.has(OpensNamed) || c.name(id))
}

// refs looks at what refs name.
func (c *check) refs() bool {
	if !c.has(OpensRefs | OpensLogs | OpensAll) {
		return true
	}
	all := tips{repository: c.repository, logs: c.has(OpensLogs), visit: func(id string) bool {
		id, found, err := c.peel(id)
		if c.has(OpensAll) && found.Kind == object.KindCommit {
			c.from = append(c.from, id)
		}
		return err == nil
	}}
	return all.walk()
}

// below looks at the trees of what the words name.
func (c *check) below() bool {
	if c.has(OpensBetween) {
		return c.between()
	}
	if !c.has(OpensTop | OpensTrees | OpensFiles) {
		return true
	}
	return !slices.ContainsFunc(c.named, func(id string) bool { return !c.belowOne(id) })
}

func (c *check) belowOne(id string) bool {
	tree, ok := c.treeOf(id)
	if !ok || tree != "" && c.has(OpensTrees|OpensFiles) {
		return ok && c.tree(tree, 0)
	}
	_, ok = c.entries(tree)
	return ok
}

// between looks at what differs between what the words name.
func (c *check) between() bool {
	first, ok := c.treeOf(c.named[0])
	for _, id := range c.named[1:] {
		tree, also := c.treeOf(id)
		if ok = ok && also && c.differ(first, tree, 0); !ok {
			return false
		}
	}
	return ok
}

// walk looks at the commits that git goes through.
func (c *check) walk() bool {
	w := newWalk(c.source)
	if !w.mark(fromOne, c.from...) {
		return false
	}
	end := countdown{active: c.count > 0, left: c.count, oldest: math.MaxInt64, single: true}
	for w.open > 0 && !end.reached(w.queue) {
		id, marks := w.next()
		commit, ok := c.commit(id)
		if !ok || c.has(OpensNames|OpensChanges) && !c.changes(commit) {
			return false
		}
		end.note(commit)
		if c.has(OpensHistory|OpensAll) && !w.mark(marks, commit.Parents...) {
			return false
		}
	}
	return true
}

// changes looks at what a commit changed.
func (c *check) changes(commit *object.Commit) bool {
	if len(commit.Parents) == 0 {
		return c.differ("", commit.Tree, 0)
	}
	return !slices.ContainsFunc(commit.Parents, func(id string) bool {
		parent, ok := c.commit(id)
		return !ok || !c.differ(parent.Tree, commit.Tree, 0)
	})
}

// treeEntry is one line of a tree.
type treeEntry struct{ mode, id string }

func (e treeEntry) isTree() bool {
	return object.TreeEntry{Mode: []byte(e.mode)}.IsTree()
}

// below is the tree of an entry that is one.
func (e treeEntry) below() string {
	if !e.isTree() {
		return ""
	}
	return e.id
}

// entries are those of a tree; the empty id has none.
func (c *check) entries(id string) (map[string]treeEntry, bool) {
	if id == "" {
		return nil, true
	}
	found, err := c.object(id)
	if err != nil || found.Kind != object.KindTree {
		return nil, false
	}
	entries := map[string]treeEntry{}
	for body := found.Body; len(body) > 0; {
		entry, rest, ok := object.CutEntry(body, c.repository.HashSize)
		if !ok {
			return nil, false
		}
		entries[string(entry.Name)] = treeEntry{mode: string(entry.Mode), id: hex.EncodeToString(entry.ID)}
		body = rest
	}
	return entries, true
}

// file looks at a file of a tree. A submodule is a commit of another repository.
func (c *check) file(e treeEntry) bool {
	if e.id == "" || e.isTree() || e.mode == "160000" {
		return true
	}
	raw, err := hex.DecodeString(e.id)
	return err == nil && c.stored.has(raw)
}

// tree looks at all that lies in a tree.
func (c *check) tree(id string, depth int) bool {
	if c.whole[id] {
		return true
	}
	entries, ok := c.entries(id)
	if !ok || depth > maxDepth {
		return false
	}
	for _, entry := range entries {
		if entry.isTree() && !c.tree(entry.id, depth+1) || c.has(OpensFiles) && !c.file(entry) {
			return false
		}
	}
	c.whole[id] = true
	return true
}

// differ looks at what differs between two trees.
func (c *check) differ(one, other string, depth int) bool {
	if one == other {
		return true
	}
	before, ok := c.entries(one)
	after, also := c.entries(other)
	if !ok || !also || depth > maxDepth {
		return false
	}
	for name, entry := range after {
		if _, both := before[name]; !both && !c.differs(treeEntry{}, entry, depth) {
			return false
		}
	}
	for name, entry := range before {
		if !c.differs(entry, after[name], depth) {
			return false
		}
	}
	return true
}

func (c *check) differs(one, other treeEntry, depth int) bool {
	if one == other {
		return true
	}
	if c.has(OpensChanges|OpensBetween) && (!c.file(one) || !c.file(other)) {
		return false
	}
	return c.differ(one.below(), other.below(), depth+1)
}

// notesRefs is where refs to notes lie.
const notesRefs = "refs/notes"

// notes looks at all notes.
func (c *check) notes() bool {
	if !c.has(OpensNotes) {
		return true
	}
	var ids []string
	packed, known := c.repository.PackedRefs()
	for _, ref := range packed {
		if strings.HasPrefix(ref.Name, notesRefs+"/") {
			ids = append(ids, ref.ID)
		}
	}
	err := walkRefs(c.repository, c.repository.CommonDir, notesRefs, func(name string, entry fs.DirEntry) bool {
		if entry.IsDir() {
			return true
		}
		id, there, known := c.repository.LooseRef(name)
		ids = append(ids, id)
		return there && known
	})
	if err != nil || !known {
		return false
	}
	c.opens |= OpensFiles
	clear(c.whole)
	return !slices.ContainsFunc(ids, func(id string) bool { return !c.belowOne(id) })
}

// ruleFiles are those that git reads in its index if the work tree doesn't have them, and what opens each.
var ruleFiles = map[string]Opens{
	".gitattributes": OpensAttributes | OpensIndex | OpensFiles | OpensChanges | OpensBetween, ".gitignore": OpensIgnores, ".gitmodules": OpensIndex,
}

// index looks at files that the index names.
func (c *check) index() bool {
	if !c.has(ruleFiles[".gitattributes"] | OpensIgnores | OpensTracked) {
		return true
	}
	if c.has(OpensTracked) && (len(c.named) != 1 || c.rebases()) {
		return false
	}
	tracked, rules := map[string]treeEntry{}, []treeEntry{}
	ok := true
	err := walkIndex(c.repository, func(e object.IndexEntry) bool {
		name := string(e.Path)
		entry := treeEntry{mode: strconv.FormatUint(uint64(e.Mode), 8), id: hex.EncodeToString(e.ID)}
		if c.has(OpensTracked) {
			tracked[name] = entry
		}
		if opened, rule := ruleFiles[path.Base(name)]; rule && (c.has(opened) || c.has(OpensTracked) && c.inWorkTree(path.Dir(name))) {
			ok = c.file(entry)
		} else if rule {
			rules = append(rules, entry)
		}
		ok = ok && c.indexed(e, name) && len(tracked) <= maxEntries
		return ok
	})
	if err != nil || !ok || !c.has(OpensTracked) {
		return err == nil && ok
	}
	tree, ok := c.treeOf(c.named[0])
	if !ok || !c.unchanged(tree, "", tracked, 0) {
		return false
	}
	for _, entry := range tracked { // what is left differs, and all rules may count for it
		rules = append(rules, entry)
	}
	return len(tracked) == 0 && !c.changed || !slices.ContainsFunc(rules, func(entry treeEntry) bool { return !c.file(entry) })
}

// rebases reports whether there may be a rebase under way. git status resolves the revisions that its list names.
func (c *check) rebases() bool {
	return slices.ContainsFunc([]string{"rebase-merge", "rebase-apply"}, func(dir string) bool {
		found, known := c.repository.Look(c.repository.GitDir, dir)
		return !known || found.Present()
	})
}

// inWorkTree reports whether there may be a directory of the work tree.
func (c *check) inWorkTree(dir string) bool {
	found, known := c.repository.Look(c.repository.Top, dir)
	return !known || found.Present()
}

// indexed looks at one entry of the index. What git does in a submodule that is there isn't known.
func (c *check) indexed(e object.IndexEntry, name string) bool {
	if e.IsSubmodule() {
		return !c.has(OpensTracked|OpensIndex) || !c.inWorkTree(name+"/.git")
	}
	return !c.has(OpensIndex) && (!c.has(OpensTracked) || e.SkipsWorkTree) || c.stored.has(e.ID)
}

// unchanged looks at what a tree holds, and takes out of the tracked files those that are the same there.
func (c *check) unchanged(id, dir string, tracked map[string]treeEntry, depth int) bool {
	entries, ok := c.entries(id)
	if !ok || depth > maxDepth {
		return false
	}
	for name, entry := range entries {
		name = dir + name
		switch {
		case entry.isTree():
			ok = c.unchanged(entry.id, name+"/", tracked, depth+1)
		case tracked[name] == entry:
			delete(tracked, name)
		default:
			c.changed = true
			ok = c.file(entry)
		}
		if !ok {
			return false
		}
	}
	return true
}
