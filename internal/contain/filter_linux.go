//go:build amd64 || arm64

package contain

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// Offsets in struct seccomp_data on a little-endian machine.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArgs   = 16
	sizeArg      = 8
)

// Actions of a rule. An error number is denied with.
type action uint32

const (
	allow action = unix.SECCOMP_RET_ALLOW
	// notify asks the watcher. Without a watcher it is denied with ENOSYS.
	notify action = unix.SECCOMP_RET_USER_NOTIF
)

func deny(errno unix.Errno) action {
	return action(unix.SECCOMP_RET_ERRNO | uint32(errno)) //nolint:gosec // error numbers are small
}

// condition compares the low 32 bits of an argument. The kernel uses no more of the arguments that are
// compared here, except for pointers, which are compared with zero in full.
type condition struct {
	arg  int
	kind int
	val  uint32
	mask uint32
}

const (
	equals = iota
	differs
	hasBits
	isSet // a pointer that isn't null
)

func argIs(arg int, val uint32) condition   { return condition{arg: arg, kind: equals, val: val} }
func argIsnt(arg int, val uint32) condition { return condition{arg: arg, kind: differs, val: val} }
func argHas(arg int, bits uint32) condition { return condition{arg: arg, kind: hasBits, val: bits} }
func argSet(arg int) condition              { return condition{arg: arg, kind: isSet} }
func secondMasked(mask, val uint32) condition {
	return condition{arg: 1, kind: equals, val: val, mask: mask}
}

// rule is an action for a system call if all conditions hold.
type rule struct {
	number     int
	conditions []condition
	then       action
}

// table are the rules of system calls. The first match applies, and a call without a match is allowed.
type table struct {
	rules map[int][]rule
}

func (t *table) add(then action, number int, conditions ...condition) {
	if t.rules == nil {
		t.rules = map[int][]rule{}
	}
	t.rules[number] = append(t.rules[number], rule{number, conditions, then})
}

func (t *table) addAll(then action, numbers ...int) {
	for _, number := range numbers {
		t.add(then, number)
	}
}

// assemble returns the program. Calls of another architecture end the process, since they have
// other numbers; unknown numbers don't exist.
func (t *table) assemble() ([]bpf.RawInstruction, error) {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: lastKnown, SkipTrue: 1},
		bpf.RetConstant{Val: uint32(deny(unix.ENOSYS))},
	}
	numbers := slices.Sorted(maps.Keys(t.rules))
	for _, number := range numbers {
		if size := len(t.block(number)); size > maxBlock {
			return nil, fmt.Errorf("assemble seccomp filter: %d instructions for system call %d", size, number)
		}
	}
	program = append(program, t.search(numbers)...)
	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, fmt.Errorf("assemble seccomp filter: %w", err)
	}
	return raw, nil
}

// maxBlock is the longest conditional jump.
const maxBlock = 255

// search finds the block of a system call by bisection. The kernel runs the filter for every number when it
// is installed, so a linear list would add half a millisecond to each start.
func (t *table) search(numbers []int) []bpf.Instruction {
	if len(numbers) == 1 {
		block := t.block(numbers[0])
		//nolint:gosec // at most maxBlock
		found := bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(numbers[0]), SkipFalse: uint8(len(block))}
		return append(append([]bpf.Instruction{found}, block...), bpf.RetConstant{Val: uint32(allow)})
	}
	half := len(numbers) / 2
	lower, upper := t.search(numbers[:half]), t.search(numbers[half:])
	out := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: uint32(numbers[half]), SkipTrue: 1}, //nolint:gosec // numbers are small
		bpf.Jump{Skip: uint32(len(lower))},                                          //nolint:gosec // a few hundred
	}
	return append(append(out, lower...), upper...)
}

