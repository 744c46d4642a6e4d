package scope

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
	"policyd/extract/stat"
)

// Grants are the path grants of the session.
type Grants struct {
	Sensitive *SensitiveRoots
	List      []v1.PathGrant
	known     map[string]bool // whether the root of a grant gives a space, once asked
}

// GrantedSpace is the space that a grant gives a path, or "".
func (g *Grants) GrantedSpace(real string) string {
	grant := g.grantOf(real)
	switch {
	case grant == nil:
		return ""
	case grant.Mode == v1.GrantReadWrite:
		return v1.SpaceGrantReadWrite
	}
	return v1.SpaceGrantRead
}

// grantOf is the longest grant that holds a path, nil for none. Of two grants for one root
// the narrower decides, and what a person let be read counts only where there is no other.
// There may be many grants, so their names are compared first, and only a root that holds
// the path is looked at.
func (g *Grants) grantOf(real string) *v1.PathGrant {
	var best *v1.PathGrant
	for i := range g.List {
		if grant := &g.List[i]; g.holds(grant.Root, real) && (best == nil || outweighs(grant, best)) && g.gives(grant.Root) {
			best = grant
		}
	}
	return best
}

// holds reports whether a path is the root of a grant or lies below it. A file of data is granted alone: what lies below
// a directory that took its place isn't. The files of a directory for temporary files are granted without the directories
// beside them.
func (g *Grants) holds(root, real string) bool {
	if g.Sensitive.Policy.Lists.TemporaryFiles(root) == root {
		found, err := g.Sensitive.View.Stamp(real)
		file := err == nil && found.Kind == stat.File && found.Names <= 1 // one with another name may be a secret by that
		return g.Sensitive.Policy.Lists.TemporaryFiles(real) == root && (stat.Missing(err) || file)
	}
	return real == root || paths.Within(real, root) && !g.Sensitive.Policy.Lists.DataFile(root)
}

// gives reports whether the root of a grant is no sensitive place by now. It
// holds a real path, so no link leads to it.
func (g *Grants) gives(root string) bool {
	if known, ok := g.known[root]; ok {
		return known
	}
	gives := !g.Sensitive.SensitiveRoot(root)
	if g.known == nil {
		g.known = make(map[string]bool, 4)
	}
	g.known[root] = gives
	return gives
}

// Apart reports whether a path is one of a directory for temporary files that holds neither the session's directories nor
// its working directory: no program takes settings from there that isn't told to.
func (g *Grants) Apart(real, cwd string, roots []paths.Root) bool {
	dir := paths.Parent(real)
	beside := func(root paths.Root) bool { return paths.Within(root.Real, dir) }
	return g.Sensitive.Policy.Lists.TemporaryFiles(real) != "" && !paths.Within(cwd, dir) && !slices.ContainsFunc(roots, beside)
}
