package trust

import (
	"os"
	"slices"
	"time"

	"policyd/extract/git/object"
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

// racyWindow is how old a file must be before its stamp distinguishes two
// contents: file systems count in steps of up to two seconds.
const racyWindow = 2 * time.Second

// probe reads the disk and remembers what it looked at.
type probe struct {
	dependencies []dependency
	now          time.Duration
	unstable     bool
	view         object.View
}

// look is where this process finds a path, and what lies there: an absent stamp if it is missing.
// Errors of a probe are refusals.
func (p *probe) look(path string, follow bool) (disk string, found stat.Stamp, err error) {
	disk, err = object.OnDisk(p.view, path, follow)
	if err == nil {
		found, err = statOrAbsent(disk, follow)
		p.unstable = p.unstable || err != nil
	}
	if err != nil && !stat.Missing(err) {
		return "", stat.Stamp{}, refuse(CodeUnreadable, path)
	}
	return disk, found, nil
}

// stat describes a path.
func (p *probe) stat(path string, follow bool) (stat.Stamp, error) {
	disk, found, err := p.look(path, follow)
	if err != nil {
		return found, err
	}
	kept := found
	if found.Kind == stat.Directory {
		kept = found.Identity()
	}
	p.note(dependency{path: disk, follow: follow, stamp: kept})
	return found, nil
}

// note keeps each state once. A path that is no link is the same whether links
// are followed or not.
func (p *probe) note(d dependency) {
	other := dependency{path: d.path, follow: !d.follow, stamp: d.stamp}
	if at := slices.Index(p.dependencies, other); at >= 0 && d.stamp.Present() && d.stamp.Kind != stat.Link && !d.listing {
		p.dependencies[at].follow = false // the stricter one: no link is there
		return
	}
	if !slices.Contains(p.dependencies, d) {
		p.dependencies = append(p.dependencies, d)
	}
	if (d.listing || d.stamp.Kind != stat.Directory) && d.stamp.Changed+racyWindow > p.now {
		p.unstable = true
	}
}

// read returns a regular file's content; a missing file is nil and no error.
// The stamp is taken before the content, so that a later change shows.
func (p *probe) read(path string, limit int64) ([]byte, error) {
	disk, err := object.OnDisk(p.view, path, true)
	if stat.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, refuse(CodeUnreadable, path)
	}
	content, found, err := object.ReadFile(disk, limit)
	if err != nil {
		p.unstable = true
		return nil, refuse(CodeUnreadable, path)
	}
	p.note(dependency{path: disk, follow: true, stamp: found})
	return content, nil
}

// list describes a path, and holds what a directory lists: which of its entries are
// links shows in its own stamp. Without follow nothing is listed of a link.
func (p *probe) list(path string, follow bool) (stat.Stamp, []os.DirEntry, error) {
	disk, found, err := p.look(path, follow)
	if err != nil {
		return found, nil, err
	}
	p.note(dependency{path: disk, follow: follow, listing: found.Kind == stat.Directory, stamp: found})
	if found.Kind != stat.Directory {
		return found, nil, nil
	}
	entries, err := os.ReadDir(disk)
	if err != nil {
		p.unstable = true
		return found, nil, refuse(CodeUnreadable, path)
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
