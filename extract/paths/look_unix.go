//go:build unix

package paths

import (
	"io/fs"
	"os"
	"syscall"
)

// lookOnDisk asks the kernel directly: the standard library's FileInfo costs
// more than the call, and a path is asked for segment by segment.
func lookOnDisk(path string) node {
	var stat syscall.Stat_t
	if err := syscall.Lstat(path, &stat); err != nil {
		return node{err: err}
	}
	seen := node{nlink: uint64(stat.Nlink)} //nolint:unconvert // the field's width differs between platforms
	switch stat.Mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		seen.mode = fs.ModeDir
	case syscall.S_IFREG:
	case syscall.S_IFLNK:
		seen.mode = fs.ModeSymlink
		seen.link, seen.err = os.Readlink(path)
	default:
		seen.mode = fs.ModeIrregular
	}
	return seen
}
