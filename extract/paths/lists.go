package paths

import (
	"fmt"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// Pattern is a set of globs over one segment, with quick ways for the forms
// that lists are made of. Names are compared by Fold: a list that misses ".ENV"
// on a file system that folds case would be worse than one that finds it
// elsewhere.
type Pattern struct {
	exact    map[string]string
	suffixes []string // from "*.pem"
	prefixes []string // from "id_rsa*"
	globs    []string
}

// NewPattern compiles globs in the syntax of path.Match. A malformed glob is an error.
func NewPattern(globs []string) (*Pattern, error) {
	p := &Pattern{exact: make(map[string]string, len(globs))}
	for _, glob := range globs {
		folded := Fold(glob)
		if _, err := path.Match(folded, ""); err != nil {
			return nil, fmt.Errorf("%q is no pattern: %w", glob, err)
		}
		switch star := strings.IndexAny(folded, `*?[\`); {
		case star < 0:
			p.exact[folded] = glob
		case star == 0 && folded[0] == '*' && !strings.ContainsAny(folded[1:], `*?[\`):
			p.suffixes = append(p.suffixes, folded[1:])
		case star == len(folded)-1 && folded[star] == '*':
			p.prefixes = append(p.prefixes, folded[:star])
		default:
			p.globs = append(p.globs, folded)
		}
	}
	return p, nil
}

// Match returns the entry that name matches, or "".
func (p *Pattern) Match(name string) string {
	if p == nil || name == "" {
		return ""
	}
	return p.match(Fold(name))
}

// match is Match for a name that is folded.
func (p *Pattern) match(name string) string {
	if p == nil || name == "" {
		return ""
	}
	if entry, ok := p.exact[name]; ok {
		return entry
	}
	for _, suffix := range p.suffixes {
		if strings.HasSuffix(name, suffix) {
			return "*" + suffix
		}
	}
	for _, prefix := range p.prefixes {
		if strings.HasPrefix(name, prefix) {
			return prefix + "*"
		}
	}
	for _, glob := range p.globs {
		if ok, err := path.Match(glob, name); ok && err == nil {
			return glob
		}
	}
	return ""
}

// Secrets says which paths are secret.
type Secrets struct {
	Names  *Pattern
	Except *Pattern
	// Templates are names that hold placeholders where secrets would be.
	Templates   Templates
	Directories *Pattern
	// Copies are endings of names that people and editors give to copies of a file, in lower case.
	Copies []string
	// Files are entries of several segments, in lower case: ".kube/config"
	// anywhere, or absolute globs such as "/proc/*/environ".
	Files []string
}

// Templates describes names of files with placeholders: one of Prefixes, then segments between
// dots, dashes or underscores. One segment is a word of Words ("example"), and every segment behind it
// is on Behind, which has environments and parts of a program, and not "local" or "bak": those say that
// a person filled the template in. All entries are in lower case. The zero value matches nothing.
type Templates struct {
	Prefixes, Words, Behind []string
}

// match reports whether a folded base name is one of a template.
func (t *Templates) match(base string) bool {
	isSeparator := func(r rune) bool { return r == '.' || r == '-' || r == '_' }
	for _, prefix := range t.Prefixes {
		rest, found := strings.CutPrefix(base, prefix)
		if !found || rest == "" || !isSeparator(rune(rest[0])) {
			continue
		}
		segments := strings.FieldsFunc(rest, isSeparator)
		for len(segments) > 0 && slices.Contains(t.Behind, segments[len(segments)-1]) {
			segments = segments[:len(segments)-1]
		}
		if len(segments) > 0 && slices.Contains(t.Words, segments[len(segments)-1]) {
			return true
		}
	}
	return false
}

// Class returns how a clean path is secret, "secret_directory" or "secret", and
// the entry that says so; or "".
func (s *Secrets) Class(real string) (class, entry string) {
	real = Fold(real)
	if entry := s.directory(real); entry != "" {
		return "secret_directory", entry
	}
	if entry := s.file(real); entry != "" {
		return "secret", entry
	}
	return "", ""
}

// File returns the entry by which a clean path is a secret file or lies in a
// secret directory, or "".
func (s *Secrets) File(real string) string {
	real = Fold(real)
	if entry := s.file(real); entry != "" {
		return entry
	}
	return s.directory(real)
}

// original is what a file was called that has the name of a copy, by a person or an editor, or "".
func (s *Secrets) original(base string) string {
	if name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(base, ".#"), "#"), "#"); name != base {
		return name
	}
	for _, ending := range s.Copies {
		if name, found := strings.CutSuffix(base, ending); found {
			return name
		}
	}
	return ""
}

func (s *Secrets) file(real string) string {
	base := Base(real)
	for name := base; name != "" && s.Except.match(name) == ""; name = s.original(name) {
		entry := s.Names.match(name)
		if entry == "" && name != base {
			entry = s.Names.match(strings.TrimPrefix(name, ".")) // vim hides its own
		}
		if entry != "" && !s.Templates.match(name) {
			return entry
		}
	}
	for _, entry := range s.Files {
		if matchTail(real, entry) {
			return entry
		}
	}
	return ""
}

// Directory returns the entry by which a clean path is a secret directory or
// lies in one, or "".
func (s *Secrets) Directory(real string) string { return s.directory(Fold(real)) }

func (s *Secrets) directory(real string) string {
	for rest := real; rest != ""; {
		var segment string
		segment, rest, _ = strings.Cut(strings.TrimLeft(rest, "/"), "/")
		if entry := s.Directories.match(segment); entry != "" {
			return entry + "/"
		}
	}
	return ""
}

// matchTail matches entry, a glob of several segments, against the end of
// real, or against the whole of it when entry is absolute.
func matchTail(real, entry string) bool {
	if end := entry[max(0, len(entry)-1):]; !strings.HasSuffix(real, end) && !strings.ContainsAny(end, "*?]") {
		return false // nearly every path, for the price of a byte
	}
	if strings.HasPrefix(entry, "/") {
		ok, err := path.Match(entry, real)
		return ok && err == nil
	}
	if strings.IndexByte(entry, '[') < 0 {
		// Nothing but a bracket matches a slash, so the segments are as many.
		cut := len(real)
		for range strings.Count(entry, "/") + 1 {
			if cut = strings.LastIndexByte(real[:cut], '/'); cut < 0 {
				return false
			}
		}
		ok, err := path.Match(entry, real[cut+1:])
		return ok && err == nil
	}
	for cut := len(real); cut > 0; {
		cut = strings.LastIndexByte(real[:cut], '/')
		if cut < 0 {
			return false
		}
		if ok, err := path.Match(entry, real[cut+1:]); ok && err == nil {
			return true
		}
	}
	return false
}

// Protected lists what could change an agent's instructions or switch the gate off.
type Protected struct {
	instructions, always []protectedEntry
	// dotted is true if each entry has a dot, so that no path without one is on a list.
	dotted bool
}

type protectedEntry struct {
	name string
	// run is the entry as a run of whole segments, folded: "/.github/hooks/".
	run string
}

// NewProtected reads the two lists. An entry without a leading slash matches as
// a run of whole segments anywhere, and everything below it.
func NewProtected(instructions, always []string) Protected {
	read := func(list []string) []protectedEntry {
		out := make([]protectedEntry, len(list))
		for i, name := range list {
			out[i] = protectedEntry{name: name, run: "/" + strings.Trim(Fold(name), "/") + "/"}
		}
		return out
	}
	dotless := func(name string) bool { return !strings.Contains(name, ".") }
	return Protected{
		instructions: read(instructions), always: read(always),
		dotted: !slices.ContainsFunc(instructions, dotless) && !slices.ContainsFunc(always, dotless),
	}
}

// Class notes the entries that real is on.
func (p *Protected) Class(real string, class *v1.Form) {
	if p.dotted && !strings.Contains(real, ".") {
		return
	}
	folded := Fold(real) + "/"
	if entry := find(p.always, folded); entry != "" {
		class.Put("protected_always", entry)
		return
	}
	if entry := find(p.instructions, folded); entry != "" {
		class.Put("protected", entry)
	}
}

func find(list []protectedEntry, folded string) string {
	for i := range list {
		if strings.HasPrefix(list[i].name, "/") {
			if strings.HasPrefix(folded, list[i].run) {
				return list[i].name
			}
		} else if strings.Contains(folded, list[i].run) {
			return list[i].name
		}
	}
	return ""
}

// Below calls visit with each entry and the path that it has directly in a
// directory: what would go with the directory. An absolute entry stands for
// itself where it lies below.
func (p *Protected) Below(dir string, visit func(class, entry, path string)) {
	below(p.always, "protected_always", dir, visit)
	below(p.instructions, "protected", dir, visit)
}

func below(list []protectedEntry, class, dir string, visit func(class, entry, path string)) {
	for _, entry := range list {
		switch {
		case !strings.HasPrefix(entry.name, "/"):
			visit(class, entry.name, strings.TrimSuffix(dir, "/")+"/"+strings.Trim(entry.name, "/"))
		case FoldedWithin(entry.name, dir):
			visit(class, entry.name, entry.name)
		}
	}
}

// Root is a directory that gives what lies in it a space.
type Root struct {
	Real  string
	Space string
}

// strength orders spaces: of several that hold a path the strongest names it.
var strength = []string{
	v1.SpaceSession, v1.SpaceProject, v1.SpaceGrantReadWrite, v1.SpaceGrantRead, v1.SpaceRepository, v1.SpaceReadAlso,
}

// Space says where a real path lies. The workspace beats a grant (P2); of
// overlapping grants the longest root counts (P4).
func Space(real string, roots []Root) string {
	best, bestRank, bestLen := v1.SpaceOutside, len(strength), -1
	for _, root := range roots {
		if !Within(real, root.Real) {
			continue
		}
		rank := slices.Index(strength, root.Space)
		if rank == 3 {
			rank = 2 // the two kinds of grant compete by length
		}
		if rank >= 0 && (rank < bestRank || rank == bestRank && len(root.Real) > bestLen) {
			best, bestRank, bestLen = root.Space, rank, len(root.Real)
		}
	}
	return best
}
