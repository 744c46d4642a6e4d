// Package cgroup reads what the kernel allows this process, so that the
// garbage collector works harder before the kernel ends the process.
package cgroup

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// unlimited is the smallest limit of version 1 that means no limit: the largest multiple of a page, whatever
// its size.
const unlimited = math.MaxInt64 - 1<<20

// MemoryLimit returns the smallest memory limit, in bytes, of the control groups that the process is in, of
// version 1 or 2. found is false if there is none or none can be read. root is the root of the file system.
func MemoryLimit(root fs.FS) (limit int64, found bool) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		if len(parts) != 3 {
			continue
		}
		mount, file := "", ""
		switch {
		case parts[0] == "0" && parts[1] == "":
			mount, file = "sys/fs/cgroup", "memory.max"
		case hasController(parts[1], "memory"):
			mount, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		if least, ok := leastAbove(root, mount, parts[2], file); ok && (!found || least < limit) {
			limit, found = least, true
		}
	}
	return limit, found
}

func hasController(list, wanted string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if name == wanted {
			return true
		}
	}
	return false
}

// leastAbove returns the smallest limit of a group and all its ancestors. In a container the path may be the
// host's, with only the last part mounted, so missing directories are skipped.
func leastAbove(root fs.FS, mount, group, file string) (least int64, found bool) {
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		if limit, ok := readLimit(root, path.Join(mount, at, file)); ok && (!found || limit < least) {
			least, found = limit, true
		}
		if at == "/" {
			return least, found
		}
	}
}

func readLimit(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" means no limit
	return limit, err == nil && limit > 0 && limit < unlimited
}