// block always returns.
func (t *table) block(number int) []bpf.Instruction {
	var out []bpf.Instruction
	for _, r := range t.rules[number] {
		body := []bpf.Instruction{bpf.RetConstant{Val: uint32(r.then)}}
		for i := len(r.conditions) - 1; i >= 0; i-- {
			body = append(r.conditions[i].test(len(body)), body...)
		}
		out = append(out, body...)
	}
	return append(out, bpf.RetConstant{Val: uint32(allow)})
}

// test falls through if the condition holds, and otherwise skips rest further instructions.
func (c condition) test(rest int) []bpf.Instruction {
	skip := uint8(rest)                          //nolint:gosec // a block has at most 255 instructions
	offset := uint32(offsetArgs + c.arg*sizeArg) //nolint:gosec // six arguments
	low := bpf.LoadAbsolute{Off: offset, Size: 4}
	switch c.kind {
	case isSet:
		return []bpf.Instruction{
			low,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 2},
			bpf.LoadAbsolute{Off: offset + 4, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: skip},
		}
	case hasBits:
		return []bpf.Instruction{low, bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: c.val, SkipFalse: skip}}
	case differs:
		return []bpf.Instruction{low, bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.val, SkipTrue: skip}}
	}
	out := []bpf.Instruction{low}
	if c.mask != 0 {
		out = append(out, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask})
	}
	return append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.val, SkipFalse: skip})
}

// limits are what a filter depends on.
type limits struct {
	readOnly bool
	loopback bool
	// isolated states that the run has namespaces of its own for processes and for IPC.
	isolated bool
	// scoped states that Landlock keeps signals inside.
	scoped bool
}

func limitsOf(o *v1.Obligation, isolated bool, abi int) limits {
	return limits{
		readOnly: o.Profile == v1.ProfileReadOnly, loopback: o.Network == v1.NetworkLoopback, isolated: isolated, scoped: abi >= abiScopes,
	}
}

// newTable is the filter of a run. docs/decisions/0023 gives the reason of each group.
func newTable(l limits) *table {
	t := &table{}
	t.addSystem()
	t.addProcesses(l)
	t.addIoctls(l)
	t.addNetwork(l)
	t.addModes(l)
	t.addWrites(l)
	return t
}

const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET

// addSystem denies what changes the machine, and what could undo the containment.
func (t *table) addSystem() {
	t.addAll(deny(unix.EPERM),
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR,
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
		unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT,
		unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
		unix.SYS_SYSLOG, unix.SYS_FANOTIFY_INIT, unix.SYS_LSM_SET_SELF_ATTR,
	)
	t.addAll(deny(unix.EPERM), machineCalls...)
	t.add(deny(unix.EPERM), unix.SYS_UNSHARE, argHas(0, namespaceFlags|unix.CLONE_NEWTIME))
	t.add(deny(unix.EPERM), unix.SYS_CLONE, argHas(0, namespaceFlags))
	// Their flags are in memory, which a filter can't read. Programs fall back to clone and openat.
	t.addAll(deny(unix.ENOSYS), unix.SYS_CLONE3, unix.SYS_OPENAT2)
}

