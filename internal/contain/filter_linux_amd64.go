package contain

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// lastKnown is file_setattr, of Linux 6.17. Numbers of the x32 ABI are above it.
	lastKnown = unix.SYS_FILE_SETATTR
)

// machineCalls exist on this architecture alone.
var machineCalls = []int{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_USELIB, unix.SYS_CREATE_MODULE, unix.SYS__SYSCTL, unix.SYS_NFSSERVCTL}

// modeCalls set a mode, and the argument that is the mode.
var modeCalls = map[int]int{unix.SYS_CHMOD: 1}

// metadataCalls are the older forms of calls that change owners and times.
var metadataCalls = []int{unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT}

// landlockCalls are shown to the watcher and judged by Landlock.
var landlockCalls = []int{
	unix.SYS_OPENAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_MKDIRAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT,
	unix.SYS_TRUNCATE, unix.SYS_MKNODAT, unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_UNLINK, unix.SYS_RMDIR, unix.SYS_RENAME, unix.SYS_MKDIR,
	unix.SYS_LINK, unix.SYS_SYMLINK, unix.SYS_MKNOD,
}

// addOlderWrites are the forms without a directory descriptor.
func (t *table) addOlderWrites() {
	t.add(deny(unix.EPERM), unix.SYS_OPEN, argHas(1, unix.O_CREAT), argHas(2, setIDBits))
	t.add(notify, unix.SYS_OPEN, argHas(1, writeFlags))
	t.add(deny(unix.EPERM), unix.SYS_CREAT, argHas(1, setIDBits))
	t.add(deny(unix.EPERM), unix.SYS_MKNOD, argHas(1, setIDBits))
	t.addAll(notify, unix.SYS_CREAT, unix.SYS_UNLINK, unix.SYS_RMDIR, unix.SYS_RENAME, unix.SYS_MKDIR, unix.SYS_LINK, unix.SYS_SYMLINK, unix.SYS_MKNOD)
}
