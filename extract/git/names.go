package git

import "strings"

// Names reports whether git may take a plain word for a revision, or for a range between two, be there
// a file of that name: most commands refuse a word that is both, but git log takes the
// range, and others look for no file.
func (p *Past) Names(v Verdict, word string, budget *Budget) bool {
	if !v.Repository || v.objectSize == 0 || word == ".." {
		return false
	}
	d := newDatabase(&v, budget)
	defer d.close()
	h := history{past: p, d: d, v: &v}
	from, to, ranged := strings.Cut(word, "..")
	if !ranged {
		return h.mayName(word)
	}
	return h.mayName(orHead(from)) && h.mayName(orHead(strings.TrimPrefix(to, ".")))
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
	for _, place := range refPlaces {
		_, there, known := h.v.ref(strings.Replace(place, "%", name, 1), 0)
		// What lies beside the refs is one only if it reads like one, but each work tree has its own HEAD.
		if there || !known && (place != "%" || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "") {
			return true
		}
	}
	if !maybeHash(name) {
		return false
	}
	if i := strings.LastIndex(name, "-g"); i >= 0 {
		name = name[i+2:] // as git describe prints it
	}
	if len(name) > 2*h.v.objectSize {
		return false
	}
	ids, ok := h.d.beginning(strings.ToLower(name), 1)
	return !ok || len(ids) > 0
}
