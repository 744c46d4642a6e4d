package git

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"policyd/extract/stat"
)

// dependency is a path that an answer rests on.
type dependency struct {
	path    string
	follow  bool
	listing bool
	stamp   stat.Stamp
}

// holds reports whether a path is as it was. Every path is looked at in each
// decision: what counts as seen was looked at in this one.
func (d *dependency) holds(seen Seen) bool {
	now, err := stampNow(seen, d.path, d.follow)
	if err != nil {
		return false
	}
	if !d.listing && now.Kind == stat.Directory {
		now = now.Identity()
	}
	return now == d.stamp
}

// stampNow is the state of a path in this decision.
func stampNow(seen Seen, path string, follow bool) (stat.Stamp, error) {
	if seen == nil {
		return statOrAbsent(path, follow)
	}
	found, err := seen.Look(path, follow)
	if stat.Missing(err) {
		return stat.Stamp{}, nil
	}
	return found, err
}

// racyWindow is how old a file must be before its stamp tells two contents
// apart: file systems count in steps of up to two seconds.
const racyWindow = 2 * time.Second

// probe reads the disk and remembers what it looked at.
type probe struct {
	dependencies []dependency
	now          time.Duration
	unstable     bool
	view         View
}

// disk is where this process finds a path. With follow no link is left in it.
func disk(view View, path string, follow bool) (string, error) {
	if view == nil {
		return path, nil
	}
	whole, rest := path, ""
	if !follow {
		whole, rest = filepath.Dir(path), filepath.Base(path)
	}
	real, err := view.Real(whole)
	if err != nil {
		return "", err
	}
	return view.Disk(filepath.Join(real, rest))
}

// stat describes a path; a missing one is an absent stamp and no error.
func (p *probe) stat(path string, follow bool) (stat.Stamp, error) {
	path, err := disk(p.view, path, follow)
	if stat.Missing(err) {
		return stat.Stamp{}, nil
	}
	if err != nil {
		return stat.Stamp{}, fmt.Errorf("stat file: %w", err)
	}
	found, err := statOrAbsent(path, follow)
	if err != nil {
		p.unstable = true
		return stat.Stamp{}, fmt.Errorf("stat file: %w", err)
	}
	if found.Kind == stat.Directory {
		p.note(dependency{path: path, follow: follow, stamp: found.Identity()})
		return found, nil
	}
	p.note(dependency{path: path, follow: follow, stamp: found})
	return found, nil
}

// note keeps each state once. A path that is no link is the same whether links
// are followed or not.
func (p *probe) note(d dependency) {
	other := dependency{path: d.path, follow: !d.follow, stamp: d.stamp}
	if at := slices.Index(p.dependencies, other); at >= 0 && d.stamp.Present() && d.stamp.Kind != stat.Link && !d.listing {
		p.dependencies[at].follow = false // it says more: that no link is there
		return
	}
	if !slices.Contains(p.dependencies, d) {
		p.dependencies = append(p.dependencies, d)
	}
	if d.stamp.Changed+racyWindow > p.now && d.stamp.Kind != stat.Directory {
		p.unstable = true
	}
	if d.listing && d.stamp.Changed+racyWindow > p.now {
		p.unstable = true
	}
}

// read returns a regular file's content; a missing file is nil and no error.
// The stamp is taken before the content, so that a later change shows.
func (p *probe) read(path string, limit int64) ([]byte, error) {
	path, err := disk(p.view, path, true)
	if stat.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	content, found, err := readOrAbsent(path, limit)
	if err != nil {
		p.unstable = true
		return nil, err
	}
	p.note(dependency{path: path, follow: true, stamp: found})
	return content, nil
}

// readOrAbsent is stat.Read where a missing file is nil and no error.
func readOrAbsent(path string, limit int64) ([]byte, stat.Stamp, error) {
	content, found, err := stat.Read(path, limit)
	if stat.Missing(err) {
		return nil, stat.Stamp{}, nil
	}
	return content, found, err
}

// list describes a path, and holds what a directory lists: which of its entries are
// links shows in its own stamp. Without follow nothing is listed of a link.
func (p *probe) list(path string, follow bool) (stat.Stamp, []os.DirEntry, error) {
	path, err := disk(p.view, path, follow)
	if stat.Missing(err) {
		return stat.Stamp{}, nil, nil
	}
	if err != nil {
		return stat.Stamp{}, nil, fmt.Errorf("list directory: %w", err)
	}
	found, err := statOrAbsent(path, follow)
	if err != nil {
		p.unstable = true
		return stat.Stamp{}, nil, fmt.Errorf("stat directory: %w", err)
	}
	p.note(dependency{path: path, follow: follow, listing: found.Kind == stat.Directory, stamp: found})
	if found.Kind != stat.Directory {
		return found, nil, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		p.unstable = true
		return stat.Stamp{}, nil, fmt.Errorf("list directory: %w", err)
	}
	return found, entries, nil
}

func statOrAbsent(path string, follow bool) (stat.Stamp, error) {
	found, err := stat.Path(path, follow)
	if stat.Missing(err) {
		return stat.Stamp{}, nil
	}
	return found, err
}
