//go:build amd64 || arm64

package contain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
	"policyd/internal/contain/landlock"
)

// minLandlock is the first ABI that restricts TCP; with the third, truncation is restricted.
const minLandlock = 4

// The first ABI with a right. https://docs.kernel.org/userspace-api/landlock.html
const (
	abiIoctlDev    = 5
	abiScopes      = 6
	abiResolveUnix = 9
	abiUDP         = 10
)

const (
	rightsRead     = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsOnFile   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	rightsOnDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	// No device nodes: a node of a disk is the disk.
	rightsWrite = rightsRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	// rightsAll are those of the third ABI.
	rightsAll = rightsWrite | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// devices can be read and written in every run.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// landlockABI is the kernel's, or 0 if it has no Landlock or it is switched off.
func landlockABI() int {
	version, err := landlock.Version()
	if err != nil {
		return 0
	}
	return version
}

// ruleset collects Landlock rules. Its zero value is not usable.
type ruleset struct {
	fd      int
	handled uint64
}

// newRuleset handles every right of the ABI. A program without a TCP port that it may use has no TCP, unless
// loopback is true: then it has a network namespace of its own.
func newRuleset(abi int, loopback bool) (*ruleset, error) {
	attr := landlock.RulesetAttr{HandledAccessFS: rightsAll}
	if abi >= abiIoctlDev {
		attr.HandledAccessFS |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= abiResolveUnix {
		attr.HandledAccessFS |= landlock.AccessFSResolveUnix
	}
	if !loopback {
		attr.HandledAccessNet = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		if abi >= abiUDP {
			attr.HandledAccessNet |= landlock.AccessNetBindUDP | landlock.AccessNetConnectSendUDP
		}
	}
	if abi >= abiScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, err := landlock.Create(&attr)
	if err != nil {
		return nil, fmt.Errorf("create landlock ruleset: %w", err)
	}
	return &ruleset{fd: fd, handled: attr.HandledAccessFS}, nil
}

func (r *ruleset) close() { _ = unix.Close(r.fd) }

// allow adds rights below a path, as far as they are handled. A path that doesn't exist has
// nothing to allow. A path with a symbolic link isn't the path that was decided about.
func (r *ruleset) allow(path string, rights uint64) error {
	fd, err := openReal(path)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(fd)
	return r.allowFD(fd, path, rights)
}

func (r *ruleset) allowFD(fd int, path string, rights uint64) error {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("stat %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= rightsOnFile | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if err := landlock.Allow(r.fd, rights&r.handled, fd); err != nil {
		return fmt.Errorf("allow %s in landlock: %w", path, err)
	}
	return nil
}

// openReal opens a path for reference only and fails with ELOOP on any symbolic link in it.
func openReal(path string) (int, error) {
	fd, err := openNoLinks(path)
	if err != nil {
		return -1, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	if stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		return -1, errors.Join(unix.ELOOP, unix.Close(fd))
	}
	return fd, nil
}

// openNoLinks is openReal except for a link at the end, which it opens itself.
func openNoLinks(path string) (int, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return openBySteps(path) // a filter of another sandbox forbids openat2
	}
	return fd, err
}

func openBySteps(path string) (int, error) {
	const reference = unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW
	fd, err := unix.Open("/", reference, 0)
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if err != nil || part == "" {
			break
		}
		// openat refuses a link in the middle of a path, since it isn't a directory.
		next, failed := unix.Openat(fd, part, reference, 0)
		_ = unix.Close(fd)
		fd, err = next, failed
	}
	return fd, err
}

// landlockRules makes the rules of an obligation. extra are directories that can be changed, too:
// the private temporary ones.
func landlockRules(o *v1.Obligation, abi int, extra []string, ownTerminals bool) (*ruleset, error) {
	rules, err := newRuleset(abi, o.Network == v1.NetworkLoopback)
	if err != nil {
		return nil, err
	}
	if err := rules.fill(o, extra, ownTerminals); err != nil {
		rules.close()
		return nil, err
	}
	return rules, nil
}

func (r *ruleset) fill(o *v1.Obligation, extra []string, ownTerminals bool) error {
	for _, path := range o.Read {
		if err := r.allowReading(path); err != nil {
			return err
		}
	}
	for _, path := range append(extra, o.Write...) {
		if err := r.allow(path, rightsWrite); err != nil {
			return err
		}
	}
	for _, path := range devices {
		if err := r.allow(path, rightsOnDevice|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV); err != nil {
			return err
		}
	}
	if ownTerminals {
		for _, path := range []string{"/dev/ptmx", "/dev/pts"} {
			err := r.allow(path, rightsOnDevice|unix.LANDLOCK_ACCESS_FS_READ_DIR|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
			if err != nil && !errors.Is(err, unix.ELOOP) { // ptmx may be a link into pts
				return err
			}
		}
	}
	return r.allowTerminals()
}

// allowReading lets a path be read and run. "/" is everything except devices: a program that can read disks
// and terminals reads hidden files, and keystrokes elsewhere. Nor does "/dev" mean them: it is listed, and fill
// adds those that every program may have. A path with a link in it stays unreadable, as on systems where /bin is
// one: the target has a path of its own.
func (r *ruleset) allowReading(path string) error {
	if path == "/dev" {
		return r.allow(path, unix.LANDLOCK_ACCESS_FS_READ_DIR)
	}
	if path != "/" {
		err := r.allow(path, rightsRead)
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EACCES) {
			return nil
		}
		return err
	}
	if err := r.allow("/", unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
		return err
	}
	entries, err := os.ReadDir("/")
	if err != nil {
		return fmt.Errorf("list /: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == "dev" || entry.Type()&os.ModeSymlink != 0 {
			continue
		}
		err := r.allow(filepath.Join("/", entry.Name()), rightsRead)
		if err != nil && !errors.Is(err, unix.EACCES) { // a mount of another user's; it stays unreadable
			return err
		}
	}
	return nil
}

// allowTerminals lets the program reopen the terminals that it inherits.
func (r *ruleset) allowTerminals() error {
	for fd := range 3 {
		if !isTerminal(fd) {
			continue
		}
		name := fmt.Sprintf("/proc/self/fd/%d", fd)
		copied, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // it is gone from /dev: it can't be reopened
		}
		err = r.allowFD(copied, name, rightsOnDevice|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
		_ = unix.Close(copied)
		if err != nil {
			return err
		}
	}
	return nil
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	return err == nil
}
