package watched

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"policyd/extract/stat"
)

func open(t *testing.T) *Directories {
	t.Helper()
	for _, at := range []string{"/", os.TempDir()} {
		found, err := openLocal(at)
		if err != nil {
			t.Skipf("nothing is vouched for here: %s: %v", at, err)
		}
		found.close()
	}
	d, err := Open()
	require.NoError(t, err)
	t.Cleanup(d.Close)
	d.rest = 0
	return d
}

// tree makes directories in one of its own, whose path has no links.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range names {
		require.NoError(t, os.MkdirAll(filepath.Join(root, name), 0o755))
	}
	return root
}

// walk looks at each directory on the way to a path, as resolution does, and reports
// whether the last of them was vouched for. What is vouched for is as the disk says.
func walk(t *testing.T, d *Directories, at string) (vouched bool) {
	t.Helper()
	view := d.Now()
	for end := 1; end <= len(at); end++ {
		if end < len(at) && at[end] != '/' {
			continue
		}
		known, ok := view.Stamp(at[:end])
		found, err := stat.Path(at[:end], false)
		// Others use the directories above while this looks at them.
		if vouched = ok; vouched && strings.HasPrefix(at[:end], os.TempDir()+"/") {
			require.NoError(t, err, at[:end])
			require.Equal(t, found, known, at[:end])
		}
		if err != nil || found.Kind != stat.Directory {
			return vouched
		}
		view.Learn(at[:end], found)
	}
	return vouched
}

// settle waits until what is wanted is watched.
func settle(d *Directories) {
	done := make(chan struct{})
	d.wanted <- want{at: "/", done: done}
	<-done
}

// learn walks to a path until it is known.
func learn(t *testing.T, d *Directories, at string) {
	t.Helper()
	for range 100 {
		if walk(t, d, at) {
			return
		}
		settle(d)
	}
	t.Fatalf("%s is never known", at)
}

func TestADirectoryIsKnownUntilItChanges(t *testing.T) {
	for name, change := range map[string]func(root string) error{
		"a name is added":      func(root string) error { return os.Mkdir(root+"/a/b/new", 0o755) },
		"a file is added":      func(root string) error { return os.WriteFile(root+"/a/b/new", nil, 0o600) },
		"a link is added":      func(root string) error { return os.Symlink("x", root+"/a/b/new") },
		"a name is removed":    func(root string) error { return os.Remove(root + "/a/b/file") },
		"a name is replaced":   func(root string) error { return os.Rename(root+"/other", root+"/a/b/file") },
		"a name leaves":        func(root string) error { return os.Rename(root+"/a/b/file", root+"/file") },
		"a hard link is added": func(root string) error { return os.Link(root+"/other", root+"/a/b/new") },
		"it is closed":         func(root string) error { return os.Chmod(root+"/a/b", 0o700) },
		"its times are set":    func(root string) error { return os.Chtimes(root+"/a/b", time.Unix(1e9, 0), time.Unix(1e9, 0)) },
		"it moves":             func(root string) error { return os.Rename(root+"/a/b", root+"/a/c") },
		"a parent moves":       func(root string) error { return os.Rename(root+"/a", root+"/c") },
		"a parent is closed":   func(root string) error { return os.Chmod(root+"/a", 0o700) },
		"it is removed":        func(root string) error { return os.RemoveAll(root + "/a/b") },
		"it becomes a link": func(root string) error {
			return firstError(os.Rename(root+"/a/b", root+"/a/c"), os.Symlink("c", root+"/a/b"))
		},
		"a parent becomes a link": func(root string) error {
			return firstError(os.Rename(root+"/a", root+"/c"), os.Symlink("c", root+"/a"))
		},
		"it is swapped": func(root string) error {
			return unix.Renameat2(unix.AT_FDCWD, root+"/a/b", unix.AT_FDCWD, root+"/d", unix.RENAME_EXCHANGE)
		},
		"a parent is swapped": func(root string) error {
			return unix.Renameat2(unix.AT_FDCWD, root+"/a", unix.AT_FDCWD, root+"/d", unix.RENAME_EXCHANGE)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, root := open(t), tree(t, "a/b", "d/b")
			require.NoError(t, os.WriteFile(root+"/a/b/file", nil, 0o600))
			require.NoError(t, os.WriteFile(root+"/other", nil, 0o600))
			learn(t, d, root+"/a/b")
			before, ok := d.Now().Stamp(root + "/a/b")
			require.True(t, ok)
			require.NoError(t, change(root))
			_, ok = d.Now().Stamp(root + "/a/b")
			assert.False(t, ok, "it is vouched for, as %v", before)
			walk(t, d, root+"/a/b")
		})
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestWhatDoesNotChangeStaysKnown(t *testing.T) {
	d, root := open(t), tree(t, "a/b/c", "a/d")
	require.NoError(t, os.WriteFile(root+"/a/b/file", nil, 0o600))
	learn(t, d, root+"/a/b/c")
	require.NoError(t, os.WriteFile(root+"/a/b/file", []byte("text"), 0o600))
	require.NoError(t, os.WriteFile(root+"/a/d/file", nil, 0o600))
	_, ok := d.Now().Stamp(root + "/a/b")
	assert.True(t, ok, "a file in it was written, and a name added elsewhere")
	require.NoError(t, os.WriteFile(root+"/a/file", nil, 0o600))
	_, ok = d.Now().Stamp(root + "/a")
	assert.False(t, ok)
	_, ok = d.Now().Stamp(root + "/a/b")
	assert.True(t, ok, "another name was added beside it")
	walk(t, d, root+"/a")
	_, ok = d.Now().Stamp(root + "/a")
	assert.True(t, ok, "it is still watched: to look at it once is enough")
}

func TestADirectoryBehindALinkIsNotKnown(t *testing.T) {
	d, root := open(t), tree(t, "a/b")
	require.NoError(t, os.Symlink("a", root+"/link"))
	learn(t, d, root+"/a/b")
	for range 5 {
		walk(t, d, root+"/link")
		view := d.Now()
		found, err := stat.Path(root+"/link/b", false)
		require.NoError(t, err)
		view.Learn(root+"/link/b", found)
		settle(d)
		_, ok := d.Now().Stamp(root + "/link/b")
		require.False(t, ok)
	}
}

func TestOtherFileSystemsAreAsked(t *testing.T) {
	d := open(t)
	for range 5 {
		assert.False(t, walk(t, d, "/proc/self"))
		assert.False(t, walk(t, d, "/proc"))
		assert.False(t, walk(t, d, "/sys"))
		settle(d)
	}
}

// A look that was over before a change does not count after it.
func TestAnOldLookIsNotBelieved(t *testing.T) {
	d, root := open(t), tree(t, "a")
	learn(t, d, root+"/a")
	require.NoError(t, os.Mkdir(root+"/a/one", 0o755))
	view := d.Now()
	old, err := stat.Path(root+"/a", false)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(root+"/a/two", 0o755))
	d.Now()
	view.Learn(root+"/a", old)
	_, ok := d.Now().Stamp(root + "/a")
	assert.False(t, ok)
}

