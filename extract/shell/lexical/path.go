package lexical

import (
	"bytes"
	"strings"
)

// Climbs reports whether a path can lead to a directory above the one that it counts from.
func Climbs(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == ".." {
			return true
		}
	}
	return false
}

// CleanPath removes empty, "." and ".." segments of an absolute path.
func CleanPath(path string) string {
	if isClean(path) {
		return path
	}
	segments := make([]string, 0, 8)
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "", ".":
		case "..":
			if len(segments) > 0 {
				segments = segments[:len(segments)-1]
			}
		default:
			segments = append(segments, segment)
		}
	}
	return "/" + strings.Join(segments, "/")
}

func isClean(path string) bool {
	rest, rooted := strings.CutPrefix(path, "/")
	if !rooted {
		return false
	}
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return path == "/"
		}
	}
	return true
}

// LeftByDots lists the cleaned directories before each ".." of an absolute path, once if several
// ".." in a row leave the same one.
func LeftByDots(path string) []string {
	var out []string
	clean := make([]byte, 0, 256)
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "", ".":
		case "..":
			dir := clean
			if len(dir) == 0 {
				dir = []byte{'/'}
			}
			if last := len(out) - 1; last < 0 || out[last] != string(dir) {
				out = append(out, string(dir))
			}
			clean = clean[:max(bytes.LastIndexByte(clean, '/'), 0)]
		default:
			clean = append(append(clean, '/'), segment...)
		}
	}
	return out
}

// Dirname is what dirname(1) prints. Unlike the package path it removes trailing slashes first.
func Dirname(name string) string {
	trimmed := strings.TrimRight(name, "/")
	end := strings.LastIndexByte(trimmed, '/')
	switch {
	case trimmed == "" || end >= 0 && strings.Trim(trimmed[:end], "/") == "":
		return "/"
	case end < 0:
		return "."
	}
	return strings.TrimRight(trimmed[:end], "/")
}
