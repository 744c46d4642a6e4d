//go:build linux && (amd64 || arm64)

package stat

import (
	"strings"
	"syscall"
	"unsafe"
)

// Values of fcntl.h that package syscall keeps to itself.
const (
	fromWorkingDirectory = ^uintptr(99) // AT_FDCWD, -100
	noFollow             = 0x100        // AT_SYMLINK_NOFOLLOW
)

// usualLength is how long a path may be, its NUL included, to need no memory
// but the stack's.
const usualLength = 256

// look is fstatat(2) with the path on the stack. The standard library makes a
// copy on the heap for each call, which would be most of what a decision
// allocates.
func look(path string, follow bool) (Stamp, error) {
	var raw syscall.Stat_t
	if len(path) >= usualLength || strings.IndexByte(path, 0) >= 0 {
		if err := portable(path, follow, &raw); err != nil {
			return Stamp{}, err
		}
		return stampOf(&raw), nil
	}
	var text [usualLength]byte
	copy(text[:], path)
	flags := uintptr(noFollow)
	if follow {
		flags = 0
	}
	// Both arrays outlive the call, and nothing else holds their addresses.
	_, _, errno := syscall.Syscall6(fstatat, fromWorkingDirectory,
		uintptr(unsafe.Pointer(&text)), uintptr(unsafe.Pointer(&raw)), flags, 0, 0) //nolint:gosec // as package syscall itself does
	if errno != 0 {
		return Stamp{}, errno
	}
	return stampOf(&raw), nil
}
