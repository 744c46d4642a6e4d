package extract

import (
	"os"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// surroundings resolves the roots and the working directory (V4, P14).
func (e *extraction) surroundings(grants []v1.PathGrant) {
	s := &e.call.Session
	e.grants, e.roots = grants, e.work.roots[:0]
	var linked []linkedRoot
	add := func(dir, space string) {
		if e.moved(dir) {
			return
		}
		if links := e.root(dir, space); len(links) > 0 {
			linked = append(linked, linkedRoot{e.roots[len(e.roots)-1], links})
		}
	}
	add(s.SessionDir, v1.SpaceSession)
	add(s.ProjectDir, v1.SpaceProject)
	for _, dir := range s.ExtraDirs {
		add(dir, v1.SpaceProject)
	}
	e.dropSwapped(linked)
	for _, dir := range []*string{&e.facts.Session.ProjectDir, &e.facts.Session.SessionDir} {
		if resolved, err := e.view.Resolver.Resolve(*dir); err == nil {
			*dir = resolved.Real
		}
	}
	for _, dir := range []string{e.call.Cwd, s.ProjectDir, s.SessionDir} {
		if dir == "" {
			continue
		}
		if resolved, err := e.view.Resolve(dir); err == nil {
			e.facts.Cwd = resolved.Real
		}
		return
	}
}

// Spelled implements Session.
func (e *extraction) Spelled(real string) string {
	for i := range e.roots {
		if spelled, ok := e.sameRoot(real, e.roots[i].Real); ok {
			return spelled
		}
	}
	for i := range e.grants {
		if spelled, ok := e.sameRoot(real, e.grants[i].Root); ok {
			return spelled
		}
	}
	return real
}

// OwnRoots implements Session.
func (e *extraction) OwnRoots() []string {
	var own []string
	for _, root := range e.roots {
		if isOwn(root.Space) {
			own = append(own, root.Real)
		}
	}
	return own
}

// sameRoot spells the part of real that is root in another spelling as root
// does. Whether the two are one is asked of the disk, where it can be.
func (e *extraction) sameRoot(real, root string) (string, bool) {
	if paths.Within(real, root) || !e.view.Resolver.Names.Within(real, root) {
		return "", false
	}
	end := len(real)
	for range paths.Depth(real) - paths.Depth(root) {
		end = strings.LastIndexByte(real[:end], '/')
	}
	prefix, errPrefix := e.view.Stat(real[:end])
	itself, errRoot := e.view.Stat(root)
	unseen := errPrefix != nil && errRoot != nil && e.view.Windows
	if !unseen && (errPrefix != nil || errRoot != nil || !os.SameFile(prefix, itself)) {
		return "", false
	}
	return root + real[end:], true
}

// spaceOf says where what a path leads to lies.
func (e *extraction) spaceOf(resolved *paths.Resolved) string {
	switch {
	case e.view.Hidden(resolved):
		return v1.SpaceUnknown
	case resolved.ViaProc:
		return v1.SpaceOutside // links below /proc are those of the sidecar's process, not the agent's
	}
	return e.space(resolved.Real)
}

// spaceFor is spaceOf for one operation: the repository around the project, and what a
// person let be read, are for reading. To everything else they lie outside.
func (e *extraction) spaceFor(op string, resolved *paths.Resolved) string {
	space := e.spaceOf(resolved)
	if op == v1.OpRead || op == v1.OpList {
		return space
	}
	if space == v1.SpaceRepository || space == v1.SpaceGrantRead && e.grantOf(resolved.Real).Mode == v1.GrantReading {
		return v1.SpaceOutside
	}
	return space
}

// space says where a real path lies. The workspace beats a grant, and a grant
// beats the places that are read without a question, which are looked up only
// when nothing else holds the path.
func (e *extraction) space(real string) string {
	space := paths.Space(real, e.roots)
	if space == v1.SpaceSession || space == v1.SpaceProject {
		return space
	}
	if granted := e.grantedSpace(real); granted != "" {
		return granted
	}
	switch space {
	case v1.SpaceRepository:
		return e.spaceAround(real)
	case v1.SpaceOutside:
	default:
		return space
	}
	needed := rootsToRead
	if e.aroundProject(real) {
		needed = rootsWithRepositories
	}
	if e.rootStage >= needed {
		return space
	}
	e.addRoots(needed)
	if space = paths.Space(real, e.roots); space == v1.SpaceRepository {
		return e.spaceAround(real)
	}
	return space
}

// rootStage is which roots a call has: some are looked up only when a path lies in no other.
type rootStage uint8

// Stages of roots. Each has the roots of those before it; the zero value has those of the session.
const (
	// rootsToRead has the places of scope.read_also and the scratch directories of clients.
	rootsToRead rootStage = iota + 1
	// rootsWithRepositories has the repositories that project directories lie in.
	rootsWithRepositories
)

// addRoots looks up the roots up to a stage, each once per call.
func (e *extraction) addRoots(needed rootStage) {
	if e.rootStage < rootsToRead {
		e.rootStage = rootsToRead
		e.addReadAlso()
	}
	if e.rootStage < needed {
		e.rootStage = rootsWithRepositories
		e.addRepositories()
	}
}

// addReadAlso adds the places that are read without a question.
func (e *extraction) addReadAlso() {
	owner := e.homeOwner()
	for _, dir := range e.x.lists.ReadAlso {
		if strings.Contains(dir, userMark) {
			e.addScratchRoot(dir, owner, v1.SpaceReadAlso)
			continue
		}
		e.root(e.view.ExpandHome(dir), v1.SpaceReadAlso)
	}
	e.addScratch(owner)
}

// grantedSpace is the space that a grant gives a path, or "".
func (e *extraction) grantedSpace(real string) string {
	grant := e.grantOf(real)
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
func (e *extraction) grantOf(real string) *v1.PathGrant {
	var best *v1.PathGrant
	for i := range e.grants {
		if grant := &e.grants[i]; paths.Within(real, grant.Root) && (best == nil || outweighs(grant, best)) && e.gives(grant.Root) {
			best = grant
		}
	}
	return best
}

func outweighs(grant, other *v1.PathGrant) bool {
	switch {
	case grant.Mode == v1.GrantReading || other.Mode == v1.GrantReading:
		return grant.Mode != v1.GrantReading
	case grant.Root == other.Root:
		return grant.Mode != v1.GrantReadWrite
	}
	return len(grant.Root) > len(other.Root)
}

// gives reports whether the root of a grant is no sensitive place by now. It
// holds a real path, so no link leads to it.
func (e *extraction) gives(root string) bool {
	if known, ok := e.granted[root]; ok {
		return known
	}
	gives := !e.sensitiveRoot(root)
	if e.granted == nil {
		e.granted = make(map[string]bool, 4)
	}
	e.granted[root] = gives
	return gives
}

// root adds a directory to what gives paths a space. A sensitive directory
// gives none, whoever names it (P6), and neither does one that can't be seen. It
// returns the links on the way to one that was added.
func (e *extraction) root(dir, space string) []string {
	if dir == "" {
		return nil
	}
	resolved, err := e.view.Resolver.Resolve(dir)
	if err != nil || resolved.ViaProc || e.view.Hidden(&resolved) {
		return nil
	}
	if space == v1.SpaceReadAlso {
		if e.holdsSensitive(resolved.Real) || len(resolved.Links) > 0 && e.view.Home != "" && paths.Within(dir, e.view.Home) {
			return nil // a link in a home is not what the operator listed (P3)
		}
	} else if e.sensitiveRoot(resolved.Real) {
		return nil
	}
	e.roots = append(e.roots, paths.Root{Real: resolved.Real, Space: space})
	return resolved.Links
}

// sensitiveRoot reports whether a directory may be no one's workspace: it is a
// sensitive root, holds one, or lies in one that is not merely a home. With a
// path map it may be one neither by the agent's name nor by the sidecar's.
func (e *extraction) sensitiveRoot(real string) bool {
	if e.sensitiveByLists(real) || e.sensitiveByName(real, e.homeRoots()) {
		return true
	}
	if e.view.Resolver.Map == nil {
		return false
	}
	disk, visible := e.view.Resolver.Map.Sidecar(real)
	return visible && (e.sensitiveByName(disk, e.x.lists.Sidecar) || e.x.lists.SystemHomes.Sensitive(disk, paths.NamesExact))
}

// sensitiveByLists reports what can be told from a directory's name by lists that never
// change. Sessions have few directories, so it is remembered, but not what a path map says.
func (e *extraction) sensitiveByLists(real string) bool {
	place := rootName{real: real, home: e.view.Home, names: e.view.Resolver.Names, windows: e.view.Windows}
	if e.view.Resolver.Map == nil {
		if sensitive, known := e.x.rootNames.get(place); known {
			return sensitive
		}
	}
	sensitive := e.view.Windows && windowsSensitive(real) || e.sensitiveByName(real, e.x.lists.System) ||
		e.x.lists.SystemHomes.Sensitive(real, e.view.Resolver.Names, e.view.Home, e.x.options.Home) || e.ownPlace(real)
	if e.view.Resolver.Map == nil {
		e.x.rootNames.put(place, sensitive)
	}
	return sensitive
}

func (e *extraction) sensitiveByName(real string, entries []lists.Root) bool {
	names := e.view.Resolver.Names
	for i := range entries {
		entry := &entries[i]
		if names.Within(entry.Real, real) || !entry.Itself && names.Within(real, entry.Real) {
			return true
		}
	}
	return false
}

// ownPlace reports whether a path is policyd's own state, lies in it or holds it.
func (e *extraction) ownPlace(real string) bool {
	near := func(own string) bool { return paths.FoldedWithin(real, own) || paths.FoldedWithin(own, real) }
	if slices.ContainsFunc(e.x.own, near) {
		return true
	}
	disk, other := e.view.OtherName(real)
	return other && slices.ContainsFunc(e.x.own, func(own string) bool {
		return paths.FoldedWithin(disk, own) || paths.FoldedWithin(own, disk)
	})
}

// holdsSensitive reports whether a directory is a sensitive root or holds one.
func (e *extraction) holdsSensitive(real string) bool {
	holds := func(entry lists.Root) bool { return !entry.Itself && e.view.Resolver.Names.Within(entry.Real, real) }
	return real == "/" || slices.ContainsFunc(e.x.lists.System, holds) || slices.ContainsFunc(e.homeRoots(), holds)
}

// homeRoots are the sensitive roots of the homes, resolved once per call: of the
// home that the session claims and of the sidecar's own.
func (e *extraction) homeRoots() []lists.Root {
	if e.sensitives != nil {
		return e.sensitives
	}
	e.sensitives = e.work.sensitives[:0]
	own := e.x.options.Home
	e.addHome(own)
	if e.view.Home != own {
		e.addHome(e.view.Home)
	}
	return e.sensitives
}

func (e *extraction) addHome(home string) {
	if home == "" {
		return
	}
	e.sensitives = append(e.sensitives, e.sensitiveIn(home)...)
}
