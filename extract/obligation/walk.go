package obligation

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"policyd/extract/disk"
	"policyd/extract/stat"
)

// entry is a name in a directory.
type entry struct {
	// full is the path, of which name is the last part.
	full, name string
	kind       fs.FileMode // the type bits
	// plain is true for a directory of which the name says nothing.
	plain bool
}

// listing is what a walk needs of a directory: the directories in it, and the names that mean
// something to contained runs.
type listing struct {
	entries []entry
	// names is how many there are in all.
	names int
	// closed is true for a directory that can't be listed: what lies in it may still be opened by its name, and a
	// run may change the mode.
	closed bool
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

// maxListed bounds the remembered directories and the entries in them, about 200 bytes each.
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

// Directories reads directories, or recalls them, within bounds.
type Directories struct {
	View *disk.View
	// Listings are of the session's directories, Swept of those of tools.
	Listings, Swept *Listings
	// Step ends the walk if its caller has gone away.
	Step func()
	Now  func() time.Duration
	// Left is how many names may still be read.
	Left int
}

// recall reads a directory unless it is as it is remembered in listings. The same listings always have the same meaning.
func (d *Directories) recall(listings *Listings, dir string, means meaning) (listing, error) {
	if !stat.Exact {
		return d.read(dir, means)
	}
	stamp, err := stat.Path(dir, false)
	if err != nil || stamp.Kind != stat.Directory {
		return d.read(dir, means)
	}
	if found, known := listings.get(dir, stamp); known {
		return found, d.count(found)
	}
	now := d.Now()
	found, err := d.read(dir, means)
	if err == nil && stamp.Changed+disk.SettledAfter < now {
		listings.put(dir, stamp, found)
	}
	return found, err
}

// read reads a directory. One that is gone holds nothing.
func (d *Directories) read(dir string, means meaning) (listing, error) {
	all, err := d.View.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return listing{closed: true}, nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return listing{}, nil
	case err != nil:
		return listing{}, fmt.Errorf("look for secrets: %w", err)
	}
	found := listing{names: len(all)}
	all = slices.DeleteFunc(all, func(one fs.DirEntry) bool { // what a link leads to counts, except to git
		return one.Type()&fs.ModeSymlink != 0 && one.Name() != ".git" && !partOfStore(one.Name())
	})
	for _, one := range all {
		full := dir + "/" + one.Name()
		if tells := means(full, one.Name(), all); tells || one.IsDir() {
			found.entries = append(found.entries, entry{full: full, name: full[len(dir)+1:], kind: one.Type(), plain: !tells})
		}
	}
	found.entries = slices.Clip(found.entries)
	return found, d.count(found)
}

// count bounds what is read.
func (d *Directories) count(found listing) error {
	d.Step()
	if d.Left -= found.names; d.Left < 0 {
		return errManyNames
	}
	return nil
}

// inGit reports whether a directory is one of git's own.
func inGit(dir string) bool {
	return strings.Contains(dir, "/.git/") || strings.HasSuffix(dir, "/.git")
}

// meaning reports whether a name in a directory, beside others, alone means something.
type meaning func(full, name string, beside []fs.DirEntry) bool

func everything(string, string, []fs.DirEntry) bool { return true }

// tells reports whether a name in a directory of the session's means something.
func (c *Builder) tells(full, name string, _ []fs.DirEntry) bool {
	return name == ".git" || partOfStore(name) || c.Classes.SecretFile(full) || c.Classes.SecretDirectory(full) || c.staysInPlace(name)
}

// list lists a directory of the session's. What lies in git's directories counts by its content, and what operators name
// by the session, so these are read each time.
func (c *Builder) list(dir string) (listing, error) {
	if c.Judging || c.inGit {
		return c.Directories.read(dir, everything)
	}
	return c.Directories.recall(c.Directories.Listings, dir, c.tells)
}

func (c *Builder) walk(dir string) error {
	found, err := c.list(dir)
	switch {
	case err != nil:
		return err
	case found.closed && slices.Contains(c.Obligation.Read, dir):
		return fmt.Errorf("%s can't be listed", dir)
	case found.closed:
		c.Obligation.Hide = append(c.Obligation.Hide, dir)
		return nil
	}
	if found.isStore(dir) {
		if hidden, err := c.judgeStore(dir); hidden || err != nil {
			return err
		}
	}
	for i := range found.entries {
		entry := &found.entries[i]
		visit := c.visit
		if entry.plain {
			visit = c.below
		}
		if err := visit(entry); err != nil {
			return err
		}
	}
	return nil
}

func (c *Builder) below(entry *entry) error { return c.walk(entry.full) }
