package git

import (
	"io/fs"
	"path/filepath"
	"strings"

	"policyd/extract/stat"
)

// maxRefs is how many files of refs are looked at.
const maxRefs = 10_000

// PlainRefs reports whether no word that git prints of the names of the repository's refs
// begins with a dash: a clone brings tags of any name. Where no branch is checked out git
// prints more than names, which is not known here.
//
// It reads anew on each call.
func (r *Reader) PlainRefs(v Verdict) bool {
	if !v.Repository || v.there("reftable") {
		return false
	}
	head, known := v.readAt(v.GitDir, "HEAD", maxRefBytes)
	if !known || !strings.HasPrefix(string(head), "ref: refs/heads/") {
		return false
	}
	packed, known := v.read("packed-refs", maxPackedRefs)
	if !known {
		return false
	}
	for line := range strings.Lines(string(packed)) {
		_, name, named := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if line[0] != '#' && line[0] != '^' && (!named || dashed(name)) {
			return false
		}
	}
	left := maxRefs
	for _, dir := range []string{v.CommonDir, v.GitDir} {
		if !v.plainRefsBelow(dir, &left) {
			return false
		}
	}
	return true
}

// dashed reports whether a part of a name begins with a dash: how much of it is printed
// depends on the others.
func dashed(name string) bool { return name[:1] == "-" || strings.Contains(name, "/-") }

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
		case *left < 0, entry.Name()[0] == '-', !entry.IsDir() && !entry.Type().IsRegular():
			return fs.ErrInvalid
		}
		return nil
	})
	return err == nil
}
