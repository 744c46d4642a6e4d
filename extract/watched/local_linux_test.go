package watched

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"policyd/extract/stat"
)

// want asks for a path until it would be watched, without the way to it.
func (d *Directories) wantAll(t *testing.T, paths ...string) {
	t.Helper()
	for range 3 {
		view := d.Now()
		for _, at := range paths {
			found, err := stat.Path(at, false)
			require.NoError(t, err)
			view.Learn(at, found)
		}
		settle(d)
	}
}

// "/a/link/../c" isn't below "/a": what happens where it really lies is reported
// elsewhere.
func TestAPathWithDotsIsNotKnown(t *testing.T) {
	d, root := open(t), tree(t, "a/x", "other/in", "other/c", "third/in", "third/c")
	require.NoError(t, os.Symlink(root+"/other/in", root+"/a/link"))
	learn(t, d, root+"/a/x")
	all := []string{root + "/a/link/../c", root + "/a/x/../x", root + "/a/x/..", root + "/a/./x", root + "/a/x/", root + "//a"}
	d.wantAll(t, all...)
	require.NoError(t, os.Rename(root+"/other", root+"/fourth"))
	require.NoError(t, os.Rename(root+"/third", root+"/other"))
	view := d.Now()
	for _, at := range all {
		_, ok := view.Stamp(at)
		assert.False(t, ok, at)
	}
}

// What is done in a layer shows in the overlay, and is reported of the layer alone.
func TestAnOverlayIsAsked(t *testing.T) {
	d, root := open(t), tree(t, "lower/a", "upper", "work", "merged")
	learn(t, d, root+"/merged")
	options := fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", root)
	if err := unix.Mount("overlay", root+"/merged", "overlay", 0, options); err != nil {
		t.Skipf("to mount needs root: %v", err)
	}
	defer func() { _ = unix.Unmount(root+"/merged", unix.MNT_DETACH) }()
	learn(t, d, root+"/lower")
	d.wantAll(t, root+"/merged", root+"/merged/a")
	require.NoError(t, os.Mkdir(root+"/upper/new", 0o700))
	require.NoError(t, os.WriteFile(root+"/lower/a/new", nil, 0o600))
	walk(t, d, root+"/merged/a")
	_, ok := d.Now().Stamp(root + "/merged/a")
	assert.False(t, ok)
}

func TestTheRootOfAContainerIsTrustedIfItsLayersAreNot(t *testing.T) {
	const container = "1 0 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/var/l/A:/var/l/B,upperdir=/var/1/diff,workdir=/var/1/work\n"
	for name, test := range map[string]struct {
		mounts, visible string
		want            bool
	}{
		"a container":               {mounts: container, want: true},
		"named one by one":          {mounts: strings.ReplaceAll(container, "=/var/l/A:", "+=/var/l/A,lowerdir+="), want: true},
		"options of the kernel":     {mounts: strings.ReplaceAll(container, "/var/1/work", "/var/1/work,index=off"), want: true},
		"beside other mounts":       {mounts: "9 1 0:51 / /proc rw - proc proc rw\n" + container, want: true},
		"a lower layer has a name":  {mounts: container, visible: "/var/l/B"},
		"the upper layer has one":   {mounts: container, visible: "/var/1/diff"},
		"another device":            {mounts: strings.ReplaceAll(container, "0:50", "0:5")},
		"not at the root":           {mounts: strings.ReplaceAll(container, " / / ", " / /mnt ")},
		"a part of it at the root":  {mounts: strings.ReplaceAll(container, " / / ", " /a / ")},
		"relative layers":           {mounts: strings.ReplaceAll(container, "/var/l/A", "l/A")},
		"escaped names":             {mounts: strings.ReplaceAll(container, "/var/l/A", `/var/l/A\072`)},
		"layers that aren't listed": {mounts: "1 0 0:50 / / rw,relatime - overlay overlay rw,index=off\n"},
		"a short line":              {mounts: "1 0 0:50 / / rw\n"},
		"nothing":                   {},
	} {
		t.Run(name, func(t *testing.T) {
			missing := func(path string) bool { return path != test.visible }
			assert.Equal(t, test.want, closedOverlay([]byte(test.mounts), 0, 50, missing))
		})
	}
}

