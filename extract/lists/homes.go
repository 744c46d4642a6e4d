package lists

import (
	"slices"
	"strings"

	"policyd/extract/paths"
)

// systemHomes says where a system keeps homes, whoever's they are. A session
// that claims a home elsewhere doesn't make the others ordinary directories.
type systemHomes struct {
	// all are directories that hold nothing but homes, single are homes; resolved.
	all, single []string
	// whole are the directories of a home that are sensitive with all below,
	// itself those that only by themselves are: "/.ssh".
	whole, itself []string
}

// newSystemHomes reads entries such as "/home/*" and "/root".
func newSystemHomes(entries, whole, itself []string, pathMap paths.Map) systemHomes {
	resolver := paths.Resolver{Map: pathMap}
	var out systemHomes
	for _, entry := range entries {
		parent, all := strings.CutSuffix(entry, "/*")
		resolved, err := resolver.Resolve(parent)
		switch {
		case err != nil:
		case all:
			out.all = append(out.all, resolved.Real)
		default:
			out.single = append(out.single, resolved.Real)
		}
	}
	out.whole, out.itself = belowHome(whole), belowHome(itself)
	return out
}

// belowHome turns "~/.ssh" into "/.ssh". The home itself always counts.
func belowHome(entries []string) []string {
	var out []string
	for _, entry := range entries {
		if below := strings.TrimPrefix(entry, "~"); below != "" {
			out = append(out, below)
		}
	}
	return out
}

// Sensitive reports whether a path is a home, or a sensitive directory of one.
// Nothing is looked up: it is asked for every root of every call. More homes
// may be given, as they are known by name.
func (h *systemHomes) Sensitive(real string, names paths.Names, more ...string) bool {
	for _, parent := range h.all {
		if names.Within(real, parent) && h.inHome(real, paths.Depth(parent)+1, names) {
			return true
		}
	}
	in := func(home string) bool {
		return home != "" && names.Within(real, home) && h.inHome(real, paths.Depth(home), names)
	}
	return slices.ContainsFunc(h.single, in) || slices.ContainsFunc(more, in)
}

// inHome judges a path in a home whose name has the given number of segments.
func (h *systemHomes) inHome(real string, depth int, names paths.Names) bool {
	below := real
	for range depth {
		next := strings.IndexByte(below[min(1, len(below)):], '/')
		if next < 0 {
			return paths.Depth(real) == depth
		}
		below = below[next+1:]
	}
	for _, entry := range h.whole {
		if names.Within(below, entry) || names.Within(entry, below) {
			return true
		}
	}
	for _, entry := range h.itself {
		if names.Within(entry, below) {
			return true
		}
	}
	return false
}
