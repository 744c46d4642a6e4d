package extract

import (
	"strings"
	"sync"
	"time"

	"policyd/extract/stat"
)

// homes remembers what the sensitive entries of a home directory are, as long
// as the directory's stamp says that none was added, removed or replaced.
// It holds only homes in which none of them is a symbolic link: what a link
// leads to can change without a trace in the directory. It may be used
// concurrently; the zero value is ready to use.
type homes struct {
	mutex sync.RWMutex
	known map[string]home
}

type home struct {
	stamp   stat.Stamp
	entries []sensitive
}

const (
	maxHomes = 64
	// settledAfter is how old a directory's change must be before its stamp
	// tells two states apart: file systems count in steps of up to two seconds.
	settledAfter = 2 * time.Second
)

func (h *homes) get(dir string, stamp stat.Stamp) ([]sensitive, bool) {
	h.mutex.RLock()
	defer h.mutex.RUnlock()
	found, ok := h.known[dir]
	return found.entries, ok && found.stamp == stamp
}

func (h *homes) put(dir string, stamp stat.Stamp, entries []sensitive) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.known == nil || len(h.known) >= maxHomes {
		h.known = make(map[string]home, 1)
	}
	h.known[dir] = home{stamp: stamp, entries: entries}
}

// sensitiveIn resolves the sensitive roots of one home. The returned slice is
// shared, and full to its capacity.
func (e *extraction) sensitiveIn(dir string) []sensitive {
	stamped := e.stamped(dir)
	if stamp, ok := e.resolver.Stamp(dir); ok && stamped {
		if known, ok := e.x.homes.get(dir, stamp); ok {
			return known
		}
	}
	stamp, err := stat.Path(dir, false) // before the entries, so that a later change shows
	stamped = stamped && err == nil
	names := e.x.lists.inHome(dir, e.x.options.Home)
	entries := make([]sensitive, 0, len(names))
	plain := true
	for _, name := range names {
		resolved, err := e.resolver.Resolve(name)
		if err != nil {
			plain = false
			continue
		}
		// Of what lies deeper the home's own stamp says nothing.
		plain = plain && len(resolved.Links) == 0 && strings.Count(name[len(dir):], "/") <= 1
		entries = append(entries, sensitive{resolved.Real, name == dir})
	}
	if stamped && plain && stamp.Changed+settledAfter < e.x.now() {
		e.x.homes.put(dir, stamp, entries)
	}
	return entries[:len(entries):len(entries)]
}

// stamped reports whether a home lies where its path says and its stamp tells
// its states apart. The way there is looked at in every call.
func (e *extraction) stamped(dir string) bool {
	if !stat.Exact || e.windows || e.x.lists.pathMap != nil {
		return false // else the name isn't the sidecar's
	}
	resolved, err := e.resolver.Resolve(dir)
	return err == nil && resolved.Real == dir && resolved.Dir && !resolved.ViaProc
}

// now is the time since the Unix epoch.
func (b *Base) now() time.Duration {
	if b.options.Now != nil {
		return time.Duration(b.options.Now().UnixNano())
	}
	return time.Duration(time.Now().UnixNano())
}
