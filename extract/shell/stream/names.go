package stream

import (
	"path"
	"slices"
	"strings"

	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// Kind is what the names of a stream name.
type Kind uint8

// Kinds of names.
const (
	// Unknown names are not used.
	Unknown Kind = iota
	// Found names are those of files that a walk selects below the roots.
	Found
	// Written names are the roots themselves, patterns among them, as the line spells them.
	Written
	// Hashes are those of commits.
	Hashes
	// Refs are names of refs. TagRefs can also be names that a tag object holds.
	Refs
	TagRefs
)

// HashText and RefText stand for a hash and for the name of a ref in the text of a word.
const (
	HashText = "$(hash)"
	RefText  = "$(ref)"
)

// NameStream is the names that a command prints, or that a word of a command stands for.
type NameStream struct {
	Kind Kind
	// Dir is the directory that the roots count from.
	Dir   string
	Roots []string
	// Entries, if not empty, is the directory whose entries the names are, printed without it.
	Entries string
	// Extra are other texts that can be among the names.
	Extra []string
	// Walk selects the files below the roots whose names can be among them.
	value.Walk
	// Names are how the names become words. Part and Composed set its Parts and Uncut.
	value.Names
	// OnlyFiles is true if no name is that of a directory, or of a link to one unless the walk follows
	// links.
	OnlyFiles bool
	// Several is true if a word is several names, Empty if a word can be empty because there is none.
	Several, Empty bool
	// Part, if not nil, is what part of a name each word is.
	Part *Part
	// Composed, if not nil, are the segments of paths below the root, which are such names.
	Composed []Name
}

// NewFound returns the stream of names that a walk selects below roots.
func NewFound(dir string, walk value.Walk, roots ...string) *NameStream {
	return &NameStream{Kind: Found, Dir: dir, Roots: roots, Walk: walk}
}

// NewWritten returns the stream of words that the line spells.
func NewWritten(dir string, words ...string) *NameStream {
	option := slices.ContainsFunc(words, func(word string) bool { return strings.IndexByte("-*?[", word[0]) >= 0 })
	return &NameStream{Kind: Written, Dir: dir, Roots: words, Names: value.Names{Rooted: !option}}
}

// NewTracked returns the stream of names in git's index that pathspecs select.
func NewTracked(dir string, pathspecs []string) *NameStream {
	if len(pathspecs) == 0 {
		pathspecs = value.AllTracked
	}
	return NewFound(dir, value.Walk{Follow: true, Index: value.Index{Tracked: pathspecs}}, ".")
}

// AreFiles reports whether a word is the name of a file, a part of it, or several of them.
func (s *NameStream) AreFiles() bool { return s.Kind == Found || s.Kind == Written }

// AreRefs reports whether a word is the name of a ref.
func (s *NameStream) AreRefs() bool { return s.Kind == Refs || s.Kind == TagRefs }

// AreWords reports whether a word is one that the line spells, whole.
func (s *NameStream) AreWords() bool { return s.Kind == Written && s.Part == nil }

// IsFile reports whether a word is the name of one file, as it counts from where it was found.
func (s *NameStream) IsFile() bool {
	return s.Kind == Found && s.Part == nil && !s.Several && len(s.Roots) == 1 && s.Entries == "" && len(s.Extra) == 0
}

// IsComposed reports whether the words are names that were not found, so that pieces of them lie
// elsewhere.
func (s *NameStream) IsComposed() bool { return s.Composed != nil }

// IsPathspecBelow reports whether a git pathspec is a pattern that matches nothing above the directory that it
// counts from.
func IsPathspecBelow(spec string) bool {
	return lexical.IsOneWord(spec, "*?") && spec[0] != '/' && spec[0] != ':' && !lexical.Climbs(spec)
}

// OrNone returns the names of the stream if there may be none.
func (s *NameStream) OrNone() *NameStream {
	some := *s
	some.Empty = true
	return &some
}

// One returns any one of the names.
func (s *NameStream) One() *NameStream {
	one := *s
	one.Several = false
	return &one
}

// AddMatches adds the directory, named by a pattern, that all of its matches lie below as far as no
// link among them leads elsewhere. A match can be a link, and find follows one that a slash follows.
// It reports false if names that are found could begin with what only the disk knows.
func (s *NameStream) AddMatches(pattern string) bool {
	dir := pattern[:max(strings.IndexAny(pattern, "*?["), 0)]
	dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
	s.Roots = append(s.Roots, dir)
	s.Follow, s.NamedLinks, s.OnlyFiles = true, false, false
	return lexical.IsOneWord(dir, "") && !strings.Contains(pattern, `\`) && !strings.Contains(pattern, "..")
}

// Surrounded returns where a name lies with text around it: the directory that it was found in
// before it, and a path that leads down behind it. All of that lies in the tree, whatever the name,
// as long as no link leads out of it. It is nil for other text.
func (s *NameStream) Surrounded(before, after string) *NameStream {
	if s.Kind != Found || s.Tracked != nil || s.Part != nil || s.Several || after != "" && !leadsDown(after) {
		return nil
	}
	if before == "" && (after == "" || s.Empty || len(s.Extra) > 0) {
		return nil // without a name a path behind it would count from the root
	}
	one := *s
	one.Entries, one.OnlyFiles, one.Walk = "", false, value.Walk{Follow: true}
	if before != "" {
		if s.Entries == "" || !isDirectory(before, s.Entries) {
			return nil
		}
		// Extra texts lie there as well.
		one.Roots, one.Rooted, one.Extra = []string{s.Entries}, true, nil
	}
	one.Several = lexical.HasWildcard(after)
	return &one
}

// leadsDown reports whether a text behind a name is a path, or a pattern, of something below it.
func leadsDown(text string) bool {
	return text[0] == '/' && lexical.IsOneWord(text, "*?") && !lexical.Climbs(text)
}

// isDirectory reports whether a text before a name is the path of a directory.
func isDirectory(text, directory string) bool {
	return strings.HasSuffix(text, "/") && lexical.IsOneWord(text, "") && path.Clean(text) == path.Clean(directory)
}

// Name is one name of a stream, or several if its words are.
type Name struct {
	// Stream is nil for a word that the line spells.
	Stream *NameStream
	// Root is where it lies if the stream has one root.
	Root string
}

// Roots returns the roots that the name can come from.
func (n Name) Roots() []string {
	if n.Stream != nil && len(n.Stream.Roots) > 1 {
		return n.Stream.Roots
	}
	return []string{n.Root}
}

// IsEntry reports whether the last segment of a name is an entry of a directory, and never a step
// up. A pattern that begins with a dot can match one.
func (n Name) IsEntry() bool {
	if n.Stream != nil && n.Stream.Part != nil {
		return n.Stream.Part.Extent != Rest
	}
	return !slices.ContainsFunc(n.Roots(), func(root string) bool {
		last := strings.TrimRight(root, "/")
		return lexical.Climbs(root) || lexical.HasWildcard(root) && strings.HasPrefix(last[strings.LastIndexByte(last, '/')+1:], ".")
	})
}

// segment returns a name that is one segment, or a part of one: never a step up as long as the shell
// doesn't cut it. Names that ls prints of a directory are such.
func (n Name) segment() (Name, bool) {
	s := n.Stream
	switch {
	case s == nil || s.Several || !s.AreFiles():
		return Name{}, false
	case s.Part != nil:
		return n, s.Part.Extent != Rest
	case s.Entries == "" || len(s.Roots) != 1:
		return Name{}, false
	}
	one := *s
	one.Roots, one.Entries = []string{s.Entries}, ""
	return Name{Stream: &one, Root: s.Entries}, true
}
