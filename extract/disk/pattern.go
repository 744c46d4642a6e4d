// Package disk answers questions about the disk: what patterns match, and what a walk of a tree reaches.
package disk

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// PlainGlob reports whether shells, tools and path.Match read a glob alike:
// stars, question marks, and brackets of letters, digits and ranges.
func PlainGlob(glob string) bool {
	if strings.ContainsAny(glob, "\\{}") || strings.Contains(glob, "**") {
		return false
	}
	for rest := glob; ; {
		_, inside, ok := strings.Cut(rest, "[")
		if !ok {
			return true
		}
		inside, rest, ok = strings.Cut(inside, "]")
		if !ok || inside == "" || strings.HasPrefix(inside, "-") || strings.HasSuffix(inside, "-") ||
			strings.Trim(inside, "-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return false
		}
	}
}

// AsMatched is a segment of a shell's pattern as path.Match writes it, where both read it alike:
// a plain glob, or one with sets of what is left out ([!.]) that name each character. Ranges
// are others in some locales, and what dash takes [^.] for is a set of two.
func AsMatched(segment string) (glob string, plain bool) {
	var out, others strings.Builder
	for rest := segment; ; {
		before, behind, found := strings.Cut(rest, "[!")
		out.WriteString(before)
		others.WriteString(before)
		if !found {
			return out.String(), PlainGlob(others.String())
		}
		inside, after, closed := strings.Cut(behind, "]")
		if !closed || inside == "" || strings.Trim(inside, "._abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			return segment, false
		}
		out.WriteString("[^" + inside + "]")
		others.WriteByte('?')
		rest = after
	}
}

// Match matches a name by a plain glob as shells and programs do: to some, and to
// more in some locales, a character beyond ASCII is as many as it has bytes, and a range
// of letters holds those of the other case. A person may have set that no case counts
// (nocaseglob).
func Match(glob, name string) (bool, error) {
	ok, err := path.Match(glob, name)
	if ok || err != nil {
		return ok, err
	}
	glob, name = strings.ToLower(glob), strings.ToLower(name)
	if !isASCII(name) {
		glob = anyCharacters(glob)
	}
	return path.Match(glob, name)
}

// anyCharacters is a plain glob with any characters in the place of one.
func anyCharacters(glob string) string {
	var out strings.Builder
	for rest := strings.ReplaceAll(glob, "?", "*"); ; {
		before, behind, found := strings.Cut(rest, "[")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteByte('*')
		_, rest, _ = strings.Cut(behind, "]")
	}
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// LeavesOut matches what leaves files out, with the case as it is.
func LeavesOut(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(glob, name)
		return ok && err == nil && (isASCII(name) || !strings.ContainsAny(glob, "?["))
	})
}

// MatchAny reports whether a name matches any of plain globs, as shells and programs match.
func MatchAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := Match(glob, name)
		return ok && err == nil
	})
}

// HasMeta reports whether a shell's pattern holds a metacharacter. A backslash quotes.
func HasMeta(text string) bool { return MetaIndex(text) < len(text) }

// MetaIndex is where the first metacharacter of a shell's pattern stands, its length if there is none.
func MetaIndex(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return i
		}
	}
	return len(text)
}
