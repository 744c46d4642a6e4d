package patch

import (
	"slices"
	"strings"
)

// NamesOnly reports whether every file that a diff names is one of paths.
func NamesOnly(diff string, paths []string) bool {
	for line := range strings.SplitSeq(diff, "\n") {
		if name, found := diffName(line); found && !slices.ContainsFunc(paths, func(path string) bool { return sameFile(name, path) }) {
			return false
		}
	}
	return true
}

// diffName is what a line of a diff names, if it names a file. A line of contents
// that looks like one counts, too.
func diffName(line string) (string, bool) {
	for _, header := range [...]string{
		"--- ", "+++ ", "*** ", "Index: ", "rename from ", "rename to ", "copy from ", "copy to ",
	} {
		if rest, found := strings.CutPrefix(line, header); found {
			name, _, _ := strings.Cut(rest, "\t")
			return strings.TrimSpace(name), true
		}
	}
	return "", false
}

// sameFile reports whether a name in a diff is the path, no file, or either with
// git's prefix.
func sameFile(name, path string) bool {
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "a/"), "b/")
	return name == path || name == devNull || "/"+bare == devNull || bare == path || "/"+bare == path
}
