package stream

import (
	"slices"
	"strings"

	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// Part is a part of a name, from the beginning of a segment on. It names no file.
type Part struct {
	// Text stands for the word in facts.
	Text   string
	Extent Extent
	// Stem, if not nil, is the name that the part is but for its ending.
	Stem *Stem
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

// Stem is a name whose ending was cut off.
type Stem struct {
	Name   Name
	Ending string
}

// Composition is how names are composed of names that were found.
type Composition struct {
	Form Form
	// Names are those whose own beginnings matter: the segments of a path, or names that git prints
	// of what may be on no disk. Of those one can begin with a dash, and not every dirname refuses it.
	Names []Name
}

// Form is what composed names are.
type Form uint8

// Forms of composed names.
const (
	// Paths have names as their segments, below the root.
	Paths Form = iota
	// Siblings are names with another ending, in the directory of the name.
	Siblings
	// Directories are those that names lie in.
	Directories
)

// tracked returns the names behind whole names that git printed of its index or of commits.
func (s *NameStream) tracked() []Name {
	switch {
	case s.Tracked != nil:
		return []Name{{Stream: s, Root: s.Roots[0]}}
	case s.Composed != nil:
		return s.Composed.Names
	}
	return nil
}

// Directory returns the directories that names lie in: below what the roots lie in, or that itself. If
// split is true, the shell splits the name at blanks; if none is true, there may be no name, and
// dirname fails. It reports false for other names than whole ones.
func (n Name) Directory(split, none bool) (Name, bool) {
	s := n.Stream
	if s == nil || !s.areWhole() || s.Several && split {
		return Name{}, false
	}
	dirs := &NameStream{
		Kind: Found, Dir: s.Dir, Walk: value.Walk{Follow: true}, Names: value.Names{Handing: s.Handing}, Empty: none,
		Composed: &Composition{Form: Directories, Names: s.tracked()},
	}
	if split {
		dirs.Handing = value.AsWords
	}
	for _, root := range n.Roots() {
		if !lexical.IsOneWord(root, "") || strings.Contains(root, "..") {
			return Name{}, false
		}
		dirs.Roots = append(dirs.Roots, lexical.Dirname(root))
	}
	if len(s.Extra) > 0 {
		dirs.Roots = append(dirs.Roots, ".") // where what is no name would lie
	}
	return Name{Stream: dirs, Root: dirs.Roots[0]}, true
}

// Sibling returns the name with another ending, which is called so in the directory of the name
// ("${f%.go}_test.go"). It reports false for other endings, for other parts than a stem, and for stems of
// other names than a whole one.
func (p *Part) Sibling(ending string) (Name, bool) {
	if p == nil || p.Stem == nil {
		return Name{}, false
	}
	from := p.Stem.Name.Stream
	if from == nil || !from.areWhole() || from.Several || strings.Trim(ending, value.NameBytes+".-") != "" || strings.Trim(ending, ".") == "" || ending[0] == '-' {
		return Name{}, false
	}
	// If a name is the ending alone, trimming leaves the empty string, and the word is the new ending.
	other := &NameStream{
		Kind: Found, Dir: from.Dir, Roots: from.Roots, Walk: value.Walk{Follow: true}, Extra: []string{ending},
		Names:    value.Names{Rooted: from.Rooted && from.Tracked == nil, Handing: from.Handing},
		Composed: &Composition{Form: Siblings, Names: from.tracked()},
	}
	for _, known := range slices.Concat(p.Stem.Name.Roots(), from.Extra) {
		if !lexical.IsOneWord(known, "") || lexical.Climbs(known) {
			return Name{}, false
		}
		other.Extra = append(other.Extra, strings.TrimSuffix(known, p.Stem.Ending)+ending) // a root that is a file
	}
	return Name{Stream: other, Root: p.Stem.Name.Root}, true
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
		Names: value.Names{Rooted: true, Handing: value.Whole}, Composed: &Composition{Form: Paths, Names: segments},
	}}, true
}
