package watched

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"policyd/extract/stat"
)

// maxFiles bounds how many files are held open. A process may have 1,024 at least.
const maxFiles = 128

// errNotHeld is for a file that is better asked about by its path.
var errNotHeld = errors.New("not a file to hold open")

// held is a file that is open for questions alone. What is asked of it costs a third of
// what a path costs, and says the same.
type held struct {
	mutex sync.RWMutex
	// file is nil once it was closed.
	file *os.File
}

// stamp is the state of the file now. It reports false once it was closed.
func (h *held) stamp() (stat.Stamp, bool) {
	h.mutex.RLock()
	defer h.mutex.RUnlock()
	if h.file == nil {
		return stat.Stamp{}, false
	}
	found, err := stat.Held(h.file.Fd())
	return found, err == nil
}

func (h *held) close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	_ = h.file.Close() // nothing was written to it
	h.file = nil
}

// drop makes whoever has the place ask the disk. It is called once.
func (p *place) drop() {
	p.stamp.Store(nil)
	if file := p.file.Swap(nil); file != nil {
		file.close()
	}
}

// hold is Hold of a view.
func (d *Directories) hold(at string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if _, known := d.view.known[at]; !known && d.mounts >= 0 {
		d.ask(want{at: at, file: true})
	}
}

// addFile holds one more file. It is entered first, so that whatever is reported about its
// name makes it forgotten: if it is still there in the end, what was opened is the file of
// that name. One that can't be held stays entered without, so that it isn't tried each time.
func (d *Directories) addFile(at string) {
	known := d.reserveFile(at)
	if known == nil {
		return
	}
	if found, err := d.openFile(at); err == nil {
		d.keepFile(at, known, found)
	}
}

func (d *Directories) keepFile(at string, known *place, found *held) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.takeIn() != nil || d.view.known[at] != known {
		found.close()
		return
	}
	known.file.Store(found)
}

func (d *Directories) reserveFile(at string) *place {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.mayEnter(at) {
		return nil
	}
	if d.files >= maxFiles {
		d.forgetFiles()
	}
	known := &place{isFile: true}
	d.enter(at, known)
	d.files++
	return known
}

// forgetFiles makes room: those that are still asked about come again.
func (d *Directories) forgetFiles() {
	d.own()
	for at, known := range d.view.known {
		if known.isFile {
			d.forget(at)
		}
	}
}

// openFile opens a regular file that is no link for questions alone. It has to be on the mount
// of the root, which nobody can want to unmount, and no overlay.
func (d *Directories) openFile(at string) (*held, error) {
	number, err := unix.Open(at, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open file: %w", err)
	}
	file := os.NewFile(uintptr(number), at)
	found, err := stat.Open(file)
	if err == nil && (found.Kind != stat.File || mountOf(file) != d.rootMount || d.rootMount == 0) {
		err = errNotHeld
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &held{file: file}, nil
}

// mountOf is the number of the mount that a file is on, 0 where it can't be told or is
// one that files aren't held on.
func mountOf(file *os.File) uint64 {
	var system unix.Statfs_t
	if err := unix.Fstatfs(int(file.Fd()), &system); err != nil || system.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return 0
	}
	var found unix.Statx_t
	err := unix.Statx(int(file.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &found)
	if err != nil || found.Mask&unix.STATX_MNT_ID == 0 {
		return 0
	}
	return found.Mnt_id
}