func TestMoreReportsThanAreReadEndWhatIsKnown(t *testing.T) {
	d, root := open(t), tree(t, "a", "b")
	learn(t, d, root+"/a")
	learn(t, d, root+"/b")
	name := root + "/b/" + strings.Repeat("n", 200)
	for n := range 1000 {
		require.NoError(t, os.Symlink("x", fmt.Sprint(name, n)))
	}
	require.NoError(t, os.Rename(root+"/a", root+"/c"))
	for range 3 {
		_, ok := d.Now().Stamp(root + "/a")
		require.False(t, ok)
	}
	learn(t, d, root+"/b")
}

// That reports come while others are read is no loss: what came later is of a later
// change. Each write to the socket is there for one read, as such a report is.
func TestReportsThatComeWhileOthersAreReadAreNoLoss(t *testing.T) {
	d, root := open(t), tree(t, "a", "b")
	learn(t, d, root+"/a")
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer func() { _ = unix.Close(pair[1]) }()
	settle(d)
	d.mutex.Lock()
	require.NoError(t, unix.Close(d.inotify))
	d.inotify = pair[0]
	d.mutex.Unlock()
	report := make([]byte, unix.SizeofInotifyEvent)
	binary.NativeEndian.PutUint32(report, 1<<30) // a watch that was ended
	for range 5 * maxReports {
		_, err := unix.Write(pair[1], report)
		require.NoError(t, err)
	}
	_, ok := d.Now().Stamp(root + "/a")
	assert.True(t, ok)
}

func TestAMountIsSeen(t *testing.T) {
	d, root := open(t), tree(t, "a/b", "a/c")
	learn(t, d, root+"/a/b")
	if err := unix.Mount("none", root+"/a", "tmpfs", 0, ""); err != nil {
		t.Skipf("to mount needs root: %v", err)
	}
	defer func() { _ = unix.Unmount(root+"/a", unix.MNT_DETACH) }()
	assert.False(t, walk(t, d, root+"/a"))
	require.NoError(t, os.Mkdir(root+"/a/b", 0o700))
	learn(t, d, root+"/a/b")
	// The same directory in two places: what happens to it in one shows in both.
	require.NoError(t, unix.Mount(root+"/a/b", root+"/a/b", "", unix.MS_BIND, ""))
	require.NoError(t, os.Mkdir(root+"/a/two", 0o700))
	require.NoError(t, unix.Mount(root+"/a/b", root+"/a/two", "", unix.MS_BIND, ""))
	learn(t, d, root+"/a/b")
	learn(t, d, root+"/a/two")
	require.NoError(t, os.Mkdir(root+"/a/two/new", 0o700))
	for _, at := range []string{"/a/b", "/a/two"} {
		_, ok := d.Now().Stamp(root + at)
		assert.False(t, ok, at)
	}
	learn(t, d, root+"/a/two")
	require.NoError(t, unix.Unmount(root+"/a", unix.MNT_DETACH))
	_, ok := d.Now().Stamp(root + "/a/b")
	assert.False(t, ok)
	learn(t, d, root+"/a/b")
}

