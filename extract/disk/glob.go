package disk

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"policyd/extract/stat"
	"policyd/extract/value"
)

// Globs expands patterns.
type Globs struct {
	View   *View
	Spaces Spaces
}

// ExpandAsTool expands a pattern as tools may do that are no shells: hidden names match, and no segment's case counts.
func (g *Globs) ExpandAsTool(text, base string) Expansion {
	out := Expansion{globs: g, tool: true}
	out.all(value.Widened(text), base)
	return out
}

// Expand expands a shell pattern that counts from base. In text a backslash
// quotes the character behind it.
func (g *Globs) Expand(text, base string) Expansion {
	return g.ExpandAs(text, base, false)
}

// ExpandAs does the same, with named where only the words that match count.
func (g *Globs) ExpandAs(text, base string, named bool) Expansion {
	out := Expansion{globs: g, named: named}
	out.all(text, base)
	return out
}

// Directories are those among the matches of an absolute pattern, each behind a newline: all that
// a shell may find, files left out, or "" where that is not certain. What else matches must not be
// cut by a shell, nor be read otherwise than it stands.
func (g *Globs) Directories(pattern string) string {
	found := g.Expand(pattern, "/")
	if found.Unknown {
		return ""
	}
	var list strings.Builder
	for _, match := range found.Matches {
		if !PlainWord(match) {
			return ""
		}
		resolved, err := g.View.Resolve(match)
		if err != nil || resolved.Unseen {
			return ""
		}
		if resolved.Dir {
			list.WriteString("\n" + strings.TrimSuffix(match, "/"))
		}
	}
	return list.String()
}

// Expansion is what a glob expands to.
type Expansion struct {
	globs   *Globs
	Matches []string // absolute, unresolved
	Words   []string // as the command gets them
	Unknown bool
	// over is true when a bound ended the look at it, and unknown, too.
	over bool
	// directories counts those that a "**" led to.
	directories int
	// named is true where of a last segment that matches ".." only the word counts.
	named bool
	// tool is true where patterns match names that begin with a dot, and names in any case, as those of many tools do.
	tool bool
}

// all expands a pattern that counts from base.
func (x *Expansion) all(text, base string) {
	start, rest := base, text
	if strings.HasPrefix(text, "/") {
		start, rest = "/", strings.TrimLeft(text, "/")
	}
	if start == "" {
		x.Unknown = true
		return
	}
	segments := strings.Split(rest, "/")
	prefix := ""
	if strings.HasPrefix(text, "/") {
		prefix = "/"
	}
	x.step(start, prefix, segments)
	x.itself(start, prefix, rest)
}

// itself adds the file that is called like the pattern. Where nothing matches, shells hand the
// pattern on as it stands, and brackets don't match their own text: "[a]" is a name as well.
// Whether nothing matches isn't known for certain: what matches here may not match there.
func (x *Expansion) itself(dir, word, text string) {
	if !x.Unknown && strings.Contains(text, "[") {
		if name := value.Unescape(text); !slices.Contains(x.Words, word+name) {
			x.descend(dir, word, name, nil)
		}
	}
}

// step expands the first of some segments in a directory, and the others below what it matches.
func (x *Expansion) step(dir, word string, segments []string) {
	if x.over || len(segments) == 0 {
		return
	}
	segment, rest := segments[0], segments[1:]
	switch {
	case !HasMeta(segment):
		x.descend(dir, word, value.Unescape(segment), rest)
		x.otherCases(dir, word, value.Unescape(segment), rest)
	case segment == "**":
		x.deep(dir, word, rest)
	default:
		for _, name := range x.matching(dir, segment, rest) {
			x.descend(dir, word, name, rest)
		}
	}
}

// otherCases goes on behind the names in a directory that differ from a segment in case alone.
func (x *Expansion) otherCases(dir, word, name string, rest []string) {
	if !x.tool || strings.Trim(name, ".") == "" {
		return
	}
	for _, entry := range x.list(dir) {
		if other := entry.Name(); other != name && strings.EqualFold(other, name) {
			x.descend(dir, word, other, rest)
		}
	}
}

// matching are the names in a directory that a segment of a pattern matches.
func (x *Expansion) matching(dir, segment string, rest []string) []string {
	dotted := strings.HasPrefix(segment, ".")
	segment, plain := AsMatched(segment)
	up, err := path.Match(segment, "..")
	if !plain || slices.Contains(rest, "..") || dotted && !x.wordsAlone(rest) && (up || err != nil) {
		x.Unknown = true // shells differ about it, and some take ".." for a match
	}
	if err != nil {
		return nil
	}
	var names []string
	hidden := x.tool || strings.HasPrefix(value.Unescape(segment), ".")
	for _, entry := range x.list(dir) {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !hidden {
			continue
		}
		matched, err := Match(segment, name)
		if err != nil {
			x.Unknown = true
			return names
		}
		if matched {
			names = append(names, name)
		}
	}
	return names
}

// wordsAlone reports whether only the words count that a segment in front of others matches, and not where they lead.
func (x *Expansion) wordsAlone(rest []string) bool {
	return x.named && (len(rest) == 0 || len(rest) == 1 && rest[0] == "")
}

// list are the entries of a directory; none if there is nothing to match.
func (x *Expansion) list(dir string) []fs.DirEntry {
	entries, err := x.globs.View.ReadDir(dir)
	if err != nil {
		x.Unknown = x.Unknown || errors.Is(err, ErrUnseen) || x.globs.View.Barred(err)
		return nil
	}
	return entries
}

// deep expands "**" as shells with and without globstar do: any number of
// directories, or one name.
func (x *Expansion) deep(dir, word string, rest []string) {
	x.directories++
	if len(rest) == 0 || x.directories > MaxMatches {
		x.Unknown, x.over = true, true // it reads everything below
		return
	}
	x.step(dir, word, rest)
	for _, entry := range x.list(dir) {
		switch name := entry.Name(); {
		case strings.HasPrefix(name, ".") && !x.tool:
		case entry.IsDir():
			x.deep(dir+"/"+name, word+name+"/", rest)
		case entry.Type()&fs.ModeSymlink != 0:
			x.throughLink(dir+"/"+name, word+name+"/", rest)
		}
	}
}

// throughLink goes on behind a link that "**" matches as one name does. Some shells go on
// below it, too: what lies there is looked at by its own names, unless it lies elsewhere.
func (x *Expansion) throughLink(full, word string, rest []string) {
	resolved, err := x.globs.View.Resolve(full)
	switch {
	case err != nil:
		x.Unknown = x.Unknown || !stat.Missing(err)
	case !resolved.Dir && !resolved.Unseen:
	case x.globs.Spaces.OwnRoot(resolved.Real) == "":
		x.Unknown = true
	default:
		x.step(full, word, rest)
	}
}

func (x *Expansion) descend(dir, word, name string, rest []string) {
	full, next := strings.TrimSuffix(dir, "/")+"/"+name, word+name
	if len(rest) > 0 {
		x.step(full, next+"/", rest)
		return
	}
	if !x.globs.View.Exists(full) {
		return
	}
	if len(x.Matches) >= MaxMatches {
		x.Unknown, x.over = true, true
		return
	}
	x.Matches = append(x.Matches, full)
	x.Words = append(x.Words, next)
}

// Sure reports whether a match is one to every shell, and not to those alone that fold case.
func (x *Expansion) Sure(text string) bool {
	return slices.ContainsFunc(x.Words, func(word string) bool {
		ok, err := path.Match(text, word)
		return ok && err == nil
	})
}
