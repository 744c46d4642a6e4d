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

// A path that must not be created needs a mount point, so something must be there during the run: an empty
// directory, which git and most tools ignore. Its mode marks it as a placeholder, so that a later run removes
// one that a killed run left. Runs in the same place share a lock of its parent directory, and the last one
// removes it: a mount ends with its mount point.
const placeholderMode = 0o511

// places are the placeholders of a run, and the locked directories.
type places struct {
	paths []string
	locks map[string]int
}

// placeholders makes those of an obligation.
func placeholders(o *v1.Obligation) (*places, error) {
	p := &places{locks: map[string]int{}}
	for _, path := range o.Protect {
		if !belowAny(path, o.Write) {
			continue
		}
		if err := p.makeOne(path, o.Write); err != nil {
			p.remove()
			return nil, fmt.Errorf("protect %s: %w", path, err)
		}
	}
	return p, nil
}

// makeOne makes the first part of a path that is missing.
func (p *places) makeOne(path string, write []string) error {
	first, found := firstMissing(path)
	if !found {
		first = path
	}
	if found && !belowAny(filepath.Dir(first), write) {
		return nil // nothing can be created there
	}
	if belowAny(first, p.paths) {
		return nil
	}
	info, err := os.Lstat(first)
	if err == nil && !isPlaceholder(info) {
		return nil
	}
	dir, err := p.lock(filepath.Dir(first))
	if err != nil {
		return err
	}
	err = makePlaceholder(dir, filepath.Base(first))
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if err == nil || isPlaceholderAt(first) {
		p.paths = append(p.paths, first)
	}
	return nil
}

// makePlaceholder makes one. Another run may exchange it for a link meanwhile, which is not followed: this
// process isn't contained.
func makePlaceholder(dir int, name string) error {
	if err := unix.Mkdirat(dir, name, placeholderMode); err != nil {
		return err
	}
	made, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fchmod(made, placeholderMode), unix.Close(made)) // ignore umask
}

// firstMissing is the shortest part of a path that doesn't exist, or is a placeholder.
func firstMissing(path string) (string, bool) {
	var parts []string
	for part := path; part != "/"; part = filepath.Dir(part) {
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	for _, part := range parts {
		info, err := os.Lstat(part)
		if (err != nil && missing(err)) || (err == nil && isPlaceholder(info)) {
			return part, true
		}
	}
	return "", false
}

func isPlaceholder(info os.FileInfo) bool {
	return info.IsDir() && info.Mode().Perm() == placeholderMode
}

func isPlaceholderAt(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && isPlaceholder(info)
}

// lock keeps a run that ends from removing the placeholders in a directory. No part of its path may be a
// symbolic link: placeholders are made only in the directory of the decision.
func (p *places) lock(dir string) (int, error) {
	if fd, held := p.locks[dir]; held {
		return fd, nil
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, dir, &unix.OpenHow{
		Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
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

// remove removes the placeholders that no other run needs. It removes only empty directories.
func (p *places) remove() {
	for dir, fd := range p.locks {
		if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			for _, path := range p.paths {
				if filepath.Dir(path) == dir && isPlaceholderAt(path) {
					_ = unix.Unlinkat(fd, filepath.Base(path), unix.AT_REMOVEDIR)
				}
			}
		}
		_ = unix.Close(fd)
	}
}
