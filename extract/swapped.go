package extract

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
)

// linkedRoot is a root of the session that is reached over symbolic links.
type linkedRoot struct {
	root  paths.Root
	links []string
}

// dropSwapped takes back the space of roots that are reached over a link that
// lies in another root, or in a grant to write: whoever works there can point
// it elsewhere, and would move the workspace with it. A link that lies outside
// (/home/dev/current, /tmp on macOS) is as good as what it leads to.
func (e *extraction) dropSwapped(linked []linkedRoot) {
	var swapped []paths.Root
	for _, candidate := range linked {
		if slices.ContainsFunc(candidate.links, e.writable) {
			swapped = append(swapped, candidate.root)
		}
	}
	if len(swapped) == 0 {
		return
	}
	// One directory may be a root twice, by its own name and over a link.
	for _, root := range swapped {
		if i := slices.Index(e.roots, root); i >= 0 {
			e.roots = slices.Delete(e.roots, i, i+1)
		}
	}
}

// writable reports whether a link lies where the session may write. That it may
// lie in what it leads to makes no difference: it then leads up.
func (e *extraction) writable(link string) bool {
	for _, root := range e.roots {
		if e.view.Resolver.Names.Within(link, root.Real) {
			return true
		}
	}
	for i := range e.grants {
		grant := &e.grants[i]
		if grant.Mode == v1.GrantReadWrite && e.view.Resolver.Names.Within(link, grant.Root) {
			return true
		}
	}
	return false
}
