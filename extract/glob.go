package extract

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"policyd/extract/disk"
	"policyd/extract/scope"
	"policyd/extract/stat"
)

// globs expands patterns.
type globs struct {
	view  *disk.View
	scope *scope.Scope
}

// expandHidden expands a pattern as tools do that make no difference of hidden names.
func (g *globs) expandHidden(text, base string) expansion {
	out := expansion{e: g, hidden: true}
	out.all(text, base)
	return out
}

// expand expands a shell pattern that counts from base. In text a backslash
// quotes the character behind it.
func (g *globs) expand(text, base string) expansion {
	return g.expandAs(text, base, false)
}

// expandAs does the same, with named where only the words that match count.
func (g *globs) expandAs(text, base string, named bool) expansion {
	out := expansion{e: g, named: named}
	out.all(text, base)
	return out
}

// directories are those among the matches of an absolute pattern, each behind a newline: all that
// a shell may find, files left out, or "" where that is not certain. What else matches must not be
// cut by a shell, nor be read otherwise than it stands.
func (g *globs) directories(pattern string) string {
	found := g.expand(pattern, "/")
	if found.unknown {
		return ""
	}
	var list strings.Builder
	for _, match := range found.matches {
		if !plainWord(match) {
			return ""
		}
		resolved, err := g.view.Resolve(match)
		if err != nil || resolved.Unseen {
			return ""
		}
		if resolved.Dir {
			list.WriteString("\n" + strings.TrimSuffix(match, "/"))
		}
	}
	return list.String()
}

// expansion is what a glob expands to.
type expansion struct {
	e       *globs
	matches []string // absolute, unresolved
	words   []string // as the command gets them
	unknown bool
	// over is true when a bound ended the look at it, and unknown, too.
	over bool
	// directories counts those that a "**" led to.
	directories int
	// named is true where of a last segment that matches ".." only the word counts.
	named bool
	// hidden is true where patterns match names that begin with a dot, as those of many tools do.
	hidden bool
}

// all expands a pattern that counts from base.
func (x *expansion) all(text, base string) {
	start, rest := base, text
	if strings.HasPrefix(text, "/") {
		start, rest = "/", strings.TrimLeft(text, "/")
	}
	if start == "" {
		x.unknown = true
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
func (x *expansion) itself(dir, word, text string) {
	if !x.unknown && strings.Contains(text, "[") {
		if name := disk.Unquote(text); !slices.Contains(x.words, word+name) {
			x.descend(dir, word, name, nil, true)
		}
	}
}

func (x *expansion) step(dir, word string, segments []string) {
	if x.over || len(segments) == 0 {
		return
	}
	segment, rest := segments[0], segments[1:]
	last := len(rest) == 0
	if !disk.HasMeta(segment) {
		name := disk.Unquote(segment)
		x.descend(dir, word, name, rest, last)
		return
	}
	if segment == "**" {
		x.deep(dir, word, rest)
		return
	}
	dotted := strings.HasPrefix(segment, ".")
	segment, plain := disk.AsMatched(segment)
	lastNamed := x.named && (last || len(rest) == 1 && rest[0] == "")
	up, err := path.Match(segment, "..")
	if !plain || slices.Contains(rest, "..") || dotted && !lastNamed && (up || err != nil) {
		x.unknown = true // shells differ about it, and some take ".." for a match
	}
	if err != nil {
		return
	}
	entries, err := x.e.view.ReadDir(dir)
	if err != nil {
		x.unknown = x.unknown || errors.Is(err, disk.ErrUnseen) || x.e.view.Barred(err)
		return // nothing there to match
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !x.hidden && !strings.HasPrefix(disk.Unquote(segment), ".") {
			continue
		}
		if ok, err := disk.Match(segment, name); err != nil {
			x.unknown = true
			return
		} else if ok {
			x.descend(dir, word, name, rest, last)
		}
	}
}

// deep expands "**" as shells with and without globstar do: any number of
// directories, or one name.
func (x *expansion) deep(dir, word string, rest []string) {
	x.directories++
	if len(rest) == 0 || x.directories > disk.MaxMatches {
		x.unknown, x.over = true, true // it reads everything below
		return
	}
	x.step(dir, word, rest)
	entries, err := x.e.view.ReadDir(dir)
	if err != nil {
		x.unknown = x.unknown || errors.Is(err, disk.ErrUnseen) || x.e.view.Barred(err)
		return
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case strings.HasPrefix(name, ".") && !x.hidden:
		case entry.IsDir():
			x.deep(dir+"/"+name, word+name+"/", rest)
		case entry.Type()&fs.ModeSymlink != 0:
			x.throughLink(dir+"/"+name, word+name+"/", rest)
		}
	}
}

// throughLink goes on behind a link that "**" matches as one name does. Some shells go on
// below it, too: what lies there is looked at by its own names, unless it lies elsewhere.
func (x *expansion) throughLink(full, word string, rest []string) {
	resolved, err := x.e.view.Resolve(full)
	switch {
	case err != nil:
		x.unknown = x.unknown || !stat.Missing(err)
	case !resolved.Dir && !resolved.Unseen:
	case x.e.scope.OwnRoot(resolved.Real) == "":
		x.unknown = true
	default:
		x.step(full, word, rest)
	}
}

func (x *expansion) descend(dir, word, name string, rest []string, last bool) {
	full, next := strings.TrimSuffix(dir, "/")+"/"+name, word+name
	if !last {
		x.step(full, next+"/", rest)
		return
	}
	if !x.e.view.Exists(full) {
		return
	}
	if len(x.matches) >= disk.MaxMatches {
		x.unknown, x.over = true, true
		return
	}
	x.matches = append(x.matches, full)
	x.words = append(x.words, next)
}

// sure reports whether a match is one to every shell, and not to those alone that fold case.
func (x *expansion) sure(text string) bool {
	return slices.ContainsFunc(x.words, func(word string) bool {
		ok, err := path.Match(text, word)
		return ok && err == nil
	})
}
