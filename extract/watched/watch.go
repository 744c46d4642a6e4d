// Package watched vouches for directories: one question to the kernel says whether any of
// those that are known has changed, where each would have to be looked at again.
//
// A directory is known by a path without links, and is watched together with every
// directory on the way to it. What the kernel reports is taken in before a call is
// looked into, so a change that was over when the call came is never missed; of one that
// happens at the same time either state may be seen, as if the directory had been looked
// at. Files are not vouched for: their content can change by another name, and through
// memory, without a report.
//
// It works on Linux, by inotify(7) and the notices of proc_pid_mountinfo(5), and for file
// systems of the machine itself, which report every change. Everywhere else, and
// wherever the kernel gives no watch, nothing is known and the disk is asked.
package watched

import (
	"sync/atomic"

	"policyd/extract/stat"
)

// View is what is known of directories and files, at a moment or later. The zero value knows
// nothing. It may be used concurrently.
type View struct {
	known map[string]*place
	// reports is how many reports had been taken in.
	reports uint64
	// from is whose knowledge it is.
	from *Directories
}

// place is a directory that is watched, as is the way to it, or a file in one.
type place struct {
	// stamp is nil as long as the directory has to be asked about.
	stamp atomic.Pointer[stat.Stamp]
	// file is nil for a directory, and as long as a path is needed to ask about a file.
	file atomic.Pointer[held]
	// isFile says which of the two it is.
	isFile bool
	// watch is the kernel's number, 0 before there is one; children are paths that are
	// known, too; changed is the number of the last report about it. The Directories' mutex
	// holds for them.
	watch    int
	children []string
	changed  uint64
}

// Stamp is what lies at a path, if it is known: a directory or a file, which is no link
// and is behind none. A file is asked in each call.
func (v View) Stamp(path string) (stat.Stamp, bool) {
	found := v.known[path]
	if stamp, known := found.directory(); known || found == nil {
		return stamp, known
	}
	if file := found.file.Load(); file != nil {
		return file.stamp()
	}
	return stat.Stamp{}, false
}

// Directory is what a directory is like, if that is known without asking for it: then the
// way to it is known, too.
func (v View) Directory(path string) (stat.Stamp, bool) { return v.known[path].directory() }

// directory is Directory of a view; the nil place is unknown.
func (p *place) directory() (stat.Stamp, bool) {
	if p == nil {
		return stat.Stamp{}, false
	}
	if stamp := p.stamp.Load(); stamp != nil {
		return *stamp, true
	}
	return stat.Stamp{}, false
}

// Learn makes a directory known to later calls: its stamp was seen after the view was
// made, by lstat(2) of a path that is behind no link. What can't be watched stays unknown.
func (v View) Learn(path string, stamp stat.Stamp) {
	if v.from != nil && stamp.Kind == stat.Directory {
		v.from.learn(v, path, stamp)
	}
}

// Hold has a file held open for later calls. It is for files that are asked about in many
// calls: each takes a descriptor. What can't be held stays unknown.
func (v View) Hold(path string) {
	if _, known := v.known[path]; !known && v.from != nil {
		v.from.hold(path)
	}
}
