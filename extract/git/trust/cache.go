package trust

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Cache keeps verdicts with the state of every file they rest on, absent ones
// included, and gives one out only after each was found unchanged. It may be
// used concurrently and by several Readers.
type Cache struct {
	mutex   sync.RWMutex
	limit   int
	entries map[cacheKey]*cacheEntry
}

type cacheKey struct {
	dir, subcommand, roots, home, xdg string
}

// cacheEntry is not changed once it is in the cache.
type cacheEntry struct {
	verdict Verdict
	alone   []dependency
	guards  []guard
}

// check reports whether everything is as it was, and an entry to put in place
// of this one if that makes the next check shorter. What lies in one directory
// is looked at one by one: each file can change without a trace elsewhere, and so
// can the permissions of a directory that nothing was added to.
func (e *cacheEntry) check(seen Seen, now func() time.Time) (renewed *cacheEntry, ok bool) {
	for i := range e.alone {
		if !e.alone[i].holds(seen) {
			return nil, false
		}
	}
	for n := range e.guards {
		next, stale, ok := e.guards[n].holds(seen, now)
		if !ok {
			return nil, false
		}
		if stale {
			if renewed == nil {
				renewed = &cacheEntry{verdict: e.verdict, alone: e.alone, guards: slices.Clone(e.guards)}
			}
			renewed.guards[n].listing = next
		}
	}
	return renewed, true
}

// NewCache returns a Cache of at most limit verdicts; below one it keeps none.
func NewCache(limit int) *Cache {
	return &Cache{limit: limit, entries: make(map[cacheKey]*cacheEntry)}
}

func keyOf(q Query) cacheKey {
	return cacheKey{
		dir:        q.Dir,
		subcommand: q.Subcommand,
		roots:      strings.Join(q.TrustedRoots, "\x00"),
		home:       q.Home,
		xdg:        q.XDGConfigHome,
	}
}

func (c *Cache) get(key cacheKey, seen Seen, now func() time.Time) (Verdict, bool) {
	c.mutex.RLock()
	entry, found := c.entries[key]
	c.mutex.RUnlock()
	if !found {
		return Verdict{}, false
	}
	renewed, ok := entry.check(seen, now)
	if !ok {
		return Verdict{}, false
	}
	if renewed != nil {
		c.put(key, renewed)
	}
	return entry.verdict, true
}

func (c *Cache) put(key cacheKey, entry *cacheEntry) {
	if c.limit < 1 {
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, known := c.entries[key]; !known && len(c.entries) >= c.limit {
		for victim := range c.entries {
			delete(c.entries, victim)
			break
		}
	}
	c.entries[key] = entry
}
