package scope

import (
	"slices"
	"strings"
	"sync"

	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// SensitiveRoots says which directories may be no one's workspace.
type SensitiveRoots struct {
	View    *disk.View
	Policy  *Policy
	entries []lists.Root // of the homes
	room    [12]lists.Root
}

// sensitiveIn resolves the sensitive roots of one home. The returned slice is
// shared, and full to its capacity. Only homes in which none of them is a symbolic
// link are remembered: what a link leads to can change without a trace in the directory.
func (s *SensitiveRoots) sensitiveIn(dir string) []lists.Root {
	if known, ok := s.Policy.homes.Recall(s.View, dir); ok {
		return known
	}
	stamp := s.View.Before(dir)
	names := s.Policy.Lists.InHome(dir, s.Policy.Home)
	entries := make([]lists.Root, 0, len(names))
	plain := true
	for _, name := range names {
		resolved, err := s.View.Resolver.Resolve(name)
		if err != nil {
			plain = false
			continue
		}
		// Of what lies deeper the home's own stamp says nothing.
		plain = plain && len(resolved.Links) == 0 && strings.Count(name[len(dir):], "/") <= 1
		entries = append(entries, lists.Root{Real: resolved.Real, Itself: name == dir})
	}
	entries = entries[:len(entries):len(entries)]
	if plain && stamp.Present() {
		s.Policy.homes.Put(dir, stamp, entries)
	}
	return entries
}

// Changeable reports whether files at a real path may be changed by a remembered answer.
func (s *SensitiveRoots) Changeable(real string) bool {
	for _, name := range s.Policy.Lists.Changeable {
		root := name
		if name == "~" {
			root = s.View.Home
		} else if resolved, err := s.View.Resolve(name); err == nil {
			root = resolved.Real
		}
		if root == "" || root == "/" || real == root || !paths.Within(real, root) {
			continue
		}
		return !strings.Contains(real[len(root):], "/.") || s.Policy.Lists.DataFile(real)
	}
	return false
}

// SensitiveRoot reports whether a directory may be no one's workspace: it is a
// sensitive root, holds one, or lies in one that is not merely a home. With a
// path map it may be one neither by the agent's name nor by the sidecar's.
func (s *SensitiveRoots) SensitiveRoot(real string) bool {
	if s.sensitiveByLists(real) || s.sensitiveByName(real, s.homeRoots()) {
		return true
	}
	if s.View.Resolver.Map == nil {
		return false
	}
	disk, visible := s.View.Resolver.Map.Sidecar(real)
	return visible && (s.sensitiveByName(disk, s.Policy.Lists.Sidecar) || s.Policy.Lists.SystemHomes.Sensitive(disk, paths.NamesExact))
}

// sensitiveByLists reports what can be told from a directory's name by lists that never
// change. Sessions have few directories, so it is remembered, but not what a path map says.
func (s *SensitiveRoots) sensitiveByLists(real string) bool {
	place := rootName{real: real, home: s.View.Home, names: s.View.Resolver.Names, windows: s.View.Windows}
	if s.View.Resolver.Map == nil {
		if sensitive, known := s.Policy.rootNames.get(place); known {
			return sensitive
		}
	}
	sensitive := s.View.Windows && windowsSensitive(real) || s.sensitiveByName(real, s.Policy.Lists.System) ||
		s.Policy.Lists.SystemHomes.Sensitive(real, s.View.Resolver.Names, s.View.Home, s.Policy.Home) || s.OwnPlace(real)
	if s.View.Resolver.Map == nil {
		s.Policy.rootNames.put(place, sensitive)
	}
	return sensitive
}

func (s *SensitiveRoots) sensitiveByName(real string, entries []lists.Root) bool {
	names := s.View.Resolver.Names
	for i := range entries {
		entry := &entries[i]
		if names.Within(entry.Real, real) || !entry.Itself && names.Within(real, entry.Real) {
			return true
		}
	}
	return false
}

// OwnPlace reports whether a path is policyd's own state, lies in it or holds it.
func (s *SensitiveRoots) OwnPlace(real string) bool {
	near := func(own string) bool { return paths.FoldedWithin(real, own) || paths.FoldedWithin(own, real) }
	if slices.ContainsFunc(s.Policy.Own, near) {
		return true
	}
	disk, other := s.View.OtherName(real)
	return other && slices.ContainsFunc(s.Policy.Own, func(own string) bool {
		return paths.FoldedWithin(disk, own) || paths.FoldedWithin(own, disk)
	})
}

// holdsSensitive reports whether a directory is a sensitive root or holds one.
func (s *SensitiveRoots) holdsSensitive(real string) bool {
	holds := func(entry lists.Root) bool { return !entry.Itself && s.View.Resolver.Names.Within(entry.Real, real) }
	return real == "/" || slices.ContainsFunc(s.Policy.Lists.System, holds) || slices.ContainsFunc(s.homeRoots(), holds)
}

// homeRoots are the sensitive roots of the homes, resolved once per call: of the
// home that the session claims and of the sidecar's own.
func (s *SensitiveRoots) homeRoots() []lists.Root {
	if s.entries != nil {
		return s.entries
	}
	s.entries = s.room[:0]
	own := s.Policy.Home
	s.addHome(own)
	if s.View.Home != own {
		s.addHome(s.View.Home)
	}
	return s.entries
}

func (s *SensitiveRoots) addHome(home string) {
	if home == "" {
		return
	}
	s.entries = append(s.entries, s.sensitiveIn(home)...)
}

// windowsSensitive reports whether a directory is one that Windows itself, or
// every program of a user, keeps its own in.
func windowsSensitive(real string) bool {
	folded := strings.ToLower(real)
	if strings.HasPrefix(folded, "/") {
		return strings.HasPrefix(folded, "//") // a share
	}
	if paths.Depth(folded) == 0 {
		return true // a whole drive
	}
	below := folded[len("c:"):]
	for _, dir := range []string{"/windows", "/program files", "/program files (x86)", "/programdata", "/$recycle.bin"} {
		if paths.Within(below, dir) {
			return true
		}
	}
	return paths.Within(below, "/users") && paths.Depth(folded) <= 2
}

// rootName is the name of a directory, and what its meaning hangs on.
type rootName struct {
	real, home string
	names      paths.Names
	windows    bool
}

// mostRootNames bounds how many names are remembered: an agent can make them up.
const mostRootNames = 256

// rootNames remembers which names are sensitive roots'. The zero value is ready to use,
// concurrently.
type rootNames struct {
	mutex sync.RWMutex
	known map[rootName]bool
}

func (r *rootNames) get(name rootName) (sensitive, known bool) {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	sensitive, known = r.known[name]
	return sensitive, known
}

func (r *rootNames) put(name rootName, sensitive bool) {
	name.real, name.home = strings.Clone(name.real), strings.Clone(name.home)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.known == nil || len(r.known) >= mostRootNames {
		r.known = make(map[rootName]bool)
	}
	r.known[name] = sensitive
}
