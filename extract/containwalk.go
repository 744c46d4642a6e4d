package extract

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"

	"policyd/extract/disk"
	"policyd/extract/stat"
)

// entry is a name in a directory.
type entry struct {
	name string
	kind fs.FileMode // the type bits
	// plain is true for a directory of which the name says nothing.
	plain bool
}

// listing is what a walk needs of a directory: the directories in it, and the names that mean
// something to contained runs.
type listing struct {
	entries []entry
	// names is how many there are in all.
	names int
}

// listings remembers directories by their stamps, so that a walk reads those that have changed
// alone. The zero value is ready to use, concurrently.
type listings struct {
	mutex sync.RWMutex
	known map[string]listed
	size  int
}

type listed struct {
	stamp stat.Stamp
	listing
}

// maxListed bounds the remembered directories and the entries in them, about 150 bytes each.
const maxListed = 100_000

func (l *listings) get(dir string, stamp stat.Stamp) (listing, bool) {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	found, known := l.known[dir]
	return found.listing, known && found.stamp == stamp
}

func (l *listings) put(dir string, stamp stat.Stamp, found listing) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.known == nil || l.size > maxListed {
		l.known, l.size = map[string]listed{}, 0
	}
	if old, known := l.known[dir]; known {
		l.size -= 1 + len(old.entries)
	}
	l.known[dir] = listed{stamp, found}
	l.size += 1 + len(found.entries)
}

// list reads a directory, or recalls it. What lies in git's directories counts by its content,
// and what operators name by the session, so these are read each time.
func (c *containment) list(dir string) (listing, error) {
	if c.judging || !stat.Exact || strings.Contains(dir+"/", "/.git/") {
		return c.read(dir)
	}
	stamp, err := stat.Path(dir, false)
	if err != nil || stamp.Kind != stat.Directory {
		return c.read(dir)
	}
	if found, known := c.x.listings.get(dir, stamp); known {
		return found, nil
	}
	now := c.x.now()
	found, err := c.read(dir)
	if err == nil && stamp.Changed+disk.SettledAfter < now {
		c.x.listings.put(dir, stamp, found)
	}
	return found, err
}

func (c *containment) read(dir string) (listing, error) {
	all, err := c.view.ReadDir(dir)
	if err != nil {
		return listing{}, err
	}
	found := listing{names: len(all)}
	all = slices.DeleteFunc(all, func(one fs.DirEntry) bool { return one.Type()&fs.ModeSymlink != 0 }) // what it leads to counts
	each := c.judging || strings.Contains(dir+"/", "/.git/")
	for _, one := range all {
		tells := each || c.tells(dir+"/"+one.Name(), one.Name())
		if tells || one.IsDir() {
			found.entries = append(found.entries, entry{name: one.Name(), kind: one.Type(), plain: !tells})
		}
	}
	found.entries = slices.Clip(found.entries)
	return found, nil
}

// tells reports whether a name alone means something to contained runs.
func (c *containment) tells(full, name string) bool {
	return name == ".git" || c.classes.SecretFile(full) || c.classes.SecretDirectory(full) || slices.Contains(c.x.Lists.Contain.Protected, name)
}

func (c *containment) walk(dir string) error {
	found, err := c.list(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		return fmt.Errorf("look for secrets: %w", err)
	}
	c.facts.step()
	if c.left -= found.names; c.left < 0 {
		return errManyNames
	}
	for i := range found.entries {
		entry := &found.entries[i]
		visit := c.visit
		if entry.plain {
			visit = c.below
		}
		if err := visit(dir+"/"+entry.name, entry); err != nil {
			return err
		}
	}
	return nil
}

func (c *containment) below(full string, _ *entry) error { return c.walk(full) }
