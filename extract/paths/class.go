package paths

import (
	"fmt"
	"path"
	"strings"
)

// Class is a set of paths that an operator names.
type Class struct {
	Name    string
	entries []classEntry
}

type classEntry struct {
	text string
	// root is what the segments count from: "/" , "~" for the home, or "" for each project directory.
	root     string
	segments []string // folded
}

// NewClass reads the entries of a class: paths in full, in the home ("~/…"), or counted from the
// project. A segment is a glob of path.Match, or "**" for any number of segments. An entry holds what it
// matches, and everything below. A malformed glob is an error.
func NewClass(name string, entries []string) (Class, error) {
	c := Class{Name: name}
	for _, text := range entries {
		entry := classEntry{text: text}
		rest := text
		switch {
		case strings.HasPrefix(rest, "/"):
			entry.root = "/"
		case rest == "~" || strings.HasPrefix(rest, "~/"):
			entry.root, rest = "~", rest[1:]
		}
		rest = strings.Trim(path.Clean("/"+rest), "/")
		for segment := range strings.SplitSeq(Fold(rest), "/") {
			if _, err := path.Match(segment, ""); err != nil {
				return c, fmt.Errorf("read path class %s: %q: %w", name, text, err)
			}
			if segment != "" {
				entry.segments = append(entry.segments, segment)
			}
		}
		c.entries = append(c.entries, entry)
	}
	return c, nil
}

// Match returns the entry that holds a clean absolute path, or "".
func (c *Class) Match(real, home string, projects []string) string {
	folded := Fold(real)
	for i := range c.entries {
		entry := &c.entries[i]
		roots := projects
		switch entry.root {
		case "/":
			roots = []string{"/"}
		case "~":
			roots = []string{home}
		}
		for _, root := range roots {
			if root == "" || !FoldedWithin(real, root) {
				continue
			}
			below := strings.Trim(folded[min(len(Fold(root)), len(folded)):], "/")
			if holds(entry.segments, splitPath(below)) {
				return entry.text
			}
		}
	}
	return ""
}

// MayMatch reports whether a path may be one of the class in some session, whatever its project and home.
func (c *Class) MayMatch(real string) bool {
	segments := splitPath(strings.Trim(Fold(real), "/"))
	for i := range c.entries {
		if entry := &c.entries[i]; entry.root == "/" {
			if holds(entry.segments, segments) {
				return true
			}
			continue
		}
		for at := range len(segments) + 1 {
			if holds(c.entries[i].segments, segments[at:]) {
				return true
			}
		}
	}
	return false
}

// Places are the directories that entries without globs name, and those that hold what they name.
func (c *Class) Places(home string, projects []string) []string {
	var out []string
	for i := range c.entries {
		entry := &c.entries[i]
		roots := projects
		switch entry.root {
		case "/":
			roots = []string{""}
		case "~":
			roots = []string{home}
		}
		literal := strings.TrimSuffix(strings.TrimSuffix(entry.text, "/"), "/**")
		if strings.ContainsAny(literal, `*?[\`) {
			continue
		}
		for _, root := range roots {
			if root != "" || entry.root == "/" {
				out = append(out, path.Clean(root+"/"+strings.TrimPrefix(literal, "~")))
			}
		}
	}
	return out
}

func splitPath(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "/")
}

// holds reports whether a pattern matches the beginning of a path.
func holds(pattern, segments []string) bool {
	if len(pattern) == 0 {
		return true
	}
	if pattern[0] == "**" {
		for at := range len(segments) + 1 {
			if holds(pattern[1:], segments[at:]) {
				return true
			}
		}
		return false
	}
	if len(segments) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], segments[0])
	return ok && err == nil && holds(pattern[1:], segments[1:])
}
