package extract

import (
	"os"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// scope says in which space of the session a path lies.
type scope struct {
	view      *disk.View
	lists     *lists.Lists
	sensitive *sensitiveRoots
	grants    *grants
	scratch   *scratch
	repos     *repositories
	roots     []paths.Root
	stage     rootStage // which roots were looked up
}

// surroundings resolves the roots and the working directory (V4, P14).
func (e *extraction) surroundings(grants []v1.PathGrant) {
	s := &e.facts.call.Session
	e.grants.list, e.scope.roots = grants, e.roots[:0]
	var linked []linkedRoot
	add := func(dir, space string) {
		if e.moved(dir) {
			return
		}
		if links := e.scope.root(dir, space); len(links) > 0 {
			linked = append(linked, linkedRoot{e.scope.roots[len(e.scope.roots)-1], links})
		}
	}
	add(s.SessionDir, v1.SpaceSession)
	add(s.ProjectDir, v1.SpaceProject)
	for _, dir := range s.ExtraDirs {
		add(dir, v1.SpaceProject)
	}
	e.scope.dropSwapped(linked)
	for _, dir := range []*string{&e.facts.Session.ProjectDir, &e.facts.Session.SessionDir} {
		if resolved, err := e.view.Resolver.Resolve(*dir); err == nil {
			*dir = resolved.Real
		}
	}
	for _, dir := range []string{e.facts.call.Cwd, s.ProjectDir, s.SessionDir} {
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
func (s *scope) Spelled(real string) string {
	for i := range s.roots {
		if spelled, ok := s.sameRoot(real, s.roots[i].Real); ok {
			return spelled
		}
	}
	for i := range s.grants.list {
		if spelled, ok := s.sameRoot(real, s.grants.list[i].Root); ok {
			return spelled
		}
	}
	return real
}

// OwnRoots implements Session.
func (s *scope) OwnRoots() []string {
	var own []string
	for _, root := range s.roots {
		if isOwn(root.Space) {
			own = append(own, root.Real)
		}
	}
	return own
}

// sameRoot spells the part of real that is root in another spelling as root
// does. Whether the two are one is asked of the disk, where it can be.
func (s *scope) sameRoot(real, root string) (string, bool) {
	if paths.Within(real, root) || !s.view.Resolver.Names.Within(real, root) {
		return "", false
	}
	end := len(real)
	for range paths.Depth(real) - paths.Depth(root) {
		end = strings.LastIndexByte(real[:end], '/')
	}
	prefix, errPrefix := s.view.Stat(real[:end])
	itself, errRoot := s.view.Stat(root)
	unseen := errPrefix != nil && errRoot != nil && s.view.Windows
	if !unseen && (errPrefix != nil || errRoot != nil || !os.SameFile(prefix, itself)) {
		return "", false
	}
	return root + real[end:], true
}

// spaceOf says where what a path leads to lies.
func (s *scope) spaceOf(resolved *paths.Resolved) string {
	switch {
	case s.view.Hidden(resolved):
		return v1.SpaceUnknown
	case resolved.ViaProc:
		return v1.SpaceOutside // links below /proc are those of the sidecar's process, not the agent's
	}
	return s.space(resolved.Real)
}

// spaceFor is spaceOf for one operation: the repository around the project, and what a
// person let be read, are for reading. To everything else they lie outside.
func (s *scope) spaceFor(op string, resolved *paths.Resolved) string {
	space := s.spaceOf(resolved)
	if op == v1.OpRead || op == v1.OpList {
		return space
	}
	if space == v1.SpaceRepository || space == v1.SpaceGrantRead && s.grants.grantOf(resolved.Real).Mode == v1.GrantReading {
		return v1.SpaceOutside
	}
	return space
}

// space says where a real path lies. The workspace beats a grant, and a grant
// beats the places that are read without a question, which are looked up only
// when nothing else holds the path.
func (s *scope) space(real string) string {
	space := paths.Space(real, s.roots)
	if space == v1.SpaceSession || space == v1.SpaceProject {
		return space
	}
	if granted := s.grants.grantedSpace(real); granted != "" {
		return granted
	}
	switch space {
	case v1.SpaceRepository:
		return s.spaceAround(real)
	case v1.SpaceOutside:
	default:
		return space
	}
	needed := rootsToRead
	if s.aroundProject(real) {
		needed = rootsWithRepositories
	}
	if s.stage >= needed {
		return space
	}
	s.addRoots(needed)
	if space = paths.Space(real, s.roots); space == v1.SpaceRepository {
		return s.spaceAround(real)
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
func (s *scope) addRoots(needed rootStage) {
	if s.stage < rootsToRead {
		s.stage = rootsToRead
		s.addReadAlso()
	}
	if s.stage < needed {
		s.stage = rootsWithRepositories
		s.addRepositories()
	}
}

// addReadAlso adds the places that are read without a question.
func (s *scope) addReadAlso() {
	owner := s.scratch.homeOwner()
	for _, dir := range s.lists.ReadAlso {
		if strings.Contains(dir, userMark) {
			s.scratch.addScratchRoot(dir, owner, v1.SpaceReadAlso)
			continue
		}
		s.root(s.view.ExpandHome(dir), v1.SpaceReadAlso)
	}
	s.scratch.addScratch(owner)
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

// root adds a directory to what gives paths a space. A sensitive directory
// gives none, whoever names it (P6), and neither does one that can't be seen. It
// returns the links on the way to one that was added.
func (s *scope) root(dir, space string) []string {
	if dir == "" {
		return nil
	}
	resolved, err := s.view.Resolver.Resolve(dir)
	if err != nil || resolved.ViaProc || s.view.Hidden(&resolved) {
		return nil
	}
	if space == v1.SpaceReadAlso {
		if s.sensitive.holdsSensitive(resolved.Real) || len(resolved.Links) > 0 && s.view.Home != "" && paths.Within(dir, s.view.Home) {
			return nil // a link in a home is not what the operator listed (P3)
		}
	} else if s.sensitive.sensitiveRoot(resolved.Real) {
		return nil
	}
	s.roots = append(s.roots, paths.Root{Real: resolved.Real, Space: space})
	return resolved.Links
}

// projects are the project directories of the session.
func (s *scope) projects() []string {
	var out []string
	for i := range s.roots {
		if s.roots[i].Space == v1.SpaceProject {
			out = append(out, s.roots[i].Real)
		}
	}
	return out
}

// leadsToOwnRoot reports whether a directory is one of the session's own roots or holds one:
// whoever may enter the root may pass through it.
func (s *scope) leadsToOwnRoot(dir string) bool {
	return slices.ContainsFunc(s.roots, func(root paths.Root) bool { return isOwn(root.Space) && paths.Within(root.Real, dir) })
}

// shown reports whether what lies at a real path is the session's to see: it is in one of its
// own roots, or in a grant.
func (s *scope) shown(path string) bool {
	return s.ownRoot(path) != "" || s.grants.grantOf(path) != nil
}

// ownRoot is the project or session directory that holds a path.
func (s *scope) ownRoot(path string) string {
	for _, root := range s.roots {
		if isOwn(root.Space) && paths.Within(path, root.Real) {
			return root.Real
		}
	}
	return ""
}

// aroundProject reports whether a repository may hold both a real path and one of the
// project's directories that isn't a repository itself.
func (s *scope) aroundProject(real string) bool {
	if s.view.Windows {
		return false
	}
	for i := range s.roots {
		if s.roots[i].Space == v1.SpaceProject && s.around(s.roots[i].Real, real) {
			return true
		}
	}
	return false
}

func (s *scope) around(root, real string) bool {
	for at := root; paths.Depth(at) >= 2; at = paths.Parent(at) {
		if s.view.IsThere(at, gitEntry) {
			return at != root && paths.Within(real, at)
		}
	}
	return false
}

// addRepositories adds the work trees that the project's directories lie in.
// It is the directory that holds .git: another work tree of the same repository is no part
// of it, and neither are repositories inside. What no session may work in (P6), and what is shallow, gives no space.
func (s *scope) addRepositories() {
	for _, root := range s.roots {
		if root.Space != v1.SpaceProject {
			continue
		}
		verdict := s.repos.inspectAnywhere(root.Real, "rev-parse")
		if verdict.Trusted && verdict.Above && paths.Depth(verdict.Top) >= 2 && !s.sensitive.sensitiveRoot(verdict.Top) {
			s.roots = append(s.roots, paths.Root{Real: verdict.Top, Space: v1.SpaceRepository})
		}
	}
}

// spaceAround is the space of a path that lies in no other than the repository around the
// project, outside if it lies in another repository inside.
func (s *scope) spaceAround(real string) string {
	for at := real; ; at = paths.Parent(at) {
		for i := range s.roots {
			if s.roots[i].Space == v1.SpaceRepository && s.roots[i].Real == at {
				return v1.SpaceRepository
			}
		}
		if at == "/" || s.view.IsThere(at, gitEntry) {
			return v1.SpaceOutside
		}
	}
}

// dropSwapped takes back the space of roots that are reached over a link that
// lies in another root, or in a grant to write: whoever works there can point
// it elsewhere, and would move the workspace with it. A link that lies outside
// (/home/dev/current, /tmp on macOS) is as good as what it leads to.
func (s *scope) dropSwapped(linked []linkedRoot) {
	var swapped []paths.Root
	for _, candidate := range linked {
		if slices.ContainsFunc(candidate.links, s.writable) {
			swapped = append(swapped, candidate.root)
		}
	}
	if len(swapped) == 0 {
		return
	}
	// One directory may be a root twice, by its own name and over a link.
	for _, root := range swapped {
		if i := slices.Index(s.roots, root); i >= 0 {
			s.roots = slices.Delete(s.roots, i, i+1)
		}
	}
}

// writable reports whether a link lies where the session may write. That it may
// lie in what it leads to makes no difference: it then leads up.
func (s *scope) writable(link string) bool {
	for _, root := range s.roots {
		if s.view.Resolver.Names.Within(link, root.Real) {
			return true
		}
	}
	for i := range s.grants.list {
		grant := &s.grants.list[i]
		if grant.Mode == v1.GrantReadWrite && s.view.Resolver.Names.Within(link, grant.Root) {
			return true
		}
	}
	return false
}

// linkedRoot is a root of the session that is reached over symbolic links.
type linkedRoot struct {
	root  paths.Root
	links []string
}

// moved reports whether a directory of the session, which was kept by its real
// path, leads elsewhere by now: somebody has put a link in its place, and it
// gives no space then.
func (e *extraction) moved(dir string) bool {
	if !e.facts.call.Session.Resolved || dir == "" {
		return false
	}
	resolved, err := e.view.Resolver.Resolve(dir)
	return err != nil || resolved.Real != dir
}
