package stream

import (
	"strings"

	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// Part is a part of a name, from the beginning of a segment on. It names no file.
type Part struct {
	// Text stands for the word in facts.
	Text   string
	Extent Extent
}

// Extent is how much of a name a part is.
type Extent uint8

// Extents of parts.
const (
	// Rest is several segments, or a step up.
	Rest Extent = iota
	// Shortened is one segment from whose end something can be cut.
	Shortened
	// Segment is one whole segment.
	Segment
)

// ExtentOf returns the extent of a part of a name: of one segment if segment is true, shortened if
// shortened is, or if the name itself is a part that is.
func ExtentOf(name Name, segment, shortened bool) Extent {
	part := name.Stream != nil && name.Stream.Part != nil && name.Stream.Part.Extent == Shortened
	switch {
	case !segment:
		return Rest
	case shortened || part:
		return Shortened
	}
	return Segment
}

// PartOf returns parts of names. If split is true, the shell splits them at blanks.
func (s *NameStream) PartOf(part Part, split bool) *NameStream {
	parts := *s
	parts.Part, parts.Several, parts.Rooted, parts.Entries = &part, false, false, ""
	if split {
		parts.Handing = value.AsWords
	}
	return &parts
}

// pathBytes are those that a path of literal text has around its names.
const pathBytes = value.NameBytes + "./-+@%,"

// Hole stands for a name in the text of a path.
const Hole = "\x00"

// Path returns the path that names are segments of, or stand in: "internal/$n/${n}_test.go", where n
// is what basename prints. text has a hole for each name. Whatever the names are, the path leads to something
// below the directory before them, as long as none of them goes up. It reports false for other text
// and other names.
func Path(dir, text string, names []Name) (Name, bool) {
	segments, shortened := make([]Name, 0, len(names)), false
	for _, name := range names {
		segment, ok := name.segment()
		if !ok || segment.Stream.Dir != dir {
			return Name{}, false
		}
		shortened = shortened || segment.Stream.Part != nil && segment.Stream.Part.Extent == Shortened
		segments = append(segments, segment)
	}
	before, inside, _ := strings.Cut(text, Hole)
	slash := strings.LastIndexByte(before, '/')
	if slash < 1 || before[0] == '-' || strings.Trim(text, pathBytes+Hole) != "" || lexical.Climbs(before[:slash]) {
		return Name{}, false
	}
	inside = before[slash+1:] + Hole + inside
	for segment := range strings.SplitSeq(inside, "/") {
		if alone := segment == Hole && !shortened; !alone && segment != "" && strings.Trim(segment, Hole+".") == "" {
			return Name{}, false // ".." may come of it
		}
	}
	root := before[:slash]
	return Name{Root: root, Stream: &NameStream{
		Kind: Found, Dir: dir, Roots: []string{root}, Walk: value.Walk{Follow: true},
		Names: value.Names{Rooted: true, Handing: value.Whole}, Composed: segments,
	}}, true
}
