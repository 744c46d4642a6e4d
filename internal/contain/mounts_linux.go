//go:build amd64 || arm64

package contain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
)

// mounts are what the inner stage arranges in its own mount namespace: everything read-only, then the
// directories that can be changed, then the paths that are protected or hidden.
type mounts struct {
	spec *spec
	// kept are subtrees to mount again, opened before anything covers them.
	kept map[string]int
	// empty are the empty directory and the empty file that cover others, once they were needed.
	empty map[bool]int
}

// arrange makes the mounts and the network of the calling process's namespaces, and enters the working directory.
func (s *spec) arrange() error {
	m := &mounts{spec: s, kept: map[string]int{}, empty: map[bool]int{}}
	steps := []func() error{m.separate, m.keep, m.freeze, m.renew, m.thaw, m.protect, m.hide, s.reopenStreams, s.raiseLoopback, s.enter}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// separate keeps what is mounted here from the mounts outside.
func (m *mounts) separate() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	return nil
}

// keep opens the subtrees that can be changed, and those below a directory that renew covers.
func (m *mounts) keep() error {
	paths := slices.Clone(m.spec.Obligation.Write)
	covered := shared
	if m.spec.Obligation.Profile == v1.ProfileReadOnly {
		paths, covered = append(paths, m.spec.Private...), nil
	}
	for _, path := range m.spec.Obligation.Read {
		if belowAny(path, covered) {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		if _, known := m.kept[path]; known {
			continue
		}
		fd, err := cloneTree(path)
		if missing(err) {
			continue // it can't be made either
		}
		if err != nil && !belowAny(path, m.spec.Obligation.Write) && !slices.Contains(m.spec.Private, path) {
			continue // it stays unreadable
		}
		if err != nil {
			return fmt.Errorf("open %s: %w", path, err)
		}
		m.kept[path] = fd
	}
	return nil
}

// cloneTree copies the mounts at path and below, so that they can be mounted elsewhere.
func cloneTree(path string) (int, error) { return cloneOpened(openReal(path)) }

// cloneOpened does so for what was opened, which it closes.
func cloneOpened(at int, err error) (int, error) {
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	return unix.OpenTree(at, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
}

// attach mounts a copied tree over path.
func attach(tree int, path string) error {
	at, err := openNoLinks(path)
	if err != nil {
		return fmt.Errorf("mount over %s: %w", path, err)
	}
	defer unix.Close(at)
	if err := unix.MoveMount(tree, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH); err != nil {
		return fmt.Errorf("mount over %s: %w", path, err)
	}
	return nil
}

// setReadOnly makes the mounts of a tree read-only.
func setReadOnly(tree int, path string) error {
	flags := uint(unix.AT_RECURSIVE)
	if tree >= 0 {
		flags |= unix.AT_EMPTY_PATH
	} else {
		tree = unix.AT_FDCWD
	}
	if err := unix.MountSetattr(tree, path, flags, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}); err != nil {
		return fmt.Errorf("make mounts read-only: %w", err)
	}
	return nil
}

// freeze makes everything read-only.
func (m *mounts) freeze() error { return setReadOnly(-1, "/") }

// renew covers what belongs to everybody: the processes, and in a project run temporary files and terminals.
func (m *mounts) renew() error {
	const harmless = unix.MS_NOSUID | unix.MS_NODEV
	if err := unix.Mount("proc", "/proc", "proc", harmless|unix.MS_NOEXEC|unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if isDirectory("/dev/pts") {
		err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=600")
		if err != nil {
			return fmt.Errorf("mount /dev/pts: %w", err)
		}
	}
	if m.spec.Obligation.Profile == v1.ProfileReadOnly {
		return nil
	}
	for _, dir := range m.spec.Private {
		if err := unix.Mount("tmpfs", dir, "tmpfs", harmless, "mode=1777"); err != nil {
			return fmt.Errorf("mount %s: %w", dir, err)
		}
	}
	return nil
}

func isDirectory(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// thaw mounts what was kept, parents first.
func (m *mounts) thaw() error {
	paths := make([]string, 0, len(m.kept))
	for path := range m.kept {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		tree := m.kept[path]
		if err := m.makePlace(path, tree); err != nil {
			return err
		}
		if !belowAny(path, m.spec.Obligation.Write) && !slices.Contains(m.spec.Private, path) {
			if err := setReadOnly(tree, ""); err != nil {
				return err
			}
		}
		if err := attach(tree, path); err != nil {
			return err
		}
		_ = unix.Close(tree)
	}
	return nil
}

// makePlace makes a mount point in an empty temporary directory.
func (m *mounts) makePlace(path string, tree int) error {
	if _, err := os.Lstat(path); err == nil || !belowAny(path, m.spec.Private) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a directory of the run alone
		return fmt.Errorf("make mount point: %w", err)
	}
	var stat unix.Stat_t
	if err := unix.Fstat(tree, &stat); err != nil {
		return fmt.Errorf("make mount point: %w", err)
	}
	var err error
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		err = os.Mkdir(path, 0o755) //nolint:gosec // as above
	} else {
		err = os.WriteFile(path, nil, 0o600)
	}
	if err != nil {
		return fmt.Errorf("make mount point: %w", err)
	}
	return nil
}

// protect keeps paths as they are. The directories above them, and above what is hidden, become mount points, too: a
// mount point can't be renamed, so no other directory can replace one. A missing path gets a placeholder (see
// places).
func (m *mounts) protect() error {
	write := m.spec.Obligation.Write
	chain := map[string]bool{}
	paths := outermost(slices.Concat(m.spec.Obligation.Protect, m.spec.Placeholders))
	for _, path := range slices.Concat(paths, m.spec.Obligation.Hide) {
		if !belowAny(path, write) {
			continue // it is read-only already
		}
		for dir := filepath.Dir(path); belowAny(dir, write) && !slices.Contains(write, dir); dir = filepath.Dir(dir) {
			chain[dir] = true
		}
	}
	dirs := make([]string, 0, len(chain))
	for dir := range chain {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		if err := pin(dir, false); err != nil {
			return err
		}
	}
	for _, path := range paths {
		if err := m.protectOne(path, write); err != nil {
			return err
		}
	}
	return nil
}

func (m *mounts) protectOne(path string, write []string) error {
	info, err := os.Lstat(path)
	switch {
	case !belowAny(path, write):
		return nil
	case err != nil && missing(err):
		if !belowAny(path, m.spec.Placeholders) {
			return fmt.Errorf("protect %s: it could be created", path)
		}
		return nil
	case err != nil:
		return fmt.Errorf("protect %s: %w", path, err)
	case info.Mode()&os.ModeSymlink != 0:
		if slices.Contains(m.spec.Placeholders, path) && pin(path, true) == nil {
			return nil // it looks missing in the run, too
		}
		return m.cover(path, false) // a link can be made to lead elsewhere; what it led to isn't there for the run
	}
	return pin(path, true)
}

func missing(err error) bool { return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) }

