package git

import (
	"strings"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// Names reports whether git may take a plain word for a revision, or for a range between two, be there
// a file of that name: most commands refuse a word that is both, but git log takes the
// range, and others look for no file.
func (p *Past) Names(v *Verdict, word string, budget *Budget) bool {
	if !v.Repository || v.objectSize == 0 || word == ".." {
		return false
	}
	d := newDatabase(v, budget)
	defer d.close()
	h := history{past: p, d: d, v: v}
	ends, ranged := syntax.CutRange(word)
	if !ranged {
		return h.mayName(word)
	}
	return h.mayName(ends.From) && h.mayName(ends.To)
}

// mayName reports whether a name is that of a ref, or may be a hash. What can't be told counts.
func (h *history) mayName(name string) bool {
	if name == "@" {
		return true
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment[0] == '.' {
			return false
		}
	}
	for i, ref := range syntax.RefPlaces(name) {
		if h.v.mayRef(ref, i > 0) {
			return true
		}
	}
	digits := syntax.HashIn(name)
	if digits == "" || len(digits) > 2*h.v.objectSize {
		return false
	}
	ids, ok := h.d.beginning(strings.ToLower(digits), 1)
	return !ok || len(ids) > 0
}

// isPacked reports whether a ref of that name is written down with others.
func (v *Verdict) isPacked(ref string) bool {
	if v.packedNames == nil {
		text, known := v.read("packed-refs", maxPackedRefs)
		v.packedNames = map[string]bool{"": !known}
		for line := range strings.Lines(string(text)) {
			_, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			v.packedNames[name] = v.packedNames[name] || name != ""
		}
	}
	return v.packedNames[""] || v.packedNames[ref]
}

// mayRef reports whether a ref may be there. One that isn't among refs is called in capitals, or is
// one only if it reads like one.
func (v *Verdict) mayRef(ref string, among bool) bool {
	if v.isPacked(ref) {
		return true
	}
	for _, dir := range []string{v.CommonDir, v.GitDir} {
		found, ok := v.at(dir, ref)
		switch {
		case !ok:
			return true
		case !found.Present() || found.Kind == stat.Directory:
		case among, strings.Trim(ref, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "":
			return true
		default:
			if _, there, _ := v.looseRef(ref, 0); there {
				return true
			}
		}
	}
	return false
}
