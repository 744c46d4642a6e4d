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
	unix.IN_ATTRIB | unix.IN_ONLYDIR

// unwatched is no number of the kernel's, which begin with 1.
const unwatched = 0

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
	// files is how many of the places are files, and rootMount what they have to be on.
	files     int
	rootMount uint64
	// at are the paths of a watch: a directory can be mounted in several places.
	at map[int][]string
	// met are places that were asked about once. Most never are again.
	met     map[string]struct{}
	waiting [2]unix.PollFd
	buffer  []byte
	// wanted are directories to watch, and files to hold.
	wanted chan want
}

// want is a directory to watch, or a file to hold; done, if there is any, is closed when it
// is.
type want struct {
	at   string
	file bool
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
			if wanted.file {
				d.addFile(wanted.at)
			} else {
				d.add(wanted.at)
			}
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
	d.inotify, d.at = inotify, make(map[int][]string)
	root, err := openLocal("/")
	if err != nil {
		return err
	}
	defer root.close()
	d.rootMount = mountOf(root.file)
	known := &place{}
	d.enter("/", known)
	return d.watch("/", known, root)
}

// end makes all that was ever given out ask again.
func (d *Directories) end() {
	for _, known := range d.view.known {
		known.drop()
	}
	d.files = 0
	d.view = View{known: map[string]*place{}, reports: d.view.reports + 1, from: d}
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
	return len(d.view.known) - d.files
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
	case !ok:
		d.ask(want{at: at})
	case known.watch != unwatched && view.known[at] == known && d.takeIn() == nil && d.view.known[at] == known && known.changed <= view.reports:
		// It was watched at that place all the time that it was looked at. The copy is
		// made here, so that nothing else needs memory.
		kept := stamp
		known.stamp.Store(&kept)
	}
}

// add watches one more directory. It is entered first, unwatched, so that what is reported
// about its name makes it forgotten: if it is still there in the end, it was the same
// directory all the time.
//
// What it lies in can be of a network or of a program that never answers, and to put the
// first watch on a directory takes the kernel up to a tenth of a second where it has many
// names of it in memory. So both are done while nobody waits; to put the watch there again
// takes nothing.
func (d *Directories) add(at string) {
	known, inotify := d.reserve(at)
	if known == nil {
		return
	}
	defer func() { _ = unix.Close(inotify) }()
	found, err := openLocal(at)
	first := unwatched
	if err == nil {
		defer found.close()
		first, err = found.watch(inotify)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.takeIn() != nil {
		return
	}
	switch {
	case d.view.known[at] != known:
	case err != nil:
		d.forget(at) // it is asked about in each call
	default:
		_ = d.watch(at, known, found)
	}
	d.release(first)
}

// reserve enters a directory that is still unwatched, and returns the open file to watch it
// by, which the caller closes: the one that is in use may be closed by then, and its number
// be that of another. It returns nil where there is nothing to watch.
func (d *Directories) reserve(at string) (known *place, inotify int) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.mayEnter(at) {
		return nil, -1
	}
	if len(d.view.known)-d.files >= maxKnown {
		d.end() // the next call begins anew
		return nil, -1
	}
	inotify, err := unix.FcntlInt(uintptr(d.inotify), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, -1
	}
	known = &place{}
	d.enter(at, known)
	return known, inotify
}

// mayEnter reports whether a place is still unknown and the way to it is watched.
func (d *Directories) mayEnter(at string) bool {
	return d.takeIn() == nil && d.view.known[at] == nil && d.view.known[path.Dir(at)] != nil
}

// ask has a place watched or held that is worth it, unless many wait already.
func (d *Directories) ask(wanted want) {
	if !d.again(wanted.at) {
		return
	}
	select {
	case d.wanted <- wanted:
	default:
	}
}

// again reports whether a place is worth a watch: it was asked about before, and the
// way to it is watched.
func (d *Directories) again(at string) bool {
	if _, ok := d.view.known[path.Dir(at)]; !ok || path.Clean(at) != at {
		return false // behind "..", its parent isn't what it looks like
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

// watch begins to watch a directory that was entered, and only then looks at it: if
// nothing is reported after that, it was the same from there on.
func (d *Directories) watch(at string, known *place, found local) error {
	number, err := found.watch(d.inotify)
	if err != nil {
		d.forget(at)
		return err
	}
	known.watch = number
	d.at[number] = append(d.at[number], at)
	before := d.view.reports
	stamp, err := stat.Open(found.file)
	if err = errors.Join(err, d.takeIn()); err == nil && d.view.known[at] == known && known.changed <= before {
		known.stamp.Store(&stamp)
	}
	return err
}

func (d *Directories) enter(at string, known *place) {
	d.own()
	d.view.known[at] = known
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
	known.drop()
	if known.isFile {
		d.files--
	}
	d.own()
	delete(d.view.known, at)
	if parent := d.view.known[path.Dir(at)]; parent != nil {
		parent.children = slices.DeleteFunc(parent.children, func(child string) bool { return child == at })
	}
	if known.watch != unwatched {
		d.at[known.watch] = slices.DeleteFunc(d.at[known.watch], func(other string) bool { return other == at })
		d.release(known.watch)
	}
}

// release ends a watch that nothing is known by.
func (d *Directories) release(watch int) {
	if watch != unwatched && len(d.at[watch]) == 0 {
		delete(d.at, watch)
		// The kernel may have ended it before; its reports lead nowhere from now on.
		_, _ = unix.InotifyRmWatch(d.inotify, uint32(watch)) //nolint:gosec // the kernel's own number
	}
}
