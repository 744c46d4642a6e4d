package obligation

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

// Listings remembers directories by their stamps, so that a walk reads those that have changed
// alone. The zero value is ready to use, concurrently.
type Listings struct {
	mutex sync.RWMutex
	Known map[string]listed
	size  int
}

type listed struct {
	stamp stat.Stamp
	listing
}

// maxListed bounds the remembered directories and the entries in them, about 150 bytes each.
const maxListed = 100_000

func (l *Listings) get(dir string, stamp stat.Stamp) (listing, bool) {
	l.mutex.RLock()
	defer l.mutex.RUnlock()
	found, known := l.Known[dir]
	return found.listing, known && found.stamp == stamp
}

func (l *Listings) put(dir string, stamp stat.Stamp, found listing) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.Known == nil || l.size > maxListed {
		l.Known, l.size = map[string]listed{}, 0
	}
	if old, known := l.Known[dir]; known {
		l.size -= 1 + len(old.entries)
	}
	l.Known[dir] = listed{stamp, found}
	l.size += 1 + len(found.entries)
}

// list reads a directory, or recalls it. What lies in git's directories counts by its content,
// and what operators name by the session, so these are read each time.
func (c *Builder) list(dir string) (listing, error) {
	if c.Judging || !stat.Exact || strings.Contains(dir+"/", "/.git/") {
		return c.read(dir)
	}
	stamp, err := stat.Path(dir, false)
	if err != nil || stamp.Kind != stat.Directory {
		return c.read(dir)
	}
	if found, known := c.Listings.get(dir, stamp); known {
		return found, nil
	}
	now := c.Now()
	found, err := c.read(dir)
	if err == nil && stamp.Changed+disk.SettledAfter < now {
		c.Listings.put(dir, stamp, found)
	}
	return found, err
}

func (c *Builder) read(dir string) (listing, error) {
	all, err := c.View.ReadDir(dir)
	if err != nil {
		return listing{}, err
	}
	found := listing{names: len(all)}
	all = slices.DeleteFunc(all, func(one fs.DirEntry) bool { return one.Type()&fs.ModeSymlink != 0 }) // what it leads to counts
	each := c.Judging || strings.Contains(dir+"/", "/.git/")
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
func (c *Builder) tells(full, name string) bool {
	return name == ".git" || c.Classes.SecretFile(full) || c.Classes.SecretDirectory(full) || c.staysInPlace(name)
}

func (c *Builder) walk(dir string) error {
	found, err := c.list(dir)
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		return fmt.Errorf("look for secrets: %w", err)
	}
	c.Step()
	if c.Left -= found.names; c.Left < 0 {
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

func (c *Builder) below(full string, _ *entry) error { return c.walk(full) }
