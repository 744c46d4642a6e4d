package trust

import (
	"path/filepath"
	"time"

	"policyd/extract/stat"
)

// guard saves asking for files that were absent, one by one: as long as their
// directory's stamp is the same, no name was added to it. Files that are there
// are always looked at, since writing one does not touch its directory.
type guard struct {
	directory string
	identity  stat.Stamp
	// listing is the directory's whole stamp; not present when it was too fresh
	// to distinguish two states. Then every name is looked at.
	listing stat.Stamp
	absent  []dependency
}

// guarded sorts dependencies into those that stand alone and those that a
// directory vouches for. started is when the first of them was read: a
// directory settled before that holds what was seen.
func guarded(all []dependency, started time.Duration) (alone []dependency, guards []guard) {
	at := make(map[string]int)
	vouched := make([]bool, len(all))
	for i, d := range all {
		if d.stamp.Present() || d.listing {
			continue
		}
		directory, found := voucher(d)
		if found.Kind != stat.Directory {
			continue
		}
		n, known := at[directory]
		if !known {
			n = len(guards)
			at[directory] = n
			guards = append(guards, guard{
				directory: directory, identity: found.Identity(), listing: settled(found, started),
			})
		}
		guards[n].absent = append(guards[n].absent, d)
		vouched[i] = true
	}
	for i, d := range all {
		if vouched[i] {
			continue
		}
		// The guard compares the directory's identity as well.
		if n, vouched := at[d.path]; vouched && d.follow && d.stamp == guards[n].identity {
			continue
		}
		alone = append(alone, d)
	}
	return alone, guards
}

// voucher is the directory that vouches for what was found absent: the nearest one that
// is there, as the first name on the way below it has to be added to it. There is none
// where that name is a link to nothing: it comes to be there when its target does,
// without a trace in the directory that holds the link.
func voucher(d dependency) (directory string, found stat.Stamp) {
	for name := d.path; name != "/" && name != "."; name = directory {
		// Of a path that was not followed it is known that it is no link itself.
		if d.follow || name != d.path {
			if itself, err := statOrAbsent(name, false); err != nil || itself.Present() {
				return "", stat.Stamp{}
			}
		}
		directory = filepath.Dir(name)
		found, err := statOrAbsent(directory, true)
		if err != nil || found.Present() {
			return directory, found
		}
	}
	return "", stat.Stamp{}
}

// settled is s, or nothing when the directory changed within the racy window.
func settled(s stat.Stamp, now time.Duration) stat.Stamp {
	if s.Changed+racyWindow > now {
		return stat.Stamp{}
	}
	return s
}

// holds checks one guard; stale means that it holds and that listing is what to
// remember of the directory from now on.
func (g *guard) holds(seen Seen, now func() time.Time) (listing stat.Stamp, stale, ok bool) {
	found, err := stampNow(seen, g.directory, true)
	if err != nil || found.Identity() != g.identity {
		return stat.Stamp{}, false, false
	}
	if found == g.listing {
		return found, false, true
	}
	// What is to vouch from now on is looked at right before the names and the
	// clock, so that no change can hide between them.
	if found, err = statOrAbsent(g.directory, true); err != nil || found.Identity() != g.identity {
		return stat.Stamp{}, false, false
	}
	vouches := true
	for i := range g.absent {
		if !g.absent[i].holds(nil) {
			return stat.Stamp{}, false, false
		}
		by, _ := voucher(g.absent[i])
		vouches = vouches && by == g.directory
	}
	if !vouches {
		return stat.Stamp{}, false, true
	}
	listing = settled(found, time.Duration(now().UnixNano()))
	return listing, listing.Present(), true
}