// pin mounts a path over itself. A link is not followed.
func pin(path string, readOnly bool) error {
	tree, err := cloneOpened(openNoLinks(path))
	if missing(err) && !readOnly {
		return nil
	}
	if err != nil {
		return fmt.Errorf("protect %s: %w", path, err)
	}
	defer unix.Close(tree)
	if readOnly {
		if err := setReadOnly(tree, ""); err != nil {
			return err
		}
	}
	return attach(tree, path)
}

// hide covers files and directories with empty ones.
func (m *mounts) hide() error {
	for _, path := range m.spec.Obligation.Hide {
		info, err := os.Lstat(path)
		if err != nil && missing(err) && m.left(path) {
			continue
		}
		if err != nil {
			return fmt.Errorf("hide %s, which was there a moment ago: %w", path, err)
		}
		if err := m.cover(path, info.IsDir()); err != nil {
			return err
		}
	}
	return nil
}

// left reports whether a path isn't there for the run because renew covered what is above it, and nothing of it was
// kept. Otherwise a path that is missing now was moved since it was found, and stands somewhere else.
func (m *mounts) left(path string) bool {
	for kept := range m.kept {
		if belowAny(path, []string{kept}) {
			return false
		}
	}
	return m.spec.Obligation.Profile != v1.ProfileReadOnly && belowAny(path, shared)
}

// cover mounts an empty read-only file or directory over a path.
func (m *mounts) cover(path string, directory bool) error {
	empty, made := m.empty[directory]
	if !made {
		var err error
		if empty, err = emptyTree(directory); err != nil {
			return fmt.Errorf("cover %s: %w", path, err)
		}
		m.empty[directory] = empty
	}
	tree, err := unix.OpenTree(empty, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH)
	if err != nil {
		return fmt.Errorf("cover %s: %w", path, err)
	}
	defer unix.Close(tree)
	return attach(tree, path)
}

