package git

import (
	"errors"
	"path/filepath"
	"strings"
)

// ErrPathspecUnknown means a pathspec that is not understood here: magic other
// than top and exclude, character classes, a path outside the work tree.
var ErrPathspecUnknown = errors.New("pathspec unknown")

// pathspec is one selection. pattern is relative to the work tree; its first
// literal bytes are compared as they are, even when they look like a wildcard.
type pathspec struct {
	pattern string
	literal int
	exclude bool
}

type selection struct {
	include []pathspec
	exclude []pathspec
}

func parsePathspecs(top, cwd string, texts []string) (selection, error) {
	prefix, err := prefixOf(top, cwd)
	if err != nil {
		return selection{}, err
	}
	var parsed selection
	for _, text := range texts {
		spec, err := parsePathspec(top, prefix, text)
		if err != nil {
			return selection{}, err
		}
		if spec.exclude {
			parsed.exclude = append(parsed.exclude, spec)
		} else {
			parsed.include = append(parsed.include, spec)
		}
	}
	if len(parsed.include) == 0 {
		parsed.include = []pathspec{{}}
	}
	return parsed, nil
}

// prefixOf is cwd relative to top, with a slash at its end, or empty.
func prefixOf(top, cwd string) (string, error) {
	if !within(top, cwd) {
		return "", ErrPathspecUnknown
	}
	relative, err := filepath.Rel(top, cwd)
	if err != nil {
		return "", ErrPathspecUnknown
	}
	if relative == "." {
		return "", nil
	}
	return filepath.ToSlash(relative) + "/", nil
}

func parsePathspec(top, prefix, text string) (pathspec, error) {
	exclude, fromTop, rest, err := pathspecMagic(text)
	if err != nil || strings.Contains(rest, "\x00") {
		return pathspec{}, ErrPathspecUnknown
	}
	if fromTop {
		prefix = ""
	}
	if rest == "" && !fromTop && !exclude {
		return pathspec{}, ErrPathspecUnknown
	}
	pattern, literal, err := anchor(top, prefix, rest)
	if err != nil {
		return pathspec{}, err
	}
	if err := checkPattern(pattern[literal:]); err != nil {
		return pathspec{}, err
	}
	return pathspec{pattern: pattern, literal: max(literal, plainLength(pattern)), exclude: exclude}, nil
}

// pathspecMagic splits off ":!", ":^", ":/", ":(exclude)" and ":(top)".
func pathspecMagic(text string) (exclude, top bool, rest string, err error) {
	rest, magic := strings.CutPrefix(text, ":")
	if !magic {
		return false, false, text, nil
	}
	if long, ok := strings.CutPrefix(rest, "("); ok {
		words, after, closed := strings.Cut(long, ")")
		if !closed {
			return false, false, "", ErrPathspecUnknown
		}
		for word := range strings.SplitSeq(words, ",") {
			switch word {
			case "exclude":
				exclude = true
			case "top":
				top = true
			default:
				return false, false, "", ErrPathspecUnknown
			}
		}
		return exclude, top, after, nil
	}
	return shortMagic(rest)
}

func shortMagic(rest string) (exclude, top bool, _ string, _ error) {
	for rest != "" {
		switch rest[0] {
		case '!', '^':
			exclude = true
		case '/':
			top = true
		case ':':
			return exclude, top, rest[1:], nil
		default:
			if !exclude && !top || !plainStart(rest[0]) {
				return false, false, "", ErrPathspecUnknown
			}
			return exclude, top, rest, nil
		}
		rest = rest[1:]
	}
	return exclude, top, "", nil
}

// plainStart reports bytes that git does not reserve for magic to come.
func plainStart(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte("._*?[\\", c) >= 0
}

// anchor makes a pattern relative to top and drops "." and ".." as git does,
// keeping a slash at the end. literal counts what came from the prefix.
func anchor(top, prefix, text string) (pattern string, literal int, err error) {
	joined := prefix + text
	literal = len(prefix)
	if filepath.IsAbs(text) {
		if !within(top, text) {
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

func (s selection) selects(path []byte) bool {
	name := string(path)
	for _, spec := range s.exclude {
		if spec.matches(name) {
			return false
		}
	}
	for _, spec := range s.include {
		if spec.matches(name) {
			return true
		}
	}
	return false
}

func (s pathspec) matches(name string) bool {
	if rest, ok := strings.CutPrefix(name, s.pattern); ok {
		if rest == "" || s.pattern == "" || strings.HasSuffix(s.pattern, "/") || rest[0] == '/' {
			return true
		}
	}
	if s.literal >= len(s.pattern) || !strings.HasPrefix(name, s.pattern[:s.literal]) {
		return false
	}
	return wildMatch(s.pattern[s.literal:], name[s.literal:])
}
