package watched

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"policyd/extract/stat"
)

// errNotLocal is for a directory that can change without a report.
var errNotLocal = errors.New("not a directory of which every change is reported")

// local is a directory of a file system that reports every change, held open: whatever
// becomes of its name, all that is asked of it is about the same directory, and none of
// it waits for another machine or program.
type local struct{ file *os.File }

// openLocal opens a directory that is no link. To open it, and to ask what it lies in, may
// wait for whoever answers for the file system.
func openLocal(at string) (local, error) {
	number, err := unix.Open(at, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return local{}, fmt.Errorf("open directory: %w", err)
	}
	found := local{os.NewFile(uintptr(number), at)}
	if !found.reportsAll() {
		found.close()
		return local{}, errNotLocal
	}
	return found, nil
}

func (l local) close() { _ = l.file.Close() } // nothing was written to it

// watch puts a watch on it, or finds the one that is there.
func (l local) watch(inotify int) (int, error) {
	number, err := unix.InotifyAddWatch(inotify, "/proc/self/fd/"+strconv.Itoa(int(l.file.Fd())), events)
	if err != nil {
		return unwatched, fmt.Errorf("watch directory: %w", err)
	}
	return number, nil
}

// reportsAll reports whether the file system tells of every change, as those do that only
// this kernel writes to: one of a network, of a program (FUSE) or of another kernel
// changes without a report.
func (l local) reportsAll() bool {
	var found unix.Statfs_t
	if err := unix.Fstatfs(int(l.file.Fd()), &found); err != nil {
		return false
	}
	switch uint32(found.Type) { //nolint:gosec // the numbers are of 32 bits
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return true
	case unix.OVERLAYFS_SUPER_MAGIC:
		var state unix.Stat_t
		if err := unix.Fstat(int(l.file.Fd()), &state); err != nil {
			return false
		}
		mounts, err := os.ReadFile("/proc/self/mountinfo")
		return err == nil && closedOverlay(mounts, unix.Major(state.Dev), unix.Minor(state.Dev), gone)
	}
	return false
}

func gone(path string) bool {
	_, err := stat.Path(path, false)
	return stat.Missing(err)
}

// closedOverlay reports whether an overlay is the root of a container, none of whose
// layers has a name in it. What is done in a layer shows in the overlay and is reported
// of the layer alone, so that others are asked about. mounts is as in
// proc_pid_mountinfo(5): the third field is the device, the fourth and fifth are what is
// mounted where, and the last are the options of the file system.
func closedOverlay(mounts []byte, major, minor uint32, gone func(path string) bool) bool {
	device := fmt.Sprint(major, ":", minor)
	for line := range bytes.Lines(mounts) {
		fields := strings.Fields(string(line))
		if len(fields) < 10 || fields[2] != device || fields[3] != "/" || fields[4] != "/" {
			continue
		}
		layers, ok := layersOf(fields[len(fields)-1])
		return ok && !slices.ContainsFunc(layers, func(layer string) bool { return !gone(layer) })
	}
	return false
}

// layersOf are the directories that an overlay's options name. It reports false where they
// don't name them all in plain words: a relative one is of whoever mounted it, and
// what is escaped isn't read.
func layersOf(options string) (layers []string, ok bool) {
	if strings.ContainsRune(options, '\\') {
		return nil, false
	}
	for option := range strings.SplitSeq(options, ",") {
		key, value, _ := strings.Cut(option, "=")
		switch strings.TrimSuffix(key, "+") {
		case "lowerdir", "upperdir", "workdir", "datadir":
			for layer := range strings.SplitSeq(value, ":") {
				if layer != "" {
					layers = append(layers, layer)
				}
			}
		}
	}
	relative := func(layer string) bool { return !strings.HasPrefix(layer, "/") }
	return layers, len(layers) > 0 && !slices.ContainsFunc(layers, relative)
}
