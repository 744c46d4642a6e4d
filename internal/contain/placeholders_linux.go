//go:build amd64 || arm64

package contain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// A path that must not be created needs a mount point, so something must be there during the run. It has to be
// what git and tools take for nothing, in the run and outside it: a run that is killed may leave it. An empty
// directory is passed over by git and by what looks for a file to read; a link to nowhere looks missing to
// everything that opens it, but git lists it as a file. The obligation names the paths that need a link.
//
// The sticky bit, or the target of the link, marks a placeholder, so that a later run removes one that was left.
// Runs in the same place share a lock of its parent directory, and the last one removes it: a mount ends with its
// mount point.
const (
	placeholderMode   = 0o755 | unix.S_ISVTX
	placeholderTarget = "/proc/policyd-contained-run"
)

// places are the placeholders of a run, and the locked directories.
type places struct {
	paths []string
	locks map[string]int
}

// placeholders makes those of an obligation.
func placeholders(o *v1.Obligation) (*places, error) {
	p := &places{locks: map[string]int{}}
	for _, path := range outermost(o.Protect) {
		if !belowAny(path, o.Write) {
			continue
		}
		if err := p.makeOne(path, o.Write, slices.Contains(o.Links, path)); err != nil {
			p.remove()
			return nil, fmt.Errorf("protect %s: %w", path, err)
		}
	}
	return p, nil
}

// outermost are the paths that are below no other: nothing is created below one that stays as it is.
func outermost(paths []string) []string {
	sorted := slices.Sorted(slices.Values(paths))
	out := sorted[:0]
	for _, path := range sorted {
		if !belowAny(path, out) {
			out = append(out, path)
		}
	}
	return out
}

// makeOne makes the first part of a path that is missing.
func (p *places) makeOne(path string, write []string, link bool) error {
	first, found := firstMissing(path)
	if !found || !belowAny(filepath.Dir(first), write) || belowAny(first, p.paths) {
		return nil // it is there, or nothing can be created there
	}
	dir, err := p.lock(filepath.Dir(first))
	if err != nil {
		return err
	}
	if link && first == path {
		err = unix.Symlinkat(placeholderTarget, dir, filepath.Base(first))
	} else {
		err = unix.Mkdirat(dir, filepath.Base(first), placeholderMode)
	}
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if err == nil || isPlaceholder(first) {
		p.paths = append(p.paths, first)
	}
	return nil
}

// firstMissing is the shortest part of a path that doesn't exist, or is a placeholder.
func firstMissing(path string) (string, bool) {
	var parts []string
	for part := path; part != "/"; part = filepath.Dir(part) {
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	for _, part := range parts {
		if _, err := os.Lstat(part); (err != nil && missing(err)) || (err == nil && isPlaceholder(part)) {
			return part, true
		}
	}
	return "", false
}

// isPlaceholder reports whether a run made what is at a path. A directory that something else put to use is none
// any more.
func isPlaceholder(path string) bool {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return false
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return err == nil && target == placeholderTarget
	case !info.IsDir() || info.Mode()&os.ModeSticky == 0:
		return false
	}
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}

// lock keeps a run that ends from removing the placeholders in a directory.
func (p *places) lock(dir string) (int, error) {
	if fd, held := p.locks[dir]; held {
		return fd, nil
	}
	fd, err := openPlace(dir)
	if err != nil {
		return -1, err
	}
	for {
		err = unix.Flock(fd, unix.LOCK_SH)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return -1, errors.Join(fmt.Errorf("lock %s: %w", dir, err), unix.Close(fd))
	}
	p.locks[dir] = fd
	return fd, nil
}

// openPlace opens a directory of placeholders. No part of its path may be a symbolic link: placeholders are made only in
// the directory of the decision.
func openPlace(dir string) (int, error) {
	return unix.Openat2(unix.AT_FDCWD, dir, &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
}

// remove removes the placeholders that no other run needs.
func (p *places) remove() {
	for dir, fd := range p.locks {
		removeIn(dir, fd, unneeded, p.paths)
	}
}

// Locks of a directory: unneeded fails if a run needs its placeholders, later waits until none does.
const (
	unneeded = unix.LOCK_EX | unix.LOCK_NB
	later    = unix.LOCK_EX
)

// removeIn removes those of the paths that are placeholders in an open directory, under a lock, and closes it.
func removeIn(dir string, fd, lock int, paths []string) {
	if unix.Flock(fd, lock) == nil {
		for _, path := range paths {
			if filepath.Dir(path) == dir && isPlaceholder(path) {
				removePlaceholder(fd, filepath.Base(path))
			}
		}
	}
	_ = unix.Close(fd)
}

// removePlaceholder removes an empty directory or a link.
func removePlaceholder(dir int, name string) {
	if errors.Is(unix.Unlinkat(dir, name, unix.AT_REMOVEDIR), unix.ENOTDIR) {
		_ = unix.Unlinkat(dir, name, 0)
	}
}

// Left are the placeholders at paths, or above them, that a killed run left and no run needs. It may be used
// concurrently with runs.
func Left(paths []string) (left []string) {
	for dir, names := range present(paths) {
		fd, err := openPlace(dir)
		if err != nil {
			continue
		}
		if unix.Flock(fd, unneeded) == nil {
			left = append(left, names...)
		}
		_ = unix.Close(fd)
	}
	slices.Sort(left)
	return left
}

// RemoveLeft removes those, and returns the placeholders that are still there: a run needs them, or they can't be
// removed. It may be used concurrently with runs.
func RemoveLeft(paths []string) (left []string) {
	removePresent(paths, unneeded)
	for _, names := range present(paths) {
		left = append(left, names...)
	}
	slices.Sort(left)
	return left
}

// removePresent removes the placeholders at paths. It holds one lock at a time: others wait for several, too.
func removePresent(paths []string, lock int) {
	for dir, names := range present(paths) {
		if fd, err := openPlace(dir); err == nil {
			removeIn(dir, fd, lock, names)
		}
	}
}

// present are the placeholders at paths, or above them, by their directories.
func present(paths []string) map[string][]string {
	out := map[string][]string{}
	for _, path := range outermost(paths) {
		first, found := firstMissing(path)
		dir := filepath.Dir(first)
		if found && isPlaceholder(first) && !slices.Contains(out[dir], first) {
			out[dir] = append(out[dir], first)
		}
	}
	return out
}

// tidy does in the inner stage what the outer one does at the end of a run, if it was killed. Nothing of the run may
// be left: with the mounts, what they protected can be changed.
func (s *spec) tidy() {
	for {
		if _, err := unix.Wait4(-1, nil, 0, nil); err != nil && !errors.Is(err, unix.EINTR) {
			break
		}
	}
	for fd := range 3 {
		_ = unix.Close(fd) // a reader of the program's output waits for its end
	}
	for _, path := range s.Placeholders {
		for unix.Unmount(path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW) == nil {
			continue // there may be one over the other
		}
	}
	removePresent(s.Placeholders, later)
}
