package git

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// maxRefs is how many files of refs are looked at.
const maxRefs = 10_000

// PlainRefs reports whether each word that git prints of the names of the repository's refs
// is one, of plain characters, and no option: a clone brings tags of any name. Of how much
// of a name is printed the others decide: no part of any begins with a dash. Where no branch is checked out git
// prints more than names, which is not known here.
//
// It reads anew on each call.
func (r *Reader) PlainRefs(v Verdict) bool {
	if !v.Repository || v.AltersNames || v.objectSize == 0 || v.there("reftable") {
		return false
	}
	if !v.plainHead() {
		return false
	}
	packed, known := v.packedRefs()
	if !known || slices.ContainsFunc(packed, func(ref packedRef) bool { return !syntax.IsRefWord(ref.name) }) {
		return false
	}
	left := maxRefs
	for _, dir := range []string{v.CommonDir, v.GitDir} {
		if !v.plainRefsBelow(dir, &left) {
			return false
		}
	}
	return true
}

// plainHead reports whether a branch is checked out that has such a name, be it that it has
// no commit yet, and so no ref.
func (v *Verdict) plainHead() bool {
	head, known := v.readAt(v.GitDir, "HEAD", maxRefBytes)
	name, branch := strings.CutPrefix(strings.TrimSuffix(string(head), "\n"), "ref: refs/heads/")
	return known && branch && syntax.IsRefWord(name)
}

// PlainTags reports whether each tag says of itself that it is called as refs may be for
// PlainRefs: git describe before 2.27 prints what the tag says, which may be anything, and not
// the name of its ref. Of more tags than objects are read for one answer it is not known.
//
// It reads anew on each call.
func (r *Reader) PlainTags(v Verdict) bool {
	ids, known := v.tagIDs()
	if !known || len(ids) == 0 {
		return known
	}
	objects, ok := v.objects()
	if !ok {
		return false
	}
	return !slices.ContainsFunc(ids, func(id string) bool { return !objects.plainTag(id) })
}

// plainTag reports whether a tag is a commit, or an object that says a plain name.
func (s *store) plainTag(id string) bool {
	body, ok := s.object("tag", id)
	if !ok {
		_, ok = s.commit(id)
		return ok
	}
	lines := strings.SplitN(string(body), "\n", 4)
	if len(lines) < 4 {
		return false
	}
	name, said := strings.CutPrefix(lines[2], "tag ")
	return said && syntax.IsRefWord(name)
}

// tagIDs are the objects that tags name, those of refs that another has taken the place of
// among them.
func (v *Verdict) tagIDs() (ids []string, known bool) {
	packed, known := v.packedRefs()
	if !known {
		return nil, false
	}
	for _, ref := range packed {
		if strings.HasPrefix(ref.name, "refs/tags/") {
			ids = append(ids, ref.id)
		}
	}
	dir, err := disk(v.view, filepath.Join(v.CommonDir, "refs/tags"), false)
	if err == nil {
		err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			id, _, known := v.looseRef("refs/tags"+filepath.ToSlash(strings.TrimPrefix(path, dir)), 0)
			if ids = append(ids, id); !known || len(ids) > maxRefs {
				return fs.ErrInvalid
			}
			return nil
		})
	}
	return ids, err == nil || stat.Missing(err)
}

// Tags reports whether one of some revisions may be, or begin with, the name of a tag, or
// of another ref than a branch: these name objects of any kind. It reads anew on each call.
func (r *Reader) Tags(v Verdict, revisions []string) bool {
	return slices.ContainsFunc(revisions, func(word string) bool {
		ends, ranged := syntax.CutRange(word)
		return v.tag(ends.From) || ranged && v.tag(ends.To)
	})
}

func (v *Verdict) tag(revision string) bool {
	name, _, _ := strings.Cut(revision, "~")
	name, _, _ = strings.Cut(name, "^")
	if name == "" || name == "HEAD" || name == "@" || strings.HasPrefix(name, "HEAD@{") {
		return false
	}
	if !syntax.IsRefName(name) || strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "tags/") {
		return true
	}
	_, there, known := v.ref("refs/tags/"+name, 0)
	return there || !known
}

func (v *Verdict) plainRefsBelow(dir string, left *int) bool {
	path, err := disk(v.view, filepath.Join(dir, "refs"), false)
	if stat.Missing(err) {
		return true
	}
	if err != nil {
		return false
	}
	err = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		switch *left--; {
		case stat.Missing(err):
			return nil
		case err != nil:
			return err
		case *left < 0, !syntax.IsRefWord(entry.Name()), !entry.IsDir() && !entry.Type().IsRegular():
			return fs.ErrInvalid
		}
		return nil
	})
	return err == nil
}