// What makes all knowledge end comes in bursts.
func TestAfterALossTheDiskIsAskedForAWhile(t *testing.T) {
	d, root := open(t), tree(t, "a")
	learn(t, d, root+"/a")
	d.rest = time.Hour
	d.mutex.Lock()
	d.end()
	d.mutex.Unlock()
	for range 5 {
		require.False(t, walk(t, d, root+"/a"))
	}
	d.rest = 0
	learn(t, d, root+"/a")
}

func TestNothingIsKnownAfterTheEnd(t *testing.T) {
	d, root := open(t), tree(t, "a")
	learn(t, d, root+"/a")
	view := d.Now()
	d.Close()
	for range 3 {
		assert.False(t, walk(t, d, root+"/a"))
	}
	_, ok := view.Stamp(root + "/a")
	assert.False(t, ok)
	d.Close()
	var none *Directories
	assert.False(t, walk(t, none, root+"/a"))
	none.Close()
}

func TestNoMoreThanTheBoundAreWatched(t *testing.T) {
	d, root := open(t), tree(t)
	for n := range maxKnown + 10 {
		at := fmt.Sprintf("%s/%d", root, n)
		require.NoError(t, os.Mkdir(at, 0o755))
		walk(t, d, at)
		walk(t, d, at)
		settle(d)
		require.LessOrEqual(t, len(d.Now().known), maxKnown)
	}
	learn(t, d, root)
}

// Whatever happens to a tree, by several at once: who has changed something and asks
// then is told what the disk says.
func TestWhatIsKnownIsWhatTheDiskSays(t *testing.T) {
	d, root := open(t), tree(t)
	var vouched [4]map[stat.Kind]int
	var group sync.WaitGroup
	for worker := range vouched {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 7))
			vouched[worker] = map[stat.Kind]int{}
			own := fmt.Sprintf("%s/%d", root, worker)
			if !assert.NoError(t, os.Mkdir(own, 0o755)) {
				return
			}
			for range 400 {
				disturb(random, own)
				for range 3 {
					compare(t, d, root, own, vouched[worker])
					settle(d)
				}
			}
		})
	}
	group.Wait()
	for _, n := range vouched {
		assert.Greater(t, n[stat.Directory], 400, "so little was known that nothing is proven")
		assert.Greater(t, n[stat.File], 100, "so few files were held that nothing is proven")
	}
}

// names are all that disturb makes.
func names(own string) []string {
	var all []string
	for _, one := range []string{"a", "b", "ß"} {
		all = append(all, own+"/"+one)
		for _, two := range []string{"a", "b", "file"} {
			all = append(all, own+"/"+one+"/"+two)
		}
	}
	return all
}

// disturb does something to a tree; half of it fails, which is as good.
func disturb(random *rand.Rand, own string) {
	all := names(own)
	one, two := all[random.IntN(len(all))], all[random.IntN(len(all))]
	switch random.IntN(12) {
	case 0, 1, 2:
		_ = os.MkdirAll(one, 0o755)
	case 3:
		_ = os.RemoveAll(one)
	case 4:
		_ = os.Rename(one, two)
	case 5:
		_ = os.Symlink(two, one)
	case 6:
		_ = os.Chmod(one, []os.FileMode{0o755, 0o700}[random.IntN(2)])
	case 7:
		_ = os.WriteFile(one+"/file", nil, 0o600)
	case 8:
		_ = unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, two, unix.RENAME_EXCHANGE)
	case 9:
		_ = os.WriteFile(one, make([]byte, random.IntN(9)), 0o600)
	case 10:
		_ = os.Link(one, two)
	case 11:
		_ = os.Truncate(one, random.Int64N(9))
	}
}

// compare walks down a worker's own tree, and counts what was vouched for. What the
// others do to the directories above is not compared.
func compare(t *testing.T, d *Directories, root, own string, vouched map[stat.Kind]int) {
	view := d.Now()
	for end := 1; end < len(root); end++ {
		if root[end] == '/' {
			lookAt(d, view, root[:end])
		}
	}
	lookAt(d, view, root)
	lookAt(d, view, own)
	for _, at := range names(own) {
		known, ok := view.Stamp(at)
		found, err := stat.Path(at, false)
		if !ok {
			if err == nil && !linked(own, at) {
				teach(view, at, found)
			}
			continue
		}
		vouched[found.Kind]++
		if assert.NoError(t, err, at) {
			assert.Equal(t, found, known, at)
		}
	}
}

// teach makes a directory or a file known.
func teach(view View, at string, found stat.Stamp) {
	view.Learn(at, found)
	if found.Kind == stat.File {
		view.Hold(at)
	}
}

// linked reports whether a link is on the way.
func linked(own, at string) bool {
	real, err := filepath.EvalSymlinks(at)
	return err != nil || real != at || !strings.HasPrefix(at, own)
}

func lookAt(_ *Directories, view View, at string) {
	if found, err := stat.Path(at, false); err == nil {
		view.Learn(at, found)
	}
}