// A program that is asked about its file system can put another one in its place before
// it answers.
func TestAFileSystemOfAProgramIsAsked(t *testing.T) {
	d, root := open(t), tree(t, "way/mounted", "other/mounted")
	at := root + "/way/mounted"
	var during atomic.Pointer[func()]
	serve(t, at, &during)
	learn(t, d, root+"/way")
	view := d.Now()
	found, err := stat.Path(at, false)
	require.NoError(t, err)
	swap := func() {
		assert.NoError(t, unix.Renameat2(unix.AT_FDCWD, root+"/way", unix.AT_FDCWD, root+"/other", unix.RENAME_EXCHANGE))
	}
	once := sync.OnceFunc(swap)
	during.Store(&once)
	view.Learn(at, found)
	view.Learn(at, found)
	settle(d)
	during.Store(nil)
	swap()
	for range 5 {
		assert.False(t, walk(t, d, at))
		settle(d)
	}
	_, ok := d.Now().Stamp(root + "/way")
	assert.True(t, ok)
}

// A program that doesn't answer holds up who asks for its file system alone.
func TestNobodyWaitsForTheFileSystemOfAProgram(t *testing.T) {
	d, root := open(t), tree(t, "mounted")
	at := root + "/mounted"
	var during atomic.Pointer[func()]
	serve(t, at, &during)
	learn(t, d, root)
	view := d.Now()
	found, err := stat.Path(at, false)
	require.NoError(t, err)
	asked, end := make(chan struct{}, 1), make(chan struct{})
	wait := func() {
		asked <- struct{}{}
		<-end
	}
	during.Store(&wait)
	view.Learn(at, found)
	view.Learn(at, found)
	<-asked
	answered := make(chan struct{})
	go func() {
		d.Now()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(10 * time.Second):
		t.Error("a call waits for a file system that nobody asked it about")
	}
	during.Store(nil)
	close(end)
	settle(d)
}

// serve mounts a directory as fuse(4) has it, with nothing in it. What during holds is
// called before each answer about it.
func serve(t *testing.T, at string, during *atomic.Pointer[func()]) {
	t.Helper()
	device, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no file systems of programs here: %v", err)
	}
	if err := unix.Mount("none", at, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", device)); err != nil {
		_ = unix.Close(device)
		t.Skipf("to mount needs root: %v", err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		request := make([]byte, 1<<17)
		for {
			n, err := unix.Read(device, request)
			if err != nil || n < 16 {
				return // it was unmounted
			}
			answer := answerOf(binary.NativeEndian.Uint32(request[4:]), during)
			copy(answer[8:], request[8:16]) // whose answer it is
			binary.NativeEndian.PutUint32(answer, uint32(len(answer)))
			_, _ = unix.Write(device, answer)
		}
	}()
	t.Cleanup(func() {
		_ = unix.Unmount(at, unix.MNT_FORCE|unix.MNT_DETACH)
		<-over
		_ = unix.Close(device)
	})
}

// answerOf is the answer to a request of fuse(4): its length, an error, whose it is, and
// what was asked for.
func answerOf(request uint32, during *atomic.Pointer[func()]) []byte {
	const (
		header                   = 16
		getattr, statfs, initial = 3, 17, 26
	)
	native := binary.NativeEndian
	if call := during.Load(); call != nil && (request == getattr || request == statfs) {
		(*call)()
	}
	switch request {
	case initial:
		answer := make([]byte, header+64)
		native.PutUint32(answer[header:], 7) // of which version it is
		native.PutUint32(answer[header+4:], 31)
		native.PutUint32(answer[header+20:], 1<<12)
		return answer
	case getattr:
		answer := make([]byte, header+16+88)
		native.PutUint64(answer[header+16:], 1) // the inode
		native.PutUint32(answer[header+16+60:], unix.S_IFDIR|0o755)
		native.PutUint32(answer[header+16+64:], 2)
		return answer
	case statfs:
		return make([]byte, header+80)
	}
	answer := make([]byte, header)
	missing := -int32(unix.ENOSYS)
	native.PutUint32(answer[4:], uint32(missing))
	return answer
}
