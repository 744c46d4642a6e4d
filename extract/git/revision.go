package git

import (
	"path/filepath"
	"strconv"
	"strings"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// Bounds on how far a revision leads.
const (
	maxSymbolicRef = 5
	maxTags        = 5
	maxRevisions   = 16
)

// commit is what a commit says of itself.
type commit struct {
	tree    string
	parents []string
	// date counts seconds since 1970; dated is false where it can't be read.
	date  int64
	dated bool
}

// commit reads a commit, as long as nothing that git reads in its place says otherwise.
func (s *store) commit(id string) (*commit, bool) {
	body, ok := s.object("commit", id)
	if !ok {
		return nil, false
	}
	c, ok := s.v.parseCommit(body)
	// All of the graph is looked through for it.
	return c, ok && s.spend(len(s.graph.ids)/graphCost) && s.graph.agrees(id, c)
}

func (v *Verdict) parseCommit(body []byte) (*commit, bool) {
	var c commit
	head, _, _ := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	tree, ok := strings.CutPrefix(lines[0], "tree ")
	c.tree = tree
	for lines = lines[1:]; ok && len(lines) > 0 && strings.HasPrefix(lines[0], "parent "); lines = lines[1:] {
		c.parents = append(c.parents, strings.TrimPrefix(lines[0], "parent "))
	}
	// git looks for the author and the committer nowhere else.
	if len(lines) > 1 && strings.HasPrefix(lines[0], "author ") {
		c.date, c.dated = committed(lines[1])
	}
	if !ok {
		return nil, false
	}
	for _, id := range append([]string{c.tree}, c.parents...) {
		if _, ok := v.id(id); !ok {
			return nil, false
		}
	}
	return &c, true
}

// committed reads when a commit was made, behind the name and address of who made it. gits
// differ about which of several brackets ends the address.
func committed(line string) (seconds int64, ok bool) {
	who, when, _ := strings.Cut(line, ">")
	fields := strings.Fields(when)
	if !strings.HasPrefix(who, "committer ") || len(fields) != 2 || strings.Contains(when, ">") || strings.Trim(fields[0], "0123456789") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	return seconds, err == nil
}

// revision is the id of the commit that a revision names: a ref by its name, and how
// many steps to go back from there. Others, hashes among them, are not known.
func (s *store) revision(text string) (string, bool) {
	name, steps, ok := syntax.CutSteps(text)
	if !ok {
		return "", false
	}
	id, ok := s.named(name)
	if ok {
		id, ok = s.peeled(id)
	}
	if !ok {
		return "", false
	}
	return walkBack(id, steps, s.parent)
}

// walkBack follows steps from a commit; parent is the parent of one by its number.
func walkBack(id string, steps []syntax.Step, parent func(id string, number int) (string, bool)) (string, bool) {
	ok := true
	for _, next := range steps {
		number, times := 1, next.Count
		if next.ToParent {
			number, times = next.Count, 1
		}
		for ; ok && times > 0; times-- {
			id, ok = parent(id, number)
		}
	}
	return id, ok
}

// parent is the parent of a commit by its number; 0 is the commit itself.
func (s *store) parent(id string, number int) (string, bool) {
	if number == 0 {
		return id, true
	}
	c, ok := s.commit(id)
	if !ok || number > len(c.parents) {
		return "", false
	}
	return c.parents[number-1], true
}

// peeled is the commit that an id names itself or through tags.
func (s *store) peeled(id string) (string, bool) {
	for range maxTags {
		body, ok := s.object("tag", id)
		if !ok {
			_, ok = s.commit(id)
			return id, ok
		}
		line, _, _ := strings.Cut(string(body), "\n")
		if id, ok = strings.CutPrefix(line, "object "); !ok {
			return "", false
		}
		if _, ok = s.v.id(id); !ok {
			return "", false
		}
	}
	return "", false
}

// named is the object that a name means. One that means several, or that may be a hash,
// is not known.
func (s *store) named(name string) (string, bool) {
	if name == "HEAD" || name == "@" {
		return s.v.head()
	}
	if !syntax.IsRefName(name) || syntax.HashIn(name) != "" {
		return "", false
	}
	found, count := "", 0
	for _, ref := range syntax.RefPlaces(name) {
		id, there, known := s.v.ref(ref, 0)
		if !known {
			return "", false
		}
		if there {
			found, count = id, count+1
		}
	}
	return found, count == 1
}

// ref is what a ref names, where it is there. A link in place of one counts as not known:
// git reads where it leads as a name. So does what each work tree has of its own.
func (v *Verdict) ref(name string, depth int) (id string, there, known bool) {
	if v.GitDir != v.CommonDir {
		own, ok := v.at(v.GitDir, name)
		if !ok || own.Present() && own.Kind != stat.Directory || strings.HasPrefix(name, "refs/bisect/") ||
			strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/") {
			return "", false, false
		}
	}
	found, ok := v.at(v.CommonDir, name)
	switch {
	case !ok:
		return "", false, false
	case !found.Present() || found.Kind == stat.Directory:
		return v.packedRef(name)
	case found.Kind != stat.File:
		return "", false, false
	}
	return v.looseRef(name, depth)
}

// at describes what lies at a name in one of the repository's directories; nothing is an
// absent stamp.
func (v *Verdict) at(dir, name string) (stat.Stamp, bool) {
	path, err := disk(v.view, filepath.Join(dir, name), false)
	var found stat.Stamp
	if err == nil {
		found, err = stat.Path(path, false)
	}
	if stat.Missing(err) {
		return stat.Stamp{}, true
	}
	return found, err == nil
}

func (v *Verdict) looseRef(name string, depth int) (id string, there, known bool) {
	text, known := v.read(name, maxRefBytes)
	line, ended := strings.CutSuffix(string(text), "\n")
	if !known || !ended {
		return "", false, false
	}
	target, symbolic := strings.CutPrefix(line, "ref: ")
	if !symbolic {
		id, ok := v.id(line)
		return id, ok, ok
	}
	if depth >= maxSymbolicRef || !strings.HasPrefix(target, "refs/") || !syntax.IsRefName(target) {
		return "", false, false
	}
	id, there, known = v.ref(target, depth+1)
	return id, there, known && there
}

// packedRef reads what is written down of refs together. A name that stands there twice
// is not known.
func (v *Verdict) packedRef(name string) (id string, there, known bool) {
	refs, known := v.packedRefs()
	if !known {
		return "", false, false
	}
	for _, ref := range refs {
		if ref.name == name && there {
			return "", false, false
		}
		if ref.name == name {
			id, there = ref.id, true
		}
	}
	return id, there, true
}
