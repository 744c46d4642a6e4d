package contain

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	// lastKnown is file_setattr, of Linux 6.17.
	lastKnown = unix.SYS_FILE_SETATTR
)

var (
	machineCalls  = []int{unix.SYS_NFSSERVCTL}
	modeCalls     = map[int]int{}
	metadataCalls []int
)

// landlockCalls are shown to the watcher and judged by Landlock.
var landlockCalls = []int{
	unix.SYS_OPENAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_MKDIRAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT,
	unix.SYS_TRUNCATE, unix.SYS_MKNODAT,
}

// addOlderWrites has nothing to add: this architecture has no forms without a directory descriptor.
func (*table) addOlderWrites() {}
