// Package scope says whose a path is: in which space of the session it lies, which directories may be no one's
// workspace, and which of the policy's lists it is on.
package scope

import (
	"os"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// Scope says in which space of the session a path lies.
type Scope struct {
	View      *disk.View
	Lists     *lists.Lists
	Sensitive *SensitiveRoots
	Grants    *Grants
	Scratch   *Scratch
	Repos     *Repositories
	Roots     []paths.Root
	stage     RootStage // which roots were looked up
	room      [4]paths.Root
}

// Begin sets what gives paths a space: the directories of the session, and its grants.
func (s *Scope) Begin(session *v1.Session, grants []v1.PathGrant) {
	s.Grants.List, s.Roots = grants, s.room[:0]
	var linked []linkedRoot
	add := func(dir, space string) {
		if session.Resolved && s.View.Moved(dir) {
			return
		}
		if links := s.root(dir, space); len(links) > 0 {
			linked = append(linked, linkedRoot{s.Roots[len(s.Roots)-1], links})
		}
	}
	add(session.SessionDir, v1.SpaceSession)
	add(session.ProjectDir, v1.SpaceProject)
	for _, dir := range session.ExtraDirs {
		add(dir, v1.SpaceProject)
	}
	s.dropSwapped(linked)
}

// Spelled implements Session.
func (s *Scope) Spelled(real string) string {
	for i := range s.Roots {
		if spelled, ok := sameRoot(s.View, real, s.Roots[i].Real); ok {
			return spelled
		}
	}
	for i := range s.Grants.List {
		if spelled, ok := sameRoot(s.View, real, s.Grants.List[i].Root); ok {
			return spelled
		}
	}
	return real
}

// OwnRoots implements Session.
func (s *Scope) OwnRoots() []string {
	var own []string
	for _, root := range s.Roots {
		if IsOwn(root.Space) {
			own = append(own, root.Real)
		}
	}
	return own
}

// sameRoot spells the part of real that is root in another spelling as root
// does. Whether the two are one is asked of the disk, where it can be.
func sameRoot(view *disk.View, real, root string) (string, bool) {
	if paths.Within(real, root) || !view.Resolver.Names.Within(real, root) {
		return "", false
	}
	end := len(real)
	for range paths.Depth(real) - paths.Depth(root) {
		end = strings.LastIndexByte(real[:end], '/')
	}
	prefix, errPrefix := view.Stat(real[:end])
	itself, errRoot := view.Stat(root)
	unseen := errPrefix != nil && errRoot != nil && view.Windows
	if !unseen && (errPrefix != nil || errRoot != nil || !os.SameFile(prefix, itself)) {
		return "", false
	}
	return root + real[end:], true
}

// SpaceOf says where what a path leads to lies.
func (s *Scope) SpaceOf(resolved *paths.Resolved) string {
	switch {
	case s.View.Hidden(resolved):
		return v1.SpaceUnknown
	case resolved.ViaProc:
		return v1.SpaceOutside // links below /proc are those of the sidecar's process, not the agent's
	}
	return s.Space(resolved.Real)
}

// Outside reports whether what a path leads to lies in no space.
func (s *Scope) Outside(resolved *paths.Resolved) bool { return s.SpaceOf(resolved) == v1.SpaceOutside }

// SpaceFor is the space of a path for one operation: the repository around the project, and what a
// person let be read, are for reading. To everything else they lie outside.
func (s *Scope) SpaceFor(op string, resolved *paths.Resolved) string {
	space := s.SpaceOf(resolved)
	if op == v1.OpRead || op == v1.OpList {
		return space
	}
	if space == v1.SpaceRepository || space == v1.SpaceGrantRead && s.Grants.grantOf(resolved.Real).Mode == v1.GrantReading {
		return v1.SpaceOutside
	}
	return space
}

// Space says where a real path lies. The workspace beats a grant, and a grant
// beats the places that are read without a question, which are looked up only
// when nothing else holds the path.
func (s *Scope) Space(real string) string {
	space := paths.Space(real, s.Roots)
	if space == v1.SpaceSession || space == v1.SpaceProject {
		return space
	}
	if granted := s.Grants.GrantedSpace(real); granted != "" {
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
		needed = RootsWithRepositories
	}
	if s.stage >= needed {
		return space
	}
	s.AddRoots(needed)
	if space = paths.Space(real, s.Roots); space == v1.SpaceRepository {
		return s.spaceAround(real)
	}
	return space
}

// RootStage is which roots a call has: some are looked up only when a path lies in no other.
type RootStage uint8

// Stages of roots. Each has the roots of those before it; the zero value has those of the session.
const (
	// rootsToRead has the places of scope.read_also and the scratch directories of clients.
	rootsToRead RootStage = iota + 1
	// RootsWithRepositories has the repositories that project directories lie in.
	RootsWithRepositories
)

// AddRoots looks up the roots up to a stage, each once per call.
func (s *Scope) AddRoots(needed RootStage) {
	if s.stage < rootsToRead {
		s.stage = rootsToRead
		s.addReadAlso()
	}
	if s.stage < needed {
		s.stage = RootsWithRepositories
		s.addRepositories()
	}
}

// addReadAlso adds the places that are read without a question.
func (s *Scope) addReadAlso() {
	owner := s.Scratch.homeOwner()
	for _, dir := range s.Lists.ReadAlso {
		if strings.Contains(dir, userMark) {
			s.Scratch.addScratchRoot(dir, owner, v1.SpaceReadAlso)
			continue
		}
		s.root(s.View.ExpandHome(dir), v1.SpaceReadAlso)
	}
	s.Scratch.addScratch(owner)
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
func (s *Scope) root(dir, space string) []string {
	if dir == "" {
		return nil
	}
	resolved, err := s.View.Resolver.Resolve(dir)
	if err != nil || resolved.ViaProc || s.View.Hidden(&resolved) {
		return nil
	}
	if space == v1.SpaceReadAlso {
		if s.Sensitive.holdsSensitive(resolved.Real) || len(resolved.Links) > 0 && s.View.Home != "" && paths.Within(dir, s.View.Home) {
			return nil // a link in a home is not what the operator listed (P3)
		}
	} else if s.Sensitive.SensitiveRoot(resolved.Real) {
		return nil
	}
	s.Roots = append(s.Roots, paths.Root{Real: resolved.Real, Space: space})
	return resolved.Links
}

// projects are the project directories of the session.
func (s *Scope) projects() []string {
	var out []string
	for i := range s.Roots {
		if s.Roots[i].Space == v1.SpaceProject {
			out = append(out, s.Roots[i].Real)
		}
	}
	return out
}

// leadsToOwnRoot reports whether a directory is one of the session's own roots or holds one:
// whoever may enter the root may pass through it.
func (s *Scope) leadsToOwnRoot(dir string) bool {
	return slices.ContainsFunc(s.Roots, func(root paths.Root) bool { return IsOwn(root.Space) && paths.Within(root.Real, dir) })
}

// shown reports whether what lies at a real path is the session's to see: it is in one of its
// own roots, or in a grant.
func (s *Scope) shown(path string) bool {
	return s.OwnRoot(path) != "" || s.Grants.grantOf(path) != nil
}

// OwnRoot is the project or session directory that holds a path.
func (s *Scope) OwnRoot(path string) string {
	for _, root := range s.Roots {
		if IsOwn(root.Space) && paths.Within(path, root.Real) {
			return root.Real
		}
	}
	return ""
}

// aroundProject reports whether a repository may hold both a real path and one of the
// project's directories that isn't a repository itself.
func (s *Scope) aroundProject(real string) bool {
	if s.View.Windows {
		return false
	}
	for i := range s.Roots {
		if s.Roots[i].Space == v1.SpaceProject && s.around(s.Roots[i].Real, real) {
			return true
		}
	}
	return false
}

func (s *Scope) around(root, real string) bool {
	for at := root; paths.Depth(at) >= 2; at = paths.Parent(at) {
		if s.View.IsThere(at, gitEntry) {
			return at != root && paths.Within(real, at)
		}
	}
	return false
}

// addRepositories adds the work trees that the project's directories lie in.
// It is the directory that holds .git: another work tree of the same repository is no part
// of it, and neither are repositories inside. What no session may work in (P6), and what is shallow, gives no space.
func (s *Scope) addRepositories() {
	for _, root := range s.Roots {
		if root.Space != v1.SpaceProject {
			continue
		}
		verdict := s.Repos.InspectAnywhere(root.Real, "rev-parse")
		if verdict.Trusted && verdict.Above && paths.Depth(verdict.Top) >= 2 && !s.Sensitive.SensitiveRoot(verdict.Top) {
			s.Roots = append(s.Roots, paths.Root{Real: verdict.Top, Space: v1.SpaceRepository})
		}
	}
}

// spaceAround is the space of a path that lies in no other than the repository around the
// project, outside if it lies in another repository inside.
func (s *Scope) spaceAround(real string) string {
	for at := real; ; at = paths.Parent(at) {
		for i := range s.Roots {
			if s.Roots[i].Space == v1.SpaceRepository && s.Roots[i].Real == at {
				return v1.SpaceRepository
			}
		}
		if at == "/" || s.View.IsThere(at, gitEntry) {
			return v1.SpaceOutside
		}
	}
}

// dropSwapped takes back the space of roots that are reached over a link that
// lies in another root, or in a grant to write: whoever works there can point
// it elsewhere, and would move the workspace with it. A link that lies outside
// (/home/dev/current, /tmp on macOS) is as good as what it leads to.
func (s *Scope) dropSwapped(linked []linkedRoot) {
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
		if i := slices.Index(s.Roots, root); i >= 0 {
			s.Roots = slices.Delete(s.Roots, i, i+1)
		}
	}
}

// writable reports whether a link lies where the session may write. That it may
// lie in what it leads to makes no difference: it then leads up.
func (s *Scope) writable(link string) bool {
	for _, root := range s.Roots {
		if s.View.Resolver.Names.Within(link, root.Real) {
			return true
		}
	}
	for i := range s.Grants.List {
		grant := &s.Grants.List[i]
		if grant.Mode == v1.GrantReadWrite && s.View.Resolver.Names.Within(link, grant.Root) {
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
