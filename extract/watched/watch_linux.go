package watched

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"policyd/extract/stat"
)

const (
	// maxKnown bounds how many directories are watched. One takes the kernel about a
	// kilobyte, and a person may have 8,192 at least.
	maxKnown = 1024
	// maxMet bounds how many are remembered for having been asked about.
	maxMet = 4 * maxKnown
	// maxWanted bounds how many wait for their watch. More come again when they are asked for.
	maxWanted = 64
	// restAfterLoss is how long the disk is asked after all was forgotten. What makes it
	// forget comes in bursts (containers that start mount a lot), and every watch anew
	// keeps others from its directory for a moment.
	restAfterLoss = 10 * time.Second
)

// events are all that tell of a directory's names and of its permissions. Its own name is
// one of its parent's, and that a file in it was written is none of them.
const events = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_ATTRIB | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

// errUnwatched is for a directory that can't be vouched for.
var errUnwatched = errors.New("not a directory that can be watched")

// Directories knows directories. It may be used concurrently; the nil pointer knows
// none.
type Directories struct {
	// mutex is held from asking for reports until they are taken in, so that who
	// finds none may believe what is known.
	mutex sync.Mutex
	// inotify and mounts are open files, below zero when they were closed.
	inotify, mounts int
	view            View
	// lost is when all was forgotten, and rest how long that stays so.
	lost time.Time
	rest time.Duration
	// lent says that the view's map was given out, and is not to be changed any more.
	lent bool
	// at are the paths of a watch: a directory can be mounted in several places.
	at map[int][]string
	// met are directories that were asked about once. Most never are again.
	met map[string]struct{}
	// reporting says of a file system, by its device, whether it reports every change.
	reporting map[uint64]bool
	waiting   [2]unix.PollFd
	buffer    []byte
	// wanted are directories to watch.
	wanted chan want
}

// want is a directory to watch; done, if there is any, is closed when it is.
type want struct {
	at   string
	done chan<- struct{}
}

// Open begins to watch, with the root alone. An error says that the kernel gives no
// watch.
func Open() (*Directories, error) {
	d := &Directories{
		inotify: -1, mounts: -1, met: make(map[string]struct{}), buffer: make([]byte, maxReport),
		wanted: make(chan want, maxWanted), rest: restAfterLoss,
	}
	mounts, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open list of mounts: %w", err)
	}
	d.mounts = mounts
	if err := d.begin(); err != nil {
		d.Close()
		return nil, err
	}
	go func() {
		for wanted := range d.wanted {
			d.add(wanted.at)
			if wanted.done != nil {
				close(wanted.done)
			}
		}
	}()
	return d, nil
}

// Close ends all watches. Nothing is known afterwards.
func (d *Directories) Close() {
	if d == nil {
		return
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.end()
	if d.mounts >= 0 {
		close(d.wanted)
		_ = unix.Close(d.mounts) // it was only read
		d.mounts = -1
	}
}

// begin drops every watch there is, and starts anew.
func (d *Directories) begin() error {
	d.end()
	inotify, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return fmt.Errorf("begin to watch: %w", err)
	}
	d.inotify = inotify
	d.at, d.reporting = make(map[int][]string), make(map[uint64]bool)
	return d.watch("/")
}

// end makes all that was ever given out ask again.
func (d *Directories) end() {
	for _, known := range d.view.known {
		known.stamp.Store(nil)
	}
	d.view = View{known: map[string]*directory{}, reports: d.view.reports + 1, from: d}
	d.lent, d.lost = false, time.Now()
	if d.inotify >= 0 {
		// The kernel takes up to a tenth of a second for it, which nobody needs to wait for,
		// and the descriptor is free whatever it says.
		go func(closed int) { _ = unix.Close(closed) }(d.inotify)
		d.inotify = -1
	}
}

