package scope

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/stat"
)

// Marks in the names of scratch directories.
const (
	// userMark is the number of the user whose home the session has.
	userMark = "{user}"
	// projectMark is the project's real path, with a dash for all but letters and digits.
	projectMark = "{project}"
	// sessionMark is the client's own id of the session.
	sessionMark = "{session}"
	// registeredMark is the name that Gemini's registry gives the project.
	registeredMark = "{registered}"
)

// registry is the file, in the home, in which Gemini keeps the names of projects.
const registry = "/.gemini/projects.json"

// Scratch finds the directories that the session's client makes for it.
type Scratch struct {
	View       *disk.View
	Policy     *Policy
	Session    *v1.SessionFacts
	Scope      *Scope
	Sensitive  *SensitiveRoots
	workspaces []string // those that the agent works in
}

// addScratch adds the scratch directories of the session's client. One counts only if it is
// there and nobody else could have made it, or could put something in it.
func (s *Scratch) addScratch(owner *uint32) {
	client, known := s.Policy.Clients[strings.ToLower(s.Session.Agent)]
	if !known {
		return
	}
	data := s.Policy.Lists.Scratch[client]
	for _, name := range data.Workspace {
		s.addScratchRoot(name, owner, v1.SpaceProject)
	}
	for _, name := range data.Read {
		s.addScratchRoot(name, owner, v1.SpaceReadAlso)
	}
}

// addScratchRoot adds one of them. It adds none if the owner of the home is nil.
func (s *Scratch) addScratchRoot(name string, owner *uint32, space string) {
	if owner == nil {
		return
	}
	dir := s.expand(name, *owner)
	if dir == "" {
		return
	}
	if itself, err := stat.Path(dir, false); err != nil || itself.Kind == stat.Link {
		return
	}
	resolved, err := s.View.Resolver.Resolve(dir)
	if err != nil || resolved.ViaProc || !disk.OwnedBy(*owner, resolved.Real) || s.Sensitive.SensitiveRoot(resolved.Real) {
		return
	}
	s.Scope.Roots = append(s.Scope.Roots, paths.Root{Real: resolved.Real, Space: space})
	if space == v1.SpaceProject {
		s.workspaces = append(s.workspaces, resolved.Real)
	}
}

// expand is a name with its marks replaced, "" if one has no value.
func (s *Scratch) expand(name string, owner uint32) string {
	values := map[string]func() string{
		userMark:    func() string { return strconv.FormatUint(uint64(owner), 10) },
		projectMark: s.dashedProject, sessionMark: s.clientSession, registeredMark: s.registeredProject,
	}
	name = s.View.ExpandHome(name)
	for mark, value := range values {
		if !strings.Contains(name, mark) {
			continue
		}
		text := value()
		if !plainSegment(text) {
			return ""
		}
		name = strings.ReplaceAll(name, mark, text)
	}
	return name
}

// plainSegment reports whether a text is one segment of a path that leads nowhere else.
func plainSegment(text string) bool {
	return text != "" && strings.Trim(text, "-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// homeOwner is the user whose home the session has, nil if that isn't known. It shows on the
// sidecar's own disk alone.
func (s *Scratch) homeOwner() *uint32 {
	if s.View.Home == "" || s.View.Windows || s.View.Resolver.Map != nil {
		return nil
	}
	found, err := stat.Path(s.View.Home, true)
	if err != nil || !stat.Exact {
		return nil
	}
	return &found.Owner
}

func (s *Scratch) dashedProject() string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, s.Session.ProjectDir)
}

// clientSession is the session's id without the agent that adapters put before it.
func (s *Scratch) clientSession() string {
	_, id, found := strings.Cut(s.Session.ID, ":")
	if !found {
		return s.Session.ID
	}
	return id
}

func (s *Scratch) registeredProject() string {
	content, err := s.View.ReadFile(s.View.Home + registry)
	if err != nil {
		return ""
	}
	var known struct {
		Projects map[string]string `json:"projects"`
	}
	if json.Unmarshal(content, &known) != nil {
		return ""
	}
	return known.Projects[s.Session.ProjectDir]
}

// protection notes the lists of protected files that a path is on. What clients keep their directories in and make work
// trees in protects nothing by its own name.
func (s *Scratch) protection(real string, class *v1.Form) {
	var found v1.Form
	if s.Policy.Lists.Protected.Class(s.belowScratch(real), &found); len(found) > 0 {
		if below, ok := s.belowWorkTree(real); ok && !slices.ContainsFunc(found, func(e v1.Entry) bool { return path.IsAbs(e.Kind) }) {
			found = nil
			s.Policy.Lists.Protected.Class(below, &found)
		}
	}
	for _, entry := range found {
		class.Put(entry.Name, entry.Kind)
	}
}

// belowScratch is what a path is called from a scratch directory on: the client's own name of
// the place, such as .copilot, protects nothing in it.
func (s *Scratch) belowScratch(real string) string {
	for _, dir := range s.workspaces {
		if paths.Within(real, dir) {
			return "/" + path.Base(dir) + strings.TrimPrefix(real, dir)
		}
	}
	return real
}

// belowWorkTree is what a path is called from the session's project on, where that is a work tree of git's. A host
// chooses the project, and no agent does.
func (s *Scratch) belowWorkTree(real string) (string, bool) {
	project := s.Session.ProjectDir
	if project == "" || !paths.Within(real, project) || !s.View.Exists(project+"/"+gitEntry) {
		return "", false
	}
	return "/" + path.Base(project) + strings.TrimPrefix(real, project), true
}