// addProcesses denies what changes other processes. In a process namespace of its own a run sees
// only its own.
func (t *table) addProcesses(l limits) {
	t.addAll(deny(unix.EPERM),
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE,
		unix.SYS_PROCESS_MRELEASE, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
	)
	// The limit of core dumps stays: a dump may go to a program outside. A program that sets it gets a
	// success.
	t.add(deny(0), unix.SYS_PRLIMIT64, argIs(1, unix.RLIMIT_CORE), argSet(2))
	t.add(deny(0), unix.SYS_SETRLIMIT, argIs(0, unix.RLIMIT_CORE))
	// A lease on a file that can only be read makes others wait for it.
	t.add(deny(unix.EPERM), unix.SYS_FCNTL, argIs(1, unix.F_SETLEASE))
	if l.isolated {
		return
	}
	t.add(deny(unix.EPERM), unix.SYS_PRLIMIT64, argIsnt(0, 0), argSet(2))
	for _, number := range []int{unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET} {
		t.add(deny(unix.EPERM), number, argIsnt(1, 0))
	}
	t.add(deny(unix.EPERM), unix.SYS_SETPRIORITY, argIsnt(0, unix.PRIO_PROCESS))
	const ioprioProcess = 1
	t.add(deny(unix.EPERM), unix.SYS_IOPRIO_SET, argIsnt(0, ioprioProcess))
	for _, number := range []int{unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETAFFINITY} {
		t.add(deny(unix.EPERM), number, argIsnt(0, 0))
	}
	t.addAll(deny(unix.EPERM),
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP,
		unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	)
	if l.scoped {
		return
	}
	t.addAll(deny(unix.EPERM), unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
		unix.SYS_PIDFD_SEND_SIGNAL)
	const setOwnerEx = 15
	t.add(deny(unix.EPERM), unix.SYS_FCNTL, argIs(1, unix.F_SETOWN))
	t.add(deny(unix.EPERM), unix.SYS_FCNTL, argIs(1, setOwnerEx))
}

// Requests of ioctl that aren't in package unix.
const (
	figetbsz       = 2
	ficlone        = 0x40049409
	ficloneRange   = 0x4020940d
	fiemap         = 0xc020660b
	getFlags       = 0x80086601
	getVersion     = 0x80087601
	fsGetXattr     = 0x801c581f
	getEntropy     = 0x80045200
	blockSize      = 0x80081272
	tioclinux      = 0x541c
	tiocsserial    = 0x541f
	tiocsrs485     = 0x542f
	ioctlTerminals = 0x5400
	ioctlSockets   = 0x8900
	ioctlTypeMask  = 0xffffff00
)

// addIoctls allows requests that only query, and requests of terminals. Others change files through
// descriptors that can only read, or devices.
func (t *table) addIoctls(l limits) {
	const number = unix.SYS_IOCTL
	// Input of the terminal is what the person typed.
	for _, request := range []uint32{unix.TIOCSTI, tioclinux, unix.TIOCCONS, unix.TIOCSETD, tiocsserial, unix.TIOCVHANGUP, unix.TIOCEXCL, tiocsrs485} {
		t.add(deny(unix.EPERM), number, argIs(1, request))
	}
	// An argument steals the terminal of another session.
	t.add(deny(unix.EPERM), number, argIs(1, unix.TIOCSCTTY), argIsnt(2, 0))
	t.add(allow, number, secondMasked(ioctlTypeMask, ioctlTerminals)) // FIONREAD and FIOCLEX among them
	for _, request := range []uint32{
		unix.TIOCGPTN, unix.TIOCSPTLCK, unix.TIOCGPTLCK, unix.TIOCGDEV, figetbsz, ficlone, ficloneRange, fiemap, getFlags, getVersion, fsGetXattr,
		getEntropy, blockSize,
	} {
		t.add(allow, number, argIs(1, request))
	}
	if l.loopback {
		t.add(allow, number, secondMasked(ioctlTypeMask, ioctlSockets))
	}
	t.add(deny(unix.ENOTTY), number)
}

// addNetwork leaves socket pairs. Those that know no other address: a datagram socket could be
// sent from to every socket that has a path.
func (t *table) addNetwork(l limits) {
	const typeMask = 0xf
	for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
		t.add(allow, unix.SYS_SOCKETPAIR, argIs(0, unix.AF_UNIX), secondMasked(typeMask, kind))
	}
	t.add(deny(unix.EACCES), unix.SYS_SOCKETPAIR)
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
		if !l.loopback {
			t.add(notify, unix.SYS_SOCKET, argIs(0, family))
			continue
		}
		for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
			t.add(allow, unix.SYS_SOCKET, argIs(0, family), secondMasked(typeMask, kind))
		}
	}
	if l.loopback {
		t.add(allow, unix.SYS_SOCKET, argIs(0, unix.AF_NETLINK), argIs(2, unix.NETLINK_ROUTE))
	}
	// Sockets with a path reach programs outside in any namespace.
	t.add(deny(unix.EACCES), unix.SYS_SOCKET)
	if !l.loopback {
		t.addAll(deny(unix.EACCES), unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN)
		t.add(deny(unix.EACCES), unix.SYS_SENDTO, argSet(4))
	}
}

