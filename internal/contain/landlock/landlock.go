//go:build linux

// Package landlock makes the three system calls of Landlock, for the calling thread.
// github.com/landlock-lsm/go-landlock does more, for all threads of a process. It does so by
// a package that wraps the threads of C, and with cgo, which `go run` uses by default, programs
// that hold it were ended by SIGSEGV as soon as their heap grew.
//
// Numbers are those of https://docs.kernel.org/userspace-api/landlock.html.
package landlock

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Rights on files that golang.org/x/sys doesn't name yet.
const (
	// AccessFSResolveUnix is of ABI 9.
	AccessFSResolveUnix = 1 << 16
	// AccessNetBindUDP and AccessNetConnectSendUDP are of ABI 10.
	AccessNetBindUDP        = 1 << 2
	AccessNetConnectSendUDP = 1 << 3
)

// RulesetAttr states what a ruleset handles.
type RulesetAttr struct {
	HandledAccessFS, HandledAccessNet, Scoped uint64
}

// Version is the kernel's ABI. An error means that there is none, or that it is turned off.
func Version() (int, error) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(version), nil
}

// Create makes a ruleset, and returns its descriptor.
func Create(attr *RulesetAttr) (int, error) {
	//nolint:gosec // the kernel reads the struct during the call
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr), 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// Allow adds rights below what the descriptor dir names.
func Allow(ruleset int, rights uint64, dir int) error {
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(dir)} //nolint:gosec // a descriptor
	//nolint:gosec // the kernel reads the struct during the call
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// RestrictSelf restricts the calling thread, and what it starts, for good.
func RestrictSelf(ruleset int) error {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return errno
	}
	return nil
}