// Now is what is known, after whatever the kernel has reported until now was taken in.
func (d *Directories) Now() View {
	if d == nil {
		return View{}
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.takeIn() == nil && d.view.known["/"] == nil {
		d.end() // something about the root has changed
	}
	if d.inotify < 0 && (d.mounts < 0 || time.Since(d.lost) < d.rest || d.begin() != nil) {
		return View{} // nothing is known, and the disk is asked
	}
	d.lent = true
	return d.view
}

// Known is how many directories are watched.
func (d *Directories) Known() int {
	if d == nil {
		return 0
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return len(d.view.known)
}

// learn is Learn of a view.
func (d *Directories) learn(view View, at string, stamp stat.Stamp) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.mounts < 0 {
		return
	}
	known, ok := d.view.known[at]
	switch {
	case !ok && d.again(at):
		select {
		case d.wanted <- want{at: at}:
		default:
		}
	case ok && view.known[at] == known && d.takeIn() == nil && d.view.known[at] == known && known.changed <= view.reports:
		// It was watched at that place all the time that it was looked at. The copy is
		// made here, so that nothing else needs memory.
		kept := stamp
		known.stamp.Store(&kept)
	}
}

// add watches one more directory. To put its first watch on a directory takes the kernel
// up to a tenth of a second where it has many names of it in memory, so that is done
// while nobody waits; to put it there again takes nothing.
func (d *Directories) add(at string) {
	d.mutex.Lock()
	inotify := d.inotify
	d.mutex.Unlock()
	if inotify < 0 {
		return
	}
	first, err := unix.InotifyAddWatch(inotify, at, events)
	if err != nil {
		return // it is asked about in each call
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.inotify != inotify || d.takeIn() != nil {
		return
	}
	_, known := d.view.known[at]
	_, parent := d.view.known[path.Dir(at)]
	switch {
	case known, !parent:
	case len(d.view.known) >= maxKnown:
		d.end() // the next call begins anew
		return
	default:
		_ = d.watch(at) // what can't be watched is asked about in each call
	}
	d.release(first)
}

// again reports whether a directory is worth a watch: it was asked about before, and the
// way to it is watched.
func (d *Directories) again(at string) bool {
	if _, ok := d.view.known[path.Dir(at)]; !ok {
		return false
	}
	if _, ok := d.met[at]; ok {
		return true
	}
	if len(d.met) >= maxMet {
		clear(d.met)
	}
	d.met[at] = struct{}{}
	return false
}

// watch begins to watch a directory, and only then looks at it: if nothing is reported
// after that, it was the same from there on.
func (d *Directories) watch(at string) error {
	number, err := unix.InotifyAddWatch(d.inotify, at, events)
	if err != nil {
		return fmt.Errorf("watch directory: %w", err)
	}
	known := &directory{watch: number}
	d.enter(at, known)
	before := d.view.reports
	stamp, err := stat.Path(at, false)
	if err == nil && (stamp.Kind != stat.Directory || !d.reportsAll(at, stamp.Device)) {
		err = errUnwatched
	}
	err = errors.Join(err, d.takeIn())
	switch {
	case err == nil && d.view.known[at] == known && known.changed <= before:
		known.stamp.Store(&stamp)
	case err != nil && d.view.known[at] == known:
		d.forget(at)
	}
	return err
}

func (d *Directories) enter(at string, known *directory) {
	d.own()
	d.view.known[at] = known
	d.at[known.watch] = append(d.at[known.watch], at)
	if parent := d.view.known[path.Dir(at)]; parent != nil && parent != known {
		parent.children = append(parent.children, at)
	}
}

// own makes the view's map one that nobody else reads.
func (d *Directories) own() {
	if d.lent {
		d.view.known, d.lent = maps.Clone(d.view.known), false
	}
}

// forget drops a directory and all below it.
func (d *Directories) forget(at string) {
	known, ok := d.view.known[at]
	if !ok {
		return
	}
	for _, child := range slices.Clone(known.children) {
		d.forget(child)
	}
	known.stamp.Store(nil)
	d.own()
	delete(d.view.known, at)
	if parent := d.view.known[path.Dir(at)]; parent != nil {
		parent.children = slices.DeleteFunc(parent.children, func(child string) bool { return child == at })
	}
	d.at[known.watch] = slices.DeleteFunc(d.at[known.watch], func(other string) bool { return other == at })
	d.release(known.watch)
}

// release ends a watch that nothing is known by.
func (d *Directories) release(watch int) {
	if len(d.at[watch]) == 0 {
		delete(d.at, watch)
		// The kernel may have ended it before; its reports lead nowhere from now on.
		_, _ = unix.InotifyRmWatch(d.inotify, uint32(watch)) //nolint:gosec // the kernel's own number
	}
}

// reportsAll reports whether a file system tells of every change, as those do that only
// this kernel writes to: one of a network, of a program (FUSE) or of another kernel
// changes without a report. It is asked once for each device until mounts change.
func (d *Directories) reportsAll(at string, device uint64) bool {
	if all, known := d.reporting[device]; known {
		return all
	}
	var found unix.Statfs_t
	if err := unix.Statfs(at, &found); err != nil {
		return false
	}
	switch uint32(found.Type) { //nolint:gosec // the numbers are of 32 bits
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC,
		unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		d.reporting[device] = true
	default:
		d.reporting[device] = false
	}
	return d.reporting[device]
}