// emptyTree is a read-only mount of an empty directory or file, mounted nowhere.
func emptyTree(directory bool) (int, error) {
	context, err := unix.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("open tmpfs: %w", err)
	}
	defer unix.Close(context)
	if err := configure(context, "mode", "0755"); err != nil {
		return -1, err
	}
	if err := configure(context, "", ""); err != nil {
		return -1, err
	}
	tree, err := unix.Fsmount(context, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
	if err != nil {
		return -1, fmt.Errorf("make empty mount: %w", err)
	}
	if directory {
		return tree, setReadOnly(tree, "")
	}
	defer unix.Close(tree)
	file, err := unix.Openat(tree, "empty", unix.O_CREAT|unix.O_RDONLY|unix.O_CLOEXEC, 0o444)
	if err != nil {
		return -1, fmt.Errorf("make empty file: %w", err)
	}
	_ = unix.Close(file)
	copied, err := unix.OpenTree(tree, "empty", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("make empty file: %w", err)
	}
	return copied, setReadOnly(copied, "")
}

// configure sets an option of a file system that is about to be made, or makes it.
func configure(context int, key, value string) error {
	const setString, create = 1, 6 // FSCONFIG_SET_STRING, FSCONFIG_CMD_CREATE
	var errno unix.Errno
	if key == "" {
		_, _, errno = unix.Syscall6(unix.SYS_FSCONFIG, uintptr(context), create, 0, 0, 0, 0)
	} else {
		name, err := unix.BytePtrFromString(key)
		if err != nil {
			return err
		}
		text, err := unix.BytePtrFromString(value)
		if err != nil {
			return err
		}
		//nolint:gosec // the kernel takes pointers to strings
		_, _, errno = unix.Syscall6(unix.SYS_FSCONFIG, uintptr(context), setString, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(text)), 0, 0)
	}
	if errno != 0 {
		return fmt.Errorf("configure tmpfs: %w", errno)
	}
	return nil
}

// reopenStreams opens standard streams again that can only read: through the descriptor that the caller opened,
// a path leads to the mounts outside. Devices are opened again, too, so that their modes can't be changed.
func (s *spec) reopenStreams() error {
	for fd := range 3 {
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		if err != nil {
			return fmt.Errorf("check standard streams: %w", err)
		}
		kind := stat.Mode & unix.S_IFMT
		device := kind == unix.S_IFCHR && !isTerminal(fd)
		readable := kind == unix.S_IFREG && flags&unix.O_ACCMODE == unix.O_RDONLY && stat.Nlink > 0
		if !device && !readable {
			continue
		}
		if err := reopen(fd, flags, &stat); err != nil {
			return err
		}
	}
	return nil
}

// reopen replaces a descriptor with one of the same file, found by its name.
func reopen(fd, flags int, stat *unix.Stat_t) error {
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return fmt.Errorf("open standard stream again: %w", err)
	}
	again, err := unix.Open(name, flags&^(unix.O_CREAT|unix.O_TRUNC|unix.O_EXCL)|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NOCTTY, 0)
	if err != nil {
		return fmt.Errorf("open standard stream %s again: %w", name, err)
	}
	defer unix.Close(again)
	var now unix.Stat_t
	if err := unix.Fstat(again, &now); err != nil || !sameFile(stat, &now) {
		return fmt.Errorf("open standard stream %s again: another file is there for the run", name)
	}
	if offset, err := unix.Seek(fd, 0, unix.SEEK_CUR); err == nil {
		if _, err := unix.Seek(again, offset, unix.SEEK_SET); err != nil && !strings.HasPrefix(name, "/dev/") {
			return fmt.Errorf("open standard stream %s again: %w", name, err)
		}
	}
	if err := unix.Dup3(again, fd, 0); err != nil {
		return fmt.Errorf("open standard stream %s again: %w", name, err)
	}
	return nil
}

// sameFile compares devices by their numbers: a container may have a node of its own.
func sameFile(a, b *unix.Stat_t) bool {
	if a.Mode&unix.S_IFMT == unix.S_IFCHR {
		return b.Mode&unix.S_IFMT == unix.S_IFCHR && a.Rdev == b.Rdev
	}
	return a.Ino == b.Ino && a.Dev == b.Dev
}

// raiseLoopback switches the loopback interface on.
func (s *spec) raiseLoopback() error {
	if s.Obligation.Network != v1.NetworkLoopback {
		return nil
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("raise loopback: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("raise loopback: %w", err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("raise loopback: %w", err)
	}
	return nil
}

// enter leaves the mounts outside, which the working directory still leads to.
func (s *spec) enter() error {
	if err := os.Chdir("/"); err != nil {
		return fmt.Errorf("enter /: %w", err)
	}
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return fmt.Errorf("enter %s: it is no directory of the run", s.Dir)
	}
	return nil
}