const setIDBits = unix.S_ISUID | unix.S_ISGID

// addModes denies changes of a file's metadata, which Landlock doesn't restrict, unless read-only mounts do.
// No file becomes setuid or setgid.
func (t *table) addModes(l limits) {
	t.addAll(deny(unix.EPERM), unix.SYS_FILE_SETATTR)
	if !l.readOnly {
		t.add(deny(unix.EPERM), unix.SYS_FCHMOD, argHas(1, setIDBits))
		t.add(deny(unix.EPERM), unix.SYS_FCHMODAT, argHas(2, setIDBits))
		t.add(deny(unix.EPERM), unix.SYS_FCHMODAT2, argHas(2, setIDBits))
		for number, mode := range modeCalls {
			t.add(deny(unix.EPERM), number, argHas(mode, setIDBits))
		}
		return
	}
	for number := range modeCalls {
		t.add(notify, number)
	}
	t.addAll(notify, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT)
	t.addAll(notify, metadataCalls...)
	t.addAll(deny(unix.EPERM),
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
	)
}

const writeFlags = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// addWrites shows the watcher the calls that Landlock and the mounts judge.
func (t *table) addWrites(_ limits) {
	t.add(deny(unix.EPERM), unix.SYS_OPENAT, argHas(2, unix.O_CREAT), argHas(3, setIDBits))
	t.add(notify, unix.SYS_OPENAT, argHas(2, writeFlags))
	t.add(deny(unix.EPERM), unix.SYS_MKNODAT, argHas(2, setIDBits))
	t.addAll(notify,
		unix.SYS_UNLINKAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_MKDIRAT, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_TRUNCATE,
		unix.SYS_MKNODAT,
	)
	t.addOlderWrites()
}

// install puts the filter onto the calling thread, which must have no_new_privs. It returns the descriptor
// that the watcher reads. It returns -1 if another program already watches this one: then calls for the
// watcher are denied, or left to Landlock.
func (t *table) install() (int, error) {
	raw, err := t.assemble()
	if err != nil {
		return -1, err
	}
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	listener, err := setFilter(raw, flags)
	if errors.Is(err, unix.EINVAL) {
		listener, err = setFilter(raw, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	}
	if errors.Is(err, unix.EBUSY) {
		return t.installUnwatched()
	}
	if err != nil {
		return -1, fmt.Errorf("install seccomp filter: %w", err)
	}
	return listener, nil
}

// installUnwatched is for a run inside of another.
func (t *table) installUnwatched() (int, error) {
	judged := map[int]bool{}
	for _, number := range landlockCalls {
		judged[number] = true
	}
	for number, rules := range t.rules {
		for i := range rules {
			if rules[i].then != notify {
				continue
			}
			rules[i].then = deny(unix.EPERM)
			if judged[number] {
				rules[i].then = allow
			}
		}
	}
	raw, err := t.assemble()
	if err != nil {
		return -1, err
	}
	if _, err := setFilter(raw, 0); err != nil {
		return -1, fmt.Errorf("install seccomp filter: %w", err)
	}
	return -1, nil
}

func setFilter(raw []bpf.RawInstruction, flags uintptr) (int, error) {
	filters := make([]unix.SockFilter, len(raw))
	for i, instruction := range raw {
		filters[i] = unix.SockFilter{Code: instruction.Op, Jt: instruction.Jt, Jf: instruction.Jf, K: instruction.K}
	}
	program := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]} //nolint:gosec // a few hundred
	//nolint:gosec // the kernel takes a pointer to the program
	fd, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}
