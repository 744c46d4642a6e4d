package object

import (
	"path/filepath"
	"strings"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// maxSymbolicRefs is how many refs may lead from one to the next.
const maxSymbolicRefs = 5

// Ref is a ref and the object that it names.
type Ref struct{ Name, ID string }

// packedRefs are the refs that are written down together.
type packedRefs struct {
	text string
	refs []Ref
	// read is false if the file can't be read, known if it isn't as git writes it, either.
	read, known bool
}

func (r *Repository) readPacked() *packedRefs {
	if r.packed == nil {
		text, known := r.Read(r.CommonDir, "packed-refs", MaxRefsBytes)
		r.packed = &packedRefs{text: string(text), read: known}
		if known {
			r.packed.refs, r.packed.known = r.parsePacked(r.packed.text)
		}
	}
	return r.packed
}

// PackedRefs reads packed-refs. known is false if a line is not as git writes it: what git takes
// for the end of an id, and which lines its search comes by, is not followed here.
func (r *Repository) PackedRefs() (refs []Ref, known bool) {
	packed := r.readPacked()
	return packed.refs, packed.known
}

func (r *Repository) parsePacked(text string) (refs []Ref, known bool) {
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		value, name, _ := strings.Cut(line, " ")
		peeled, isPeeled := strings.CutPrefix(line, "^")
		switch {
		case !ended:
			return nil, false
		case strings.HasPrefix(line, "# pack-refs with:") && len(refs) == 0:
		case isPeeled && len(refs) > 0:
			if !r.IsID(peeled) {
				return nil, false
			}
		case !r.IsID(value) || !strings.HasPrefix(name, "refs/") || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }):
			return nil, false
		default:
			refs = append(refs, Ref{Name: name, ID: value})
		}
	}
	return refs, true
}

// MayHaveRef reports whether there may be a ref of a full name. One that doesn't lie in refs is
// in capitals, or is one only if it reads like one.
func (r *Repository) MayHaveRef(ref string) bool {
	packed := r.readPacked()
	if !packed.read || strings.Contains(packed.text, " "+ref+"\n") || strings.HasSuffix(packed.text, " "+ref) {
		return true
	}
	for _, dir := range []string{r.CommonDir, r.GitDir} {
		found, known := r.Look(dir, ref)
		switch {
		case !known:
			return true
		case !found.Present() || found.Kind == stat.Directory:
		case strings.HasPrefix(ref, "refs/"), IsPseudoRef(ref):
			return true
		default:
			if _, there, _ := r.LooseRef(ref); there {
				return true
			}
		}
	}
	return false
}

// IsPseudoRef reports whether a name is that of a ref beside refs, such as ORIG_HEAD.
func IsPseudoRef(name string) bool { return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" }

// Head is the id of the commit that HEAD names.
func (r *Repository) Head() (id string, known bool) {
	if found, known := r.Look(r.GitDir, "HEAD"); !known || found.Kind != stat.File {
		return "", false
	}
	text, known := r.HeadText()
	ref, symbolic := strings.CutPrefix(text, "ref: ")
	if !symbolic {
		return ref, known && r.IsID(ref)
	}
	if !strings.HasPrefix(ref, "refs/heads/") || strings.Contains(ref, "..") || filepath.ToSlash(filepath.Clean(ref)) != ref {
		return "", false
	}
	id, there, known := r.Ref(ref)
	return id, there && known
}

// HeadText is what the file HEAD holds, without the end of its line.
func (r *Repository) HeadText() (text string, known bool) {
	content, known := r.Read(r.GitDir, "HEAD", maxRefBytes)
	return strings.TrimSuffix(string(content), "\n"), known
}

// Ref is what the ref of a full name names, if it is there. A link in place of one counts as not
// known: git reads where it leads as a name. So does what each work tree has of its own.
func (r *Repository) Ref(name string) (id string, there, known bool) { return r.ref(name, 0) }

// LooseRef is Ref for one that has a file of its own.
func (r *Repository) LooseRef(name string) (id string, there, known bool) { return r.looseRef(name, 0) }

func (r *Repository) ref(name string, depth int) (id string, there, known bool) {
	if r.GitDir != r.CommonDir {
		own, ok := r.Look(r.GitDir, name)
		if !ok || own.Present() && own.Kind != stat.Directory || strings.HasPrefix(name, "refs/bisect/") ||
			strings.HasPrefix(name, "refs/worktree/") || strings.HasPrefix(name, "refs/rewritten/") {
			return "", false, false
		}
	}
	found, ok := r.Look(r.CommonDir, name)
	switch {
	case !ok:
		return "", false, false
	case !found.Present() || found.Kind == stat.Directory:
		return r.packedRef(name)
	case found.Kind != stat.File:
		return "", false, false
	}
	return r.looseRef(name, depth)
}

func (r *Repository) looseRef(name string, depth int) (id string, there, known bool) {
	text, known := r.Read(r.CommonDir, name, maxRefBytes)
	line, ended := strings.CutSuffix(string(text), "\n")
	if !known || !ended {
		return "", false, false
	}
	target, symbolic := strings.CutPrefix(line, "ref: ")
	if !symbolic {
		return line, r.IsID(line), r.IsID(line)
	}
	if depth >= maxSymbolicRefs || !strings.HasPrefix(target, "refs/") || !syntax.IsRefName(target) {
		return "", false, false
	}
	id, there, known = r.ref(target, depth+1)
	return id, there, known && there
}

// packedRef is Ref for one of packed-refs. A name that is there twice is not known.
func (r *Repository) packedRef(name string) (id string, there, known bool) {
	refs, known := r.PackedRefs()
	for _, ref := range refs {
		if ref.Name != name {
			continue
		}
		if there {
			return "", false, false
		}
		id, there = ref.ID, true
	}
	return id, there, known
}
