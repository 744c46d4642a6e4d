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
func look(path string, follow bool) (Stamp, error) { return lookBelow("", path, follow) }

// lookBelow does the same for a name below a directory, which are joined there.
func lookBelow(dir, name string, follow bool) (Stamp, error) {
	var raw syscall.Stat_t
	length := len(dir) + len(name)
	if dir != "" {
		length++
	}
	if length >= usualLength || strings.IndexByte(name, 0) >= 0 || strings.IndexByte(dir, 0) >= 0 {
		if dir != "" {
			name = dir + "/" + name
		}
		if err := portable(name, follow, &raw); err != nil {
			return Stamp{}, err
		}
		return stampOf(&raw), nil
	}
	var text [usualLength]byte
	if dir != "" {
		text[copy(text[:], dir)] = '/'
	}
	copy(text[length-len(name):], name)
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

// Held describes what is open by a descriptor, which the caller keeps open meanwhile. What
// is open is in the kernel's memory if its file system is one of the machine's own, so
// that the question never waits.
func Held(descriptor uintptr) (Stamp, error) {
	var raw syscall.Stat_t
	_, _, errno := syscall.RawSyscall(syscall.SYS_FSTAT, descriptor, uintptr(unsafe.Pointer(&raw)), 0) //nolint:gosec // as above
	if errno != 0 {
		return Stamp{}, errno
	}
	return stampOf(&raw), nil
}
