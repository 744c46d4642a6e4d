package extract

import (
	"strings"
	"sync"
	"time"
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
	stamp   homeStamp
	entries []sensitive
}

// homeStamp identifies one state of a directory; times count from the Unix epoch.
type homeStamp struct {
	device, inode     uint64
	modified, changed time.Duration
}

const (
	maxHomes = 64
	// settledAfter is how old a directory's change must be before its stamp
	// tells two states apart: file systems count in steps of up to two seconds.
	settledAfter = 2 * time.Second
)

func (h *homes) get(dir string, stamp homeStamp) ([]sensitive, bool) {
	h.mutex.RLock()
	defer h.mutex.RUnlock()
	found, ok := h.known[dir]
	return found.entries, ok && found.stamp == stamp
}

func (h *homes) put(dir string, stamp homeStamp, entries []sensitive) {
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
	stamp, stamped := e.stampOf(dir)
	if stamped {
		if known, ok := e.x.homes.get(dir, stamp); ok {
			return known
		}
	}
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
	if stamped && plain && stamp.changed+settledAfter < e.x.now() {
		e.x.homes.put(dir, stamp, entries)
	}
	return entries[:len(entries):len(entries)]
}

// stampOf is the stamp of a home that lies where its path says. The way there
// is looked at in every call.
func (e *extraction) stampOf(dir string) (homeStamp, bool) {
	if e.windows || e.x.lists.pathMap != nil {
		return homeStamp{}, false // the name isn't the sidecar's
	}
	resolved, err := e.resolver.Resolve(dir)
	if err != nil || resolved.Real != dir || !resolved.Dir || resolved.ViaProc {
		return homeStamp{}, false
	}
	return stampHome(dir)
}

// now is the time since the Unix epoch.
func (b *Base) now() time.Duration {
	if b.options.Now != nil {
		return time.Duration(b.options.Now().UnixNano())
	}
	return time.Duration(time.Now().UnixNano())
}
