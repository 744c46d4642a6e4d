//go:build linux && (amd64 || arm64)

package contain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempt is one way to do what a contained program must not do. It returns nil if it did it.
type attempt struct {
	name string
	try  func(*world) error
	// control states who can do it uncontained: the attempt is one that works.
	control control
	// legal in profile project: what it does stays inside the run.
	projectMay bool
	// terminal is needed on standard input.
	terminal bool
}

type control int

const (
	anyone control = iota
	rootOnly
	// nobodyTries is for what must not be tried uncontained, or what this machine may lack.
	nobodyTries
)

func attemptHere(name string) int {
	w := &world{}
	if err := json.Unmarshal([]byte(os.Getenv("WORLD")), w); err != nil {
		panic(err)
	}
	runtime.LockOSThread() // some attempts change the thread
	for _, a := range attempts {
		if a.name != name {
			continue
		}
		if err := a.try(w); err != nil {
			_, _ = fmt.Fprintln(os.Stdout, err)
			return 1
		}
		return 0
	}
	panic("unknown attempt " + name)
}

// call makes a system call by its number.
func call(number int, args ...uintptr) error {
	var six [6]uintptr
	copy(six[:], args)
	_, _, errno := unix.Syscall6(uintptr(number), six[0], six[1], six[2], six[3], six[4], six[5])
	if errno != 0 {
		return errno
	}
	return nil
}

func text(s string) uintptr {
	p, _ := unix.BytePtrFromString(s)
	return uintptr(unsafe.Pointer(p))
}

func openAndWrite(path string, flags int) error {
	fd, err := unix.Open(path, flags, 0o644)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Write(fd, []byte("harm\n"))
	return err
}

func openOnly(path string, flags int) error {
	fd, err := unix.Open(path, flags, 0o644)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func withReadable(path string, do func(fd int) error) error {
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd)
}

func dial(network, address string) error {
	connection, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = connection.Write([]byte("x"))
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		return nil // the server has closed the connection already
	}
	return err
}

