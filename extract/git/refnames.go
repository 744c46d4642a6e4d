package git

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

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
	head, known := v.readAt(v.GitDir, "HEAD", maxRefBytes)
	if !known || !strings.HasPrefix(string(head), "ref: refs/heads/") {
		return false
	}
	packed, known := v.packedRefs()
	if !known || slices.ContainsFunc(packed, func(ref packedRef) bool { return !plainWord(ref.name) }) {
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

// Tags reports whether one of some revisions may be, or begin with, the name of a tag, or
// of another ref than a branch: these name objects of any kind. It reads anew on each call.
func (r *Reader) Tags(v Verdict, revisions []string) bool {
	return slices.ContainsFunc(revisions, func(word string) bool {
		from, to, _ := strings.Cut(word, "..")
		return v.tag(from) || v.tag(strings.TrimPrefix(to, "."))
	})
}

func (v *Verdict) tag(revision string) bool {
	name, _, _ := strings.Cut(revision, "~")
	name, _, _ = strings.Cut(name, "^")
	if name == "" || name == "HEAD" || name == "@" || strings.HasPrefix(name, "HEAD@{") {
		return false
	}
	if !plainRef(name) || strings.HasPrefix(name, "refs/") || strings.HasPrefix(name, "tags/") {
		return true
	}
	_, there, known := v.ref("refs/tags/"+name, 0)
	return there || !known
}

// plainWord reports whether the name of a ref is one word wherever it is printed, with
// characters beyond those of plainRef which no shell makes more of.
func plainWord(name string) bool {
	return plainRef(strings.Map(func(r rune) rune {
		if strings.ContainsRune("@#=,", r) {
			return '_'
		}
		return r
	}, name))
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
		case *left < 0, !plainWord(entry.Name()), !entry.IsDir() && !entry.Type().IsRegular():
			return fs.ErrInvalid
		}
		return nil
	})
	return err == nil
}
