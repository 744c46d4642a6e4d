package extract

import (
	"slices"
	"strings"
	"sync"

	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// sensitiveRoots says which directories may be no one's workspace.
type sensitiveRoots struct {
	view    *disk.View
	x       *Extractor
	entries []lists.Root // of the homes
	room    [12]lists.Root
}

// sensitiveIn resolves the sensitive roots of one home. The returned slice is
// shared, and full to its capacity. Only homes in which none of them is a symbolic
// link are remembered: what a link leads to can change without a trace in the directory.
func (s *sensitiveRoots) sensitiveIn(dir string) []lists.Root {
	if known, ok := s.x.homes.Recall(s.view, dir); ok {
		return known
	}
	stamp := s.view.Before(dir)
	names := s.x.lists.InHome(dir, s.x.options.Home)
	entries := make([]lists.Root, 0, len(names))
	plain := true
	for _, name := range names {
		resolved, err := s.view.Resolver.Resolve(name)
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
		s.x.homes.Put(dir, stamp, entries)
	}
	return entries
}

// changeable reports whether files at a real path may be changed by a remembered answer.
func (s *sensitiveRoots) changeable(real string) bool {
	for _, name := range s.x.lists.Changeable {
		root := name
		if name == "~" {
			root = s.view.Home
		} else if resolved, err := s.view.Resolve(name); err == nil {
			root = resolved.Real
		}
		if root == "" || root == "/" || real == root || !paths.Within(real, root) {
			continue
		}
		return !strings.Contains(real[len(root):], "/.")
	}
	return false
}

// sensitiveRoot reports whether a directory may be no one's workspace: it is a
// sensitive root, holds one, or lies in one that is not merely a home. With a
// path map it may be one neither by the agent's name nor by the sidecar's.
func (s *sensitiveRoots) sensitiveRoot(real string) bool {
	if s.sensitiveByLists(real) || s.sensitiveByName(real, s.homeRoots()) {
		return true
	}
	if s.view.Resolver.Map == nil {
		return false
	}
	disk, visible := s.view.Resolver.Map.Sidecar(real)
	return visible && (s.sensitiveByName(disk, s.x.lists.Sidecar) || s.x.lists.SystemHomes.Sensitive(disk, paths.NamesExact))
}

// sensitiveByLists reports what can be told from a directory's name by lists that never
// change. Sessions have few directories, so it is remembered, but not what a path map says.
func (s *sensitiveRoots) sensitiveByLists(real string) bool {
	place := rootName{real: real, home: s.view.Home, names: s.view.Resolver.Names, windows: s.view.Windows}
	if s.view.Resolver.Map == nil {
		if sensitive, known := s.x.rootNames.get(place); known {
			return sensitive
		}
	}
	sensitive := s.view.Windows && windowsSensitive(real) || s.sensitiveByName(real, s.x.lists.System) ||
		s.x.lists.SystemHomes.Sensitive(real, s.view.Resolver.Names, s.view.Home, s.x.options.Home) || s.ownPlace(real)
	if s.view.Resolver.Map == nil {
		s.x.rootNames.put(place, sensitive)
	}
	return sensitive
}

func (s *sensitiveRoots) sensitiveByName(real string, entries []lists.Root) bool {
	names := s.view.Resolver.Names
	for i := range entries {
		entry := &entries[i]
		if names.Within(entry.Real, real) || !entry.Itself && names.Within(real, entry.Real) {
			return true
		}
	}
	return false
}

// ownPlace reports whether a path is policyd's own state, lies in it or holds it.
func (s *sensitiveRoots) ownPlace(real string) bool {
	near := func(own string) bool { return paths.FoldedWithin(real, own) || paths.FoldedWithin(own, real) }
	if slices.ContainsFunc(s.x.own, near) {
		return true
	}
	disk, other := s.view.OtherName(real)
	return other && slices.ContainsFunc(s.x.own, func(own string) bool {
		return paths.FoldedWithin(disk, own) || paths.FoldedWithin(own, disk)
	})
}

// holdsSensitive reports whether a directory is a sensitive root or holds one.
func (s *sensitiveRoots) holdsSensitive(real string) bool {
	holds := func(entry lists.Root) bool { return !entry.Itself && s.view.Resolver.Names.Within(entry.Real, real) }
	return real == "/" || slices.ContainsFunc(s.x.lists.System, holds) || slices.ContainsFunc(s.homeRoots(), holds)
}

// homeRoots are the sensitive roots of the homes, resolved once per call: of the
// home that the session claims and of the sidecar's own.
func (s *sensitiveRoots) homeRoots() []lists.Root {
	if s.entries != nil {
		return s.entries
	}
	s.entries = s.room[:0]
	own := s.x.options.Home
	s.addHome(own)
	if s.view.Home != own {
		s.addHome(s.view.Home)
	}
	return s.entries
}

func (s *sensitiveRoots) addHome(home string) {
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