func socket(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// scratch is a directory that the run may write to.
func scratch(w *world) string {
	if unix.Access(w.Project+"/src", unix.W_OK) == nil && os.WriteFile(w.Project+"/src/probe", nil, 0o600) == nil {
		return w.Project + "/src"
	}
	return os.TempDir()
}

// errHarmless is for what works and does no harm.
var errHarmless = errors.New("nothing outside was changed")

var attempts = []attempt{
	// Files by their paths.
	{name: "append to a file outside", try: func(w *world) error { return openAndWrite(w.Canary, unix.O_WRONLY|unix.O_APPEND) }},
	{name: "open a file outside for both", try: func(w *world) error { return openAndWrite(w.Canary, unix.O_RDWR) }},
	{name: "truncate while opening to read", try: func(w *world) error { return openOnly(w.Canary, unix.O_RDONLY|unix.O_TRUNC) }},
	{name: "truncate by path", try: func(w *world) error { return unix.Truncate(w.Canary, 0) }},
	{name: "create outside", try: func(w *world) error { return openOnly(w.Outside+"/new", unix.O_CREAT|unix.O_RDONLY) }},
	{name: "create without a name and link it", try: func(w *world) error { return openAndWrite(w.Outside, unix.O_TMPFILE|unix.O_WRONLY) }},
	{name: "openat2", try: func(w *world) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, w.Canary, &unix.OpenHow{Flags: unix.O_WRONLY})
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte("harm"))
		return err
	}},
	{name: "mkdir outside", try: func(w *world) error { return unix.Mkdir(w.Outside+"/dir", 0o755) }},
	{name: "delete outside", try: func(w *world) error { return unix.Unlink(w.Canary) }},
	{name: "rename outside", try: func(w *world) error { return unix.Rename(w.Canary, w.Outside+"/moved") }},
	{name: "rename into the run", try: func(w *world) error { return unix.Rename(w.Canary, scratch(w)+"/moved") }},
	{name: "rename out of the run", try: func(w *world) error {
		if err := os.WriteFile(scratch(w)+"/mine", []byte("harm"), 0o600); err != nil {
			return err
		}
		return unix.Rename(scratch(w)+"/mine", w.Canary)
	}},
	{name: "exchange", try: func(w *world) error {
		if err := os.WriteFile(scratch(w)+"/mine", []byte("harm"), 0o600); err != nil {
			return err
		}
		return unix.Renameat2(unix.AT_FDCWD, scratch(w)+"/mine", unix.AT_FDCWD, w.Canary, unix.RENAME_EXCHANGE)
	}},
	{name: "hard link into the run", try: func(w *world) error {
		if err := unix.Link(w.Canary, scratch(w)+"/link"); err != nil {
			return err
		}
		return openAndWrite(scratch(w)+"/link", unix.O_WRONLY)
	}},
	{name: "hard link by descriptor", control: rootOnly, try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error {
			if err := unix.Linkat(fd, "", unix.AT_FDCWD, scratch(w)+"/link", unix.AT_EMPTY_PATH); err != nil {
				return err
			}
			return openAndWrite(scratch(w)+"/link", unix.O_WRONLY)
		})
	}},
	{name: "symbolic link out", try: func(w *world) error {
		if err := unix.Symlink(w.Canary, scratch(w)+"/out"); err != nil {
			return err
		}
		return openAndWrite(scratch(w)+"/out", unix.O_WRONLY)
	}},
	{name: "symbolic link made outside", try: func(w *world) error { return unix.Symlink("x", w.Outside+"/link") }},
	{name: "write to a named pipe outside", try: func(w *world) error { return openOnly(w.Fifo, unix.O_RDWR|unix.O_NONBLOCK) }},
	{name: "map a file that can only be read", control: nobodyTries, try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error {
			_, err := unix.Mmap(fd, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
			return err
		})
	}},

	// Files by descriptors.
	{name: "inherited descriptors", try: func(*world) error {
		for fd := 3; fd < 64; fd++ {
			if _, err := unix.Write(fd, []byte("harm")); err == nil {
				return nil
			}
		}
		return errors.New("none is open")
	}},
	{name: "open standard input again", try: func(*world) error { return openAndWrite("/proc/self/fd/0", unix.O_WRONLY) }},
	{name: "open standard input's directory", try: func(*world) error {
		fd, err := unix.Openat(0, "canary", unix.O_WRONLY, 0)
		if err != nil {
			return openAndWrite("/proc/self/fd/0/../canary", unix.O_WRONLY)
		}
		return unix.Close(fd)
	}, control: nobodyTries},
	{name: "mode of standard input", try: func(*world) error { return unix.Fchmod(0, 0o777) }},
	{name: "open a reference again", try: func(w *world) error {
		fd, err := unix.Open(w.Canary, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return openAndWrite(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_WRONLY)
	}},
	{name: "file handle", control: rootOnly, try: func(w *world) error {
		handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, w.Canary, 0)
		if err != nil {
			return err
		}
		_ = mount
		return withReadable("/", func(at int) error {
			fd, err := unix.OpenByHandleAt(at, handle, unix.O_WRONLY)
			if err != nil {
				return err
			}
			_, err = unix.Write(fd, []byte("harm"))
			return err
		})
	}},

	// What Landlock doesn't restrict.
	{name: "chmod", try: func(w *world) error { return unix.Chmod(w.Canary, 0o600) }},
	{name: "fchmod", try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error { return unix.Fchmod(fd, 0o600) })
	}},
	{name: "fchmodat2", try: func(w *world) error {
		return call(unix.SYS_FCHMODAT2, ^uintptr(99), text(w.Canary), 0o600, 0)
	}},
	{name: "chmod of the project's parent", try: func(w *world) error { return unix.Chmod(filepath.Dir(w.Canary), 0o700) }},
	{name: "chown", control: rootOnly, try: func(w *world) error { return unix.Chown(w.Canary, 1, 1) }},
	{name: "lchown", control: rootOnly, try: func(w *world) error { return unix.Lchown(w.Canary, 1, 1) }},
	{name: "fchown", control: rootOnly, try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error { return unix.Fchown(fd, 1, 1) })
	}},
	{name: "times", try: func(w *world) error {
		return unix.UtimesNano(w.Canary, []unix.Timespec{{Sec: 1}, {Sec: 1}})
	}},
	{name: "times of a descriptor", try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error {
			times := [2]unix.Timespec{{Sec: 1}, {Sec: 1}}
			return call(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&times)), 0)
		})
	}},
	{name: "extended attribute", control: nobodyTries, try: func(w *world) error { return unix.Setxattr(w.Canary, "user.x", []byte("1"), 0) }},
	{name: "extended attribute of a descriptor", control: nobodyTries, try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error { return unix.Fsetxattr(fd, "user.x", []byte("1"), 0) })
	}},
	{name: "access control list", control: nobodyTries, try: func(w *world) error {
		return unix.Setxattr(w.Canary, "system.posix_acl_access", []byte{2, 0, 0, 0}, 0)
	}},
	{name: "file flags", control: nobodyTries, try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error {
			const setFlags, nodump = 0x40086602, 0x40
			return unix.IoctlSetPointerInt(fd, setFlags, nodump)
		})
	}},
	{name: "enable verity", control: nobodyTries, try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error {
			argument := unix.FsverityEnableArg{Version: 1, Hash_algorithm: 1, Block_size: 4096}
			return call(unix.SYS_IOCTL, uintptr(fd), unix.FS_IOC_ENABLE_VERITY, uintptr(unsafe.Pointer(&argument)))
		})
	}},
	{name: "file_setattr", control: nobodyTries, try: func(w *world) error {
		var attributes [24]byte
		return call(unix.SYS_FILE_SETATTR, ^uintptr(99), text(w.Canary), uintptr(unsafe.Pointer(&attributes)), 24, 0)
	}},
	{name: "a program that runs as its owner", projectMay: false, try: func(w *world) error {
		file := scratch(w) + "/set"
		if err := os.WriteFile(file, nil, 0o755); err != nil {
			return err
		}
		_ = unix.Chmod(file, 0o4755)
		if fd, err := unix.Open(file+"2", unix.O_CREAT|unix.O_WRONLY, 0o4755); err == nil {
			_ = unix.Close(fd)
		}
		_ = unix.Mknod(file+"3", unix.S_IFREG|0o4755, 0)
		for _, name := range []string{file, file + "2", file + "3"} {
			var stat unix.Stat_t
			if unix.Stat(name, &stat) == nil && stat.Mode&unix.S_ISUID != 0 {
				return nil
			}
		}
		return errors.New("none has the mode")
	}},
	{name: "run a program that runs as root", control: nobodyTries, try: func(w *world) error {
		output, err := exec.Command(w.Set, "-u").Output()
		if err != nil || strings.TrimSpace(string(output)) != "0" || os.Geteuid() == 0 {
			return errors.New("it doesn't run as root")
		}
		return nil
	}},

	// Other processes.
	{name: "kill", try: func(w *world) error { return unix.Kill(w.Victim, unix.SIGTERM) }},
	{name: "kill the group", try: func(w *world) error { return unix.Kill(-w.Victim, unix.SIGCONT) }, control: nobodyTries},
	{name: "kill the parent", control: nobodyTries, try: func(*world) error {
		if os.Getppid() <= 1 {
			return unix.Kill(1, unix.SIGUSR1)
		}
		return unix.Kill(os.Getppid(), 0)
	}},
	{name: "tgkill", try: func(w *world) error { return unix.Tgkill(w.Victim, w.Victim, unix.SIGTERM) }},
	{name: "queue a signal", try: func(w *world) error {
		info := [32]int32{int32(unix.SIGTERM), 0, -1} // SI_QUEUE
		return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(w.Victim), uintptr(unix.SIGTERM), uintptr(unsafe.Pointer(&info)))
	}},
	{name: "signal by pidfd", try: func(w *world) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0)
	}},
	{name: "signal by an owner of a descriptor", try: func(w *world) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		const setSignal = 10
		for _, step := range [][2]int{{unix.F_SETOWN, w.Victim}, {setSignal, int(unix.SIGTERM)}, {unix.F_SETFL, unix.O_ASYNC | unix.O_NONBLOCK}} {
			if _, err := unix.FcntlInt(uintptr(pair[0]), step[0], step[1]); err != nil {
				return err
			}
		}
		if _, err := unix.Write(pair[1], []byte("x")); err != nil {
			return err
		}
		for range 100 {
			if stateIs(w.Victim, "Z") {
				return nil
			}
			pause()
		}
		return errHarmless
	}},
	{name: "ptrace", try: func(w *world) error {
		if err := unix.PtraceSeize(w.Victim); err != nil {
			return err
		}
		return nil
	}},
	{name: "memory of another", try: func(w *world) error {
		return openOnly(fmt.Sprintf("/proc/%d/mem", w.Victim), unix.O_RDWR)
	}},
	{name: "write into another", try: func(w *world) error {
		local := []unix.Iovec{{Base: &[]byte("x")[0]}}
		local[0].SetLen(1)
		_, err := unix.ProcessVMWritev(w.Victim, local, []unix.RemoteIovec{{Base: 1, Len: 1}}, 0)
		if errors.Is(err, unix.EFAULT) {
			return nil // allowed, except for the address
		}
		return err
	}},
	{name: "descriptor of another", try: func(w *world) error {
		fd, err := unix.PidfdOpen(w.Victim, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 1, 0)
		return err
	}},
	{name: "root of another", try: func(w *world) error {
		return openAndWrite(fmt.Sprintf("/proc/%d/root%s", w.Victim, w.Canary), unix.O_WRONLY)
	}},
	{name: "working directory of another", try: func(w *world) error {
		return openAndWrite(fmt.Sprintf("/proc/%d/cwd/canary", w.Victim), unix.O_WRONLY)
	}},
	{name: "environment of another", try: func(w *world) error {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", w.Victim))
		if err == nil && !bytes.Contains(content, []byte("hunter2")) {
			return errors.New("no secret")
		}
		return err
	}},
	{name: "environment of the launcher", control: nobodyTries, try: func(*world) error {
		_, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
		return err
	}},
	{name: "root of the launcher", control: nobodyTries, try: func(w *world) error {
		return openOnly(fmt.Sprintf("/proc/%d/root%s", os.Getppid(), w.Canary), unix.O_WRONLY)
	}},
	{name: "limits of another", try: func(w *world) error {
		return unix.Prlimit(w.Victim, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: 3}, nil)
	}},
	{name: "priority of another", try: func(w *world) error { return unix.Setpriority(unix.PRIO_PROCESS, w.Victim, 19) }},
	{name: "priority of a user", try: func(*world) error { return unix.Setpriority(unix.PRIO_USER, 0, 1) }, control: nobodyTries, projectMay: true},
	{name: "processors of another", try: func(w *world) error {
		var set unix.CPUSet
		set.Set(0)
		return unix.SchedSetaffinity(w.Victim, &set)
	}},
	{name: "disk priority of another", try: func(w *world) error {
		return call(unix.SYS_IOPRIO_SET, 1, uintptr(w.Victim), 3<<13)
	}},
	{name: "core dump", control: nobodyTries, try: func(*world) error {
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1 << 30, Max: 1 << 30})
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_CORE, &limit); err != nil {
			return err
		}
		if limit.Cur <= 1 {
			return errors.New("core dumps stay limited")
		}
		return nil
	}},

	{name: "lease on a file outside", try: func(w *world) error {
		return withReadable(w.Canary, func(fd int) error {
			const read, exclusive = 0, 1
			if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, exclusive); err == nil {
				return nil
			}
			_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, read)
			return err
		})
	}, control: nobodyTries},

	// The network.
	{name: "connect by TCP", try: func(w *world) error { return dial("tcp", w.TCP) }},
	{name: "send by UDP", try: func(w *world) error { return dial("udp", w.UDP) }},
	{name: "connect to a path", try: func(w *world) error { return dial("unix", w.Stream) }},
	{name: "send to a path", try: func(w *world) error { return dial("unixgram", w.Datagram) }},
	{name: "connect to an abstract name", try: func(w *world) error { return dial("unix", w.Abstract) }},
	{name: "send to a path from a pair", try: func(w *world) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: w.Datagram})
	}},
	{name: "send to a path from a pair of packets", control: nobodyTries, try: func(w *world) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
		if err != nil {
			return err
		}
		if err := unix.Sendmsg(pair[0], []byte("x"), nil, &unix.SockaddrUnix{Name: w.Datagram}, 0); err != nil {
			return err
		}
		return errHarmless // the address is ignored
	}},
	{name: "connect a pair again", control: nobodyTries, try: func(w *world) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		_ = unix.Close(pair[1])
		return unix.Connect(pair[0], &unix.SockaddrUnix{Name: w.Stream})
	}},
	{name: "bind a TCP port", try: func(*world) error {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		return listener.Close()
	}},
	{name: "resolve a name", control: nobodyTries, try: func(*world) error {
		_, err := net.LookupHost("example.org")
		return err
	}},
	{name: "raw socket", control: rootOnly, try: func(*world) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
	{name: "packet socket", control: nobodyTries, try: func(*world) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
	{name: "netlink", try: func(*world) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE) }},
	{name: "vsock", control: nobodyTries, try: func(*world) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) }},
	{name: "kernel crypto socket", control: nobodyTries, try: func(*world) error { return socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0) }},
	{name: "multipath TCP", control: nobodyTries, try: func(*world) error { return socket(unix.AF_INET, unix.SOCK_STREAM, 262) }},
	{name: "socket family in the high bits", control: nobodyTries, try: func(*world) error {
		return call(unix.SYS_SOCKET, unix.AF_INET|1<<40, unix.SOCK_STREAM, 0)
	}},

	// Ways around the filter.
	{name: "io_uring", control: nobodyTries, try: func(*world) error {
		var parameters [120]byte
		return call(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&parameters)))
	}},
	{name: "calls of 32 bits", control: nobodyTries, try: callOf32Bits},
	{name: "calls of the x32 ABI", control: nobodyTries, try: func(*world) error { return call(0x40000000+39, 0) }},
	{name: "calls that don't exist yet", control: nobodyTries, try: func(*world) error {
		if err := call(unix.SYS_FILE_SETATTR + 7); !errors.Is(err, unix.ENOSYS) {
			return nil
		}
		return unix.ENOSYS
	}},
	{name: "a filter over the filter", control: nobodyTries, try: func(w *world) error {
		// RET_TRACE without a tracer would be ENOSYS, and RET_ALLOW is what the attempt hopes for.
		filter := []unix.SockFilter{{Code: 0x06, K: unix.SECCOMP_RET_ALLOW}}
		program := unix.SockFprog{Len: 1, Filter: &filter[0]}
		if err := call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); err != nil {
			return err
		}
		return openAndWrite(w.Canary, unix.O_WRONLY)
	}},
	{name: "a listener over the listener", control: nobodyTries, try: func(*world) error {
		filter := []unix.SockFilter{{Code: 0x06, K: unix.SECCOMP_RET_USER_NOTIF}}
		program := unix.SockFprog{Len: 1, Filter: &filter[0]}
		return call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	}},
	{name: "user namespace", try: func(*world) error { return unshare(unix.CLONE_NEWUSER) }},
	{name: "user namespace by clone3", control: nobodyTries, try: func(*world) error {
		arguments := [11]uint64{unix.CLONE_NEWUSER | unix.CLONE_NEWNS, 0, 0, 0, uint64(unix.SIGCHLD)}
		pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&arguments)), unsafe.Sizeof(arguments), 0)
		if errno != 0 {
			return errno
		}
		if pid == 0 {
			unix.Exit(0)
		}
		return nil
	}},
	{name: "mount namespace", control: rootOnly, try: func(*world) error { return unix.Unshare(unix.CLONE_NEWNS) }},
	{name: "mount", control: nobodyTries, try: func(w *world) error { return unix.Mount("x", scratch(w), "tmpfs", 0, "") }},
	{name: "bind", control: nobodyTries, try: func(w *world) error { return unix.Mount(w.Outside, scratch(w), "", unix.MS_BIND, "") }},
	{name: "remount", control: nobodyTries, try: func(*world) error {
		return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "")
	}},
	{name: "unmount what hides", control: nobodyTries, try: func(w *world) error { return unix.Unmount(w.Hidden, unix.MNT_DETACH) }},
	{name: "open_tree", control: nobodyTries, try: func(*world) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
		return err
	}},
	{name: "mount_setattr", control: nobodyTries, try: func(*world) error {
		return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	}},
	{name: "fsopen", control: nobodyTries, try: func(*world) error { _, err := unix.Fsopen("tmpfs", 0); return err }},
	{name: "chroot", control: nobodyTries, try: func(w *world) error { return unix.Chroot(w.Project) }},
	{name: "pivot_root", control: nobodyTries, try: func(w *world) error { return unix.PivotRoot(w.Project, w.Project) }},
	{name: "join namespaces", control: nobodyTries, try: func(w *world) error {
		return withReadable(fmt.Sprintf("/proc/%d/ns/mnt", w.Victim), func(fd int) error { return unix.Setns(fd, 0) })
	}},
	{name: "join namespaces of the launcher", control: nobodyTries, try: func(*world) error {
		return withReadable(fmt.Sprintf("/proc/%d/ns/net", os.Getppid()), func(fd int) error { return unix.Setns(fd, 0) })
	}},
	{name: "run from memory", try: runFromMemory},

	// The machine.
	{name: "settings of the kernel", control: rootOnly, try: func(*world) error { return openOnly("/proc/sys/kernel/core_pattern", unix.O_WRONLY) }},
	{name: "requests to the kernel", control: nobodyTries, try: func(*world) error { return openOnly("/proc/sysrq-trigger", unix.O_WRONLY) }},
	{name: "sysfs", control: nobodyTries, try: func(*world) error { return openOnly("/sys/kernel/mm/transparent_hugepage/enabled", unix.O_WRONLY) }},
	{name: "control groups", control: nobodyTries, try: func(*world) error { return unix.Mkdir("/sys/fs/cgroup/harm", 0o755) }},
	{name: "disk", control: nobodyTries, try: func(w *world) error { return openOnly(w.Device, unix.O_RDONLY) }},
	{name: "node of a disk", control: nobodyTries, try: func(w *world) error {
		var stat unix.Stat_t
		if err := unix.Stat(w.Device, &stat); err != nil {
			return err
		}
		node := scratch(w) + "/node"
		if err := unix.Mknod(node, unix.S_IFBLK|0o600, int(stat.Rdev)); err != nil {
			return err
		}
		return openOnly(node, unix.O_RDONLY)
	}},
	{name: "shared memory of others", try: func(w *world) error {
		memory, err := unix.SysvShmAttach(w.Shared, 0, 0)
		if err != nil {
			return err
		}
		memory[0] = 1
		return nil
	}},
	{name: "message queue", try: func(*world) error {
		fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, text("policyd-attempt"), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
		if errno != 0 {
			return errno
		}
		_ = call(unix.SYS_MQ_UNLINK, text("policyd-attempt"))
		return unix.Close(int(fd))
	}, projectMay: true},
	{name: "file in shared memory", try: func(*world) error {
		const file = "/dev/shm/policyd-attempt"
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return err
		}
		return os.Remove(file)
	}, projectMay: true},
	{name: "keys", control: nobodyTries, try: func(*world) error {
		_, err := unix.AddKey("user", "policyd-attempt", []byte("x"), unix.KEY_SPEC_USER_KEYRING)
		return err
	}},
	{name: "bpf", control: nobodyTries, try: func(*world) error { var a [128]byte; return call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&a)), 128) }},
	{name: "performance events", control: nobodyTries, try: func(*world) error {
		_, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: unix.PERF_ATTR_SIZE_VER0}, 0, -1, -1, 0)
		return err
	}},
	{name: "userfaultfd", control: nobodyTries, try: func(*world) error { return call(unix.SYS_USERFAULTFD, 1) }},
	{name: "fanotify", control: rootOnly, try: func(*world) error { _, err := unix.FanotifyInit(unix.FAN_CLASS_CONTENT, 0); return err }},
	{name: "kernel log", control: nobodyTries, try: func(*world) error { _, err := unix.Klogctl(10, nil); return err }},
	{name: "clock", control: nobodyTries, try: func(*world) error {
		now := time.Now()
		return unix.ClockSettime(unix.CLOCK_REALTIME, &unix.Timespec{Sec: now.Unix(), Nsec: int64(now.Nanosecond())})
	}},
	{name: "host name", control: nobodyTries, try: func(*world) error {
		name, _ := os.Hostname()
		return unix.Sethostname([]byte(name))
	}},
	{name: "accounting", control: nobodyTries, try: func(*world) error { return unix.Acct("") }},
	{name: "swap", control: nobodyTries, try: func(*world) error { return call(unix.SYS_SWAPOFF, text("/nowhere")) }},
	{name: "modules", control: nobodyTries, try: func(*world) error {
		err := unix.DeleteModule("policyd_attempt", 0)
		if errors.Is(err, unix.ENOENT) {
			err = nil
		}
		return err
	}},
	{name: "another user", control: rootOnly, try: func(*world) error { return unix.Setresuid(1, 1, 1) }},

	// The terminal.
	{name: "type on the terminal", terminal: true, try: func(*world) error {
		key := byte('x')
		return call(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&key)))
	}},
	{name: "type on the terminal, by name", terminal: true, try: func(*world) error {
		fd, err := unix.Open("/dev/tty", unix.O_RDWR, 0)
		if err != nil {
			return err
		}
		key := byte('x')
		return call(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSTI|1<<40, uintptr(unsafe.Pointer(&key)))
	}},
	{name: "select on the console", terminal: true, control: nobodyTries, try: func(*world) error {
		command := byte(2)
		return call(unix.SYS_IOCTL, 0, 0x541c, uintptr(unsafe.Pointer(&command)))
	}},
	{name: "line discipline", terminal: true, try: func(*world) error { return unix.IoctlSetPointerInt(0, unix.TIOCSETD, 0) }},
	{name: "lock the terminal", terminal: true, control: nobodyTries, try: func(*world) error {
		return call(unix.SYS_IOCTL, 0, unix.TIOCEXCL, 0)
	}},
	{name: "another terminal", try: func(w *world) error { return openAndWrite(w.Other, unix.O_WRONLY|unix.O_NOCTTY) }},
	{name: "read another terminal", try: func(w *world) error { return openOnly(w.Other, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK) }},

	// What a project run protects and hides.
	{name: "write a protected file", try: func(w *world) error { return openAndWrite(w.Protected, unix.O_WRONLY) }},
	{name: "chmod a protected file", try: func(w *world) error { return unix.Chmod(w.Protected, 0o600) }},
	{name: "rename over a protected file", try: func(w *world) error {
		if err := os.WriteFile(scratch(w)+"/config", nil, 0o600); err != nil {
			return err
		}
		return unix.Rename(scratch(w)+"/config", w.Protected)
	}},
	{name: "rename the directory above", try: func(w *world) error { return unix.Rename(filepath.Dir(w.Protected), w.Project+"/old") }},
	{name: "exchange the directory above", try: func(w *world) error {
		return unix.Renameat2(unix.AT_FDCWD, filepath.Dir(w.Protected), unix.AT_FDCWD, scratch(w), unix.RENAME_EXCHANGE)
	}},
	{name: "rename the project", try: func(w *world) error { return unix.Rename(w.Project, w.Project+"2") }},
	{name: "make what is missing", try: func(w *world) error { return openOnly(w.Missing, unix.O_CREAT|unix.O_WRONLY) }},
	{name: "make a directory that is missing", try: func(w *world) error {
		if err := unix.Mkdir(w.Missing, 0o755); err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
		return openOnly(w.Missing+"/post-commit", unix.O_CREAT|unix.O_WRONLY)
	}},
	{name: "replace what is missing", try: func(w *world) error {
		_ = unix.Rmdir(w.Missing)
		_ = unix.Unlink(w.Missing)
		return unix.Symlink("/x", w.Missing)
	}},
	{name: "rename onto what is missing", try: func(w *world) error {
		if err := unix.Mkdir(scratch(w)+"/hooks", 0o755); err != nil {
			return err
		}
		return unix.Rename(scratch(w)+"/hooks", w.Missing)
	}},
	{name: "make a path that is missing in parts", try: func(w *world) error {
		_ = unix.Mkdir(w.Project+"/.claude", 0o755)
		return openOnly(w.Project+"/.claude/settings.json", unix.O_CREAT|unix.O_WRONLY)
	}},
	{name: "read a hidden file", try: readHidden(func(w *world) string { return w.Hidden }), control: anyone},
	{name: "read a hidden file through the launcher", try: readHidden(func(w *world) string { return fmt.Sprintf("/proc/%d/root%s", os.Getppid(), w.Hidden) }), control: nobodyTries},
	{name: "read a hidden file through a link", try: readHidden(func(w *world) string {
		_ = unix.Link(w.Hidden, scratch(w)+"/shown")
		return scratch(w) + "/shown"
	})},
	{name: "read a hidden file after a rename", try: readHidden(func(w *world) string {
		_ = unix.Rename(w.Hidden, scratch(w)+"/shown")
		return scratch(w) + "/shown"
	})},
}

func readHidden(path func(*world) string) func(*world) error {
	return func(w *world) error {
		content, err := os.ReadFile(path(w))
		if err == nil && !bytes.Contains(content, []byte("canary")) {
			return errors.New("it is empty")
		}
		return err
	}
}

func stateIs(pid int, state string) bool { return stateOf(pid) == state }

// pause waits for another process, not for a time: the caller looks again.
func pause() { _, _ = unix.Poll(nil, 10) }

// unshare needs a process of one thread.
func unshare(flags uintptr) error {
	child := exec.Command("/proc/self/exe", "-test.run", "^$")
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	return child.Run()
}

// runFromMemory runs a shell from a file without a path, which writes outside.
func runFromMemory(w *world) error {
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return err
	}
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, shell); err != nil {
		return err
	}
	child := exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd), "-c", "echo harm > "+w.Canary)
	child.ExtraFiles = []*os.File{os.NewFile(uintptr(fd), "x")}
	return child.Run()
}
