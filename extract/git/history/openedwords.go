package history

import (
	"slices"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

// openedWords are the words of a command, as far as they are resolved. Its methods report false if an object that
// git opens to resolve them is missing, or that can't be known.
type openedWords struct {
	resolver

	stored *stored
	opens  Opens
	count  int
	// named are what the words name, from the commits at which git begins.
	named, from []string
	// any is true if a word may name any ref, and not only a commit.
	any bool
}

func (w *openedWords) has(some Opens) bool { return w.opens&some != 0 }

// resolve resolves what the words name.
func (w *openedWords) resolve(of Opened) bool {
	if slices.ContainsFunc(of.Revisions, func(word string) bool { return !w.word(word) }) ||
		slices.ContainsFunc(of.Objects, func(name ObjectName) bool { return !w.objectName(name) }) {
		return false
	}
	if len(of.Revisions)+len(of.Objects) == 0 && w.has(OpensNamed|OpensTracked) {
		if !w.head() {
			return false
		}
	}
	if w.has(OpensBetween) && len(w.named) > 1 {
		w.opens &^= OpensTracked | OpensChanges | OpensNames
		return true
	}
	if w.opens &^= OpensBetween; w.has(OpensTracked) {
		w.opens &^= OpensChanges | OpensNames // it is the index that is compared
	}
	return true
}

// head takes the place of words that are left out. A branch without a commit leads nowhere.
func (w *openedWords) head() bool {
	if id, known := w.repository.Head(); known {
		return w.name(id)
	}
	text, known := w.repository.HeadText()
	branch, onBranch := strings.CutPrefix(text, "ref: ")
	return known && onBranch && !w.has(opensBelow) && !w.repository.MayHaveRef(branch)
}

// word resolves a revision or a range.
func (w *openedWords) word(text string) bool {
	if syntax.Excludes(text) {
		w.count = 0
		if w.has(OpensNamed) && !w.has(OpensBetween) {
			w.opens |= OpensHistory
		}
	}
	ends, ranged := syntax.CutRange(strings.TrimPrefix(text, "^"))
	if !ranged {
		return w.end(strings.TrimPrefix(text, "^"))
	}
	one, ok := w.single(ends.From)
	other, also := w.single(ends.To)
	if !ok || !also || !ends.Symmetric {
		return ok && also
	}
	// git looks for the commit where they part, however far back it is.
	w.opens |= OpensHistory
	if one == "" || other == "" {
		w.opens |= OpensAll
		return true
	}
	w.from = append(w.from, one, other)
	parted, ok := bases(w.source, one, other, false)
	return ok && !slices.ContainsFunc(parted, func(id string) bool { return !w.name(id) })
}

// end resolves one end of a range, with what stands behind the revision that names its parents.
func (w *openedWords) end(text string) bool {
	name, parents := strings.CutSuffix(text, "^@")
	if !parents {
		name, parents = strings.CutSuffix(text, "^!")
	}
	if back := strings.LastIndex(name, "^-"); back >= 0 && strings.Trim(name[back+2:], "0123456789") == "" {
		name, parents = name[:back], true
	}
	id, ok := w.single(name)
	if !ok || !parents {
		return ok
	}
	if id == "" {
		return !w.has(opensBelow) // the parents are part of the history
	}
	found, ok := w.commit(id)
	return ok && !slices.ContainsFunc(found.Parents, func(parent string) bool { return !w.name(parent) })
}

// single resolves a revision; the id is empty if it is any commit that a ref names, or one before it.
func (w *openedWords) single(text string) (id string, ok bool) {
	text, tree := strings.CutSuffix(text, "^{tree}")
	if id, ok = w.revision(text); !ok {
		return "", !tree && w.reference(text)
	}
	if tree {
		id, ok = w.stored.treeOf(id)
	}
	return id, ok && w.name(id)
}

// name notes an object that a word names. git looks at its kind, and goes through tags.
func (w *openedWords) name(id string) bool {
	id, found, err := w.peel(id)
	if err != nil {
		return false
	}
	switch {
	case !w.has(OpensNamed):
	case found.Kind == object.KindCommit:
		w.from = append(w.from, id)
	case w.has(OpensHistory):
		return false // git describe looks for a file in all trees
	}
	w.named = append(w.named, id)
	return true
}

// reference takes a word that reads like the name of a ref for any ref, and for what any was before.
func (w *openedWords) reference(text string) bool {
	ref, ok := parseRefWord(text)
	switch {
	case !ok:
		return false
	case !ref.printed && !ref.steps && !w.has(OpensNamed):
		return true // git reads refs and their logs
	case w.has(opensBelow):
		return false
	}
	w.any = w.any || ref.named
	w.opens, w.count = w.opens|OpensRefs|OpensLogs, 0
	if ref.printed || ref.steps || w.has(OpensHistory) {
		w.opens |= OpensHistory | OpensAll
	}
	return true
}

// refWord is a word that reads like the name of a ref.
type refWord struct {
	// printed is true for the hash of a commit that git printed, which the shell puts there, named for a name that
	// may be that of a tag, steps if commits before it are named.
	printed, named, steps bool
}

// parseRefWord reads a name, what stands in braces behind "@", and steps. ok is false if it may mean
// anything else.
func parseRefWord(text string) (w refWord, ok bool) {
	name := strings.TrimSuffix(strings.TrimSuffix(text, "^{}"), "^{commit}")
	if i := strings.IndexAny(name, "~^"); i >= 0 && !strings.Contains(name[i:], "}") {
		if _, _, ok := syntax.CutSteps("HEAD" + name[i:]); !ok {
			return w, false
		}
		name, w.steps = name[:i], true
	}
	if name == printedHash {
		w.printed = true
		return w, true
	}
	name, braces, past := strings.Cut(name, "@{")
	inside, closed := strings.CutSuffix(braces, "}")
	if past && (!closed || strings.ContainsAny(inside, "{}")) || !past && name == "" {
		return w, false
	}
	w.named = name != "" && name != "HEAD"
	return w, name == "" || syntax.IsRefName(name) && syntax.HashIn(name) == ""
}

// printedHash stands in words for the hash of a commit that the shell puts there.
const printedHash = "$(hash)"

// objectName resolves revision:path. git looks at more if the path isn't there.
func (w *openedWords) objectName(name ObjectName) bool {
	if name.Revision == "" {
		return walkIndex(w.repository, func(e object.IndexEntry) bool {
			return string(e.Path) != name.Path || !w.has(OpensNamed) || w.stored.has(e.ID)
		}) == nil && !w.stored.missing
	}
	id, ok := w.revision(name.Revision)
	if ok {
		id, ok = w.stored.treeOf(id)
	}
	at := treeEntry{mode: treeMode, id: id}
	entries, also := w.stored.entries(id)
	for rest := strings.TrimSuffix(name.Path, "/"); ok && also && rest != ""; {
		var segment string
		segment, rest, _ = strings.Cut(rest, "/")
		if at, ok = entries[segment]; ok && rest != "" {
			ok = at.isTree()
			entries, also = w.stored.entries(at.id)
		}
	}
	return ok && also && (!w.has(OpensNamed) || w.name(at.id))
}
