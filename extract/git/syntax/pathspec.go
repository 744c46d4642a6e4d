package syntax

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
)

// ErrPathspecUnknown means a pathspec that is not understood here: attributes, patterns
// that don't mind case, character classes, a path outside the work tree.
var ErrPathspecUnknown = errors.New("pathspec unknown")

// pathspec is one selection. pattern is relative to the work tree; its first
// literal bytes are compared as they are, even when they look like a wildcard.
type pathspec struct {
	Magic

	pattern string
	literal int
	// wild is the rest of the pattern. It may match more, unless it excludes.
	wild string
}

// Pathspecs select paths. The zero value selects none.
type Pathspecs struct {
	include []pathspec
	exclude []pathspec
}

// ParsePathspecs reads pathspecs relative to cwd, which lies in top; both are real paths. No
// pathspecs, or only exclusions, select everything. The error is ErrPathspecUnknown.
func ParsePathspecs(top, cwd string, texts []string) (Pathspecs, error) {
	prefix, err := prefixOf(top, cwd)
	if err != nil {
		return Pathspecs{}, err
	}
	var parsed Pathspecs
	for _, text := range texts {
		spec, err := parsePathspec(top, prefix, text)
		if err != nil {
			return Pathspecs{}, err
		}
		if spec.Exclude {
			parsed.exclude = append(parsed.exclude, spec)
		} else {
			parsed.include = append(parsed.include, spec)
		}
	}
	common := prefix
	for i := range parsed.include {
		common = commonDirectory(&parsed.include[i], common, i == 0)
	}
	// git ls-files takes the directory that all of them lie in off names, and as many bytes off what
	// excludes, whatever these are.
	parsed.exclude = slices.DeleteFunc(parsed.exclude, func(spec pathspec) bool {
		return !strings.HasPrefix(spec.pattern[:spec.literal], common)
	})
	if len(parsed.include) == 0 {
		parsed.include = []pathspec{{}}
	}
	return parsed, nil
}

// commonDirectory is the directory, with its slash, that a pathspec lies in for sure, or what it
// has of it in common with the one so far.
func commonDirectory(spec *pathspec, so string, first bool) string {
	known := spec.pattern[:spec.literal]
	if !first {
		known = known[:commonLength(known, so)]
	}
	return known[:strings.LastIndexByte(known, '/')+1]
}

// prefixOf is cwd relative to top, with a slash at its end, or empty.
func prefixOf(top, cwd string) (string, error) {
	relative, err := filepath.Rel(top, cwd)
	if err != nil || !Within(top, cwd) {
		return "", ErrPathspecUnknown
	}
	if relative == "." {
		return "", nil
	}
	return filepath.ToSlash(relative) + "/", nil
}

func parsePathspec(top, prefix, text string) (pathspec, error) {
	m, rest, known := CutMagic(text)
	if !known || strings.Contains(rest, "\x00") {
		return pathspec{}, ErrPathspecUnknown
	}
	if m.Top {
		prefix = ""
	}
	if rest == "" && m == (Magic{}) {
		return pathspec{}, ErrPathspecUnknown
	}
	if m.Glob {
		if strings.Contains(rest, "..") {
			return pathspec{}, ErrPathspecUnknown
		}
		rest = strings.ReplaceAll(rest, "**/", "*") // which matches more, as any wildcard does outside of a glob
	}
	pattern, exact, err := anchor(top, prefix, rest)
	if err != nil {
		return pathspec{}, err
	}
	if m.Top && pattern != rest {
		return pathspec{}, ErrPathspecUnknown // git takes such a one as it is written: "." is no directory in it
	}
	spec := pathspec{Magic: m, pattern: pattern, literal: max(exact, literalLength(pattern))}
	if m.Literal {
		spec.literal = len(pattern)
	}
	wild := pattern[spec.literal:]
	if spec.wild, known = loosen(wild); !known || m.Exclude && spec.wild != wild {
		return pathspec{}, ErrPathspecUnknown
	}
	return spec, nil
}

// anchor makes a pattern relative to top and drops "." and ".." as git does,
// keeping a slash at the end. literal counts what came from the prefix.
func anchor(top, prefix, text string) (pattern string, literal int, err error) {
	joined := prefix + text
	literal = len(prefix)
	if filepath.IsAbs(text) {
		if !Within(top, text) {
			return "", 0, ErrPathspecUnknown
		}
		joined, literal = strings.TrimPrefix(strings.TrimPrefix(text, top), "/"), 0
	}
	var kept []string
	for part := range strings.SplitSeq(joined, "/") {
		switch part {
		case "", ".":
		case "..":
			if len(kept) == 0 {
				return "", 0, ErrPathspecUnknown
			}
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, part)
		}
	}
	pattern = strings.Join(kept, "/")
	if pattern != "" && (strings.HasSuffix(joined, "/") || strings.HasSuffix(joined, "/.") || joined == ".") {
		pattern += "/"
	}
	return pattern, commonLength(pattern, prefix[:min(literal, len(prefix))]), nil
}

func commonLength(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Select reports whether a path, relative to top, is selected.
func (s Pathspecs) Select(path string) bool {
	matches := func(spec pathspec) bool { return spec.matches(path) }
	return !slices.ContainsFunc(s.exclude, matches) && slices.ContainsFunc(s.include, matches)
}

func (s pathspec) matches(name string) bool {
	if rest, ok := strings.CutPrefix(name, s.pattern); ok {
		if rest == "" || s.pattern == "" || strings.HasSuffix(s.pattern, "/") || rest[0] == '/' {
			return true
		}
	}
	rest, ok := strings.CutPrefix(name, s.pattern[:s.literal])
	return ok && s.wild != "" && wildMatch(s.wild, rest)
}
