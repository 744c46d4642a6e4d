package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// A path may be made of segments of names: "internal/$n/${n}_test.go", where n is what
// basename prints. Whatever the names are, it leads to something below the directory in
// front of them, as long as none of them goes up.

// nameIn is a name, or a part of one, and where it stands in the text of a word.
type nameIn struct {
	word       Word
	start, end int
}

// named notes a name that is added to the text next.
func (b *wordBuilder) named(value Word) {
	start := b.text.Len()
	b.names = append(b.names, nameIn{word: value, start: start, end: start + len(value.Text)})
}

// pathBytes are those that a path of plain text has about its names.
const pathBytes = value.NameBytes + "./-+@%,"

// hole stands for a name in the text of a path.
const hole = "\x00"

// pathOf is the word as a path below a directory that stands in plain text in front of the
// names in it. It reports false for any other word.
func (b *wordBuilder) pathOf(st *state) (Word, bool) {
	if b.split || len(b.names) == 0 || len(b.names) != b.count || len(st.dirs) != 1 || st.unknown {
		return Word{}, false
	}
	text, shortened := b.text.String(), false
	below := make([]Word, 0, len(b.names))
	for _, name := range slices.Backward(b.names) {
		segment, ok := name.word.segment()
		if !ok || segment.stream.dir != st.dirs[0] {
			return Word{}, false
		}
		shortened = shortened || segment.stream.shortened
		below = append(below, segment)
		text = text[:name.start] + hole + text[name.end:]
	}
	dir, inside, _ := strings.Cut(text, hole)
	slash := strings.LastIndexByte(dir, '/')
	if slash < 1 || dir[0] == '-' || strings.Trim(text, pathBytes+hole) != "" || lexical.Climbs(dir[:slash]) {
		return Word{}, false
	}
	inside = dir[slash+1:] + hole + inside
	for segment := range strings.SplitSeq(inside, "/") {
		if bare := segment == hole && !shortened; !bare && segment != "" && strings.Trim(segment, hole+".") == "" {
			return Word{}, false // ".." may come of it
		}
	}
	path := NameStream{
		dir: st.dirs[0], roots: []string{dir[:slash]}, Walk: value.Walk{Follow: true}, below: below,
		Names: value.Names{Rooted: true, Handing: value.Whole, Uncut: true},
	}
	return path.word(path.roots[0]), true
}

// segment is a word that is one segment of a name, or a part of one: never more, and no step
// up as long as the shell doesn't cut it. Names that ls prints of a directory are such.
func (w Word) segment() (Word, bool) {
	f := w.stream
	if w.Kind != Names || f == nil || f.many || !f.namesFiles() {
		return Word{}, false
	}
	if f.Parts {
		return w, f.segment
	}
	if f.entries == "" || len(f.roots) != 1 {
		return Word{}, false
	}
	one := *f
	one.roots, one.entries = []string{f.entries}, ""
	return one.word(f.entries), true
}

// wholeSegment reports whether the last segment of a word is an entry of a directory, and never
// a step up. The pattern of a Glob that begins with a dot may match one.
func wholeSegment(word Word) bool {
	if word.stream != nil && word.stream.Parts {
		return word.stream.segment
	}
	roots := []string{word.Text}
	if word.Kind == Names {
		roots = word.stream.spread(word.Text)
	}
	return !slices.ContainsFunc(roots, func(root string) bool {
		last := strings.TrimRight(root, "/")
		return lexical.Climbs(root) || hasMeta(root) && strings.HasPrefix(last[strings.LastIndexByte(last, '/')+1:], ".")
	})
}

// looked are the names that stand in the paths of a stream, each as it is handed on: cut at
// blanks, or without those at its ends, it may be a step up.
func (f *NameStream) looked() []Access {
	var accesses []Access
	if f.of != nil {
		a := f.of.access(f.of.roots[0], v1.OpList, false, false)
		a.Parts, a.Uncut = true, true
		accesses = append(accesses, a)
	}
	for _, word := range f.below {
		for _, root := range word.stream.spread(word.Text) {
			a := word.stream.access(root, v1.OpList, false, false)
			a.Parts = true
			accesses = append(accesses, a)
		}
		accesses = append(accesses, word.stream.looked()...)
	}
	return accesses
}
