package watched

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"policyd/extract/stat"
)

// hold walks to a file until it is held open.
func hold(t *testing.T, d *Directories, dir, name string) {
	t.Helper()
	learn(t, d, dir)
	for range 100 {
		view := d.Now()
		if _, ok := view.Stamp(dir + "/" + name); ok {
			return
		}
		view.Hold(dir + "/" + name)
		settle(d)
	}
	t.Skipf("files aren't held on the mount of %s", dir)
}

// What becomes of a file shows at once: it is held no more, or is as the disk says.
func TestAHeldFileIsAsTheDiskSays(t *testing.T) {
	for name, change := range map[string]func(root string) error{
		"nothing":              func(string) error { return nil },
		"it is written":        func(root string) error { return os.WriteFile(root+"/a/b/file", []byte("text"), 0o600) },
		"it is cut":            func(root string) error { return os.Truncate(root+"/a/b/file", 0) },
		"by another name":      func(root string) error { return os.WriteFile(root+"/link", []byte("text"), 0o600) },
		"its times are set":    func(root string) error { return os.Chtimes(root+"/a/b/file", time.Unix(1e9, 0), time.Unix(1e9, 0)) },
		"it is opened for all": func(root string) error { return os.Chmod(root+"/a/b/file", 0o666) },
		"it has one name less": func(root string) error { return os.Remove(root + "/link") },
		"it is replaced":       func(root string) error { return os.Rename(root+"/other", root+"/a/b/file") },
		"it leaves":            func(root string) error { return os.Rename(root+"/a/b/file", root+"/file") },
		"it is removed":        func(root string) error { return os.Remove(root + "/a/b/file") },
		"it becomes a link": func(root string) error {
			return firstError(os.Remove(root+"/a/b/file"), os.Symlink("../../other", root+"/a/b/file"))
		},
		"it becomes a directory": func(root string) error {
			return firstError(os.Remove(root+"/a/b/file"), os.Mkdir(root+"/a/b/file", 0o700))
		},
		"it is swapped": func(root string) error {
			return unix.Renameat2(unix.AT_FDCWD, root+"/a/b/file", unix.AT_FDCWD, root+"/other", unix.RENAME_EXCHANGE)
		},
		"its directory is swapped": func(root string) error {
			return unix.Renameat2(unix.AT_FDCWD, root+"/a", unix.AT_FDCWD, root+"/d", unix.RENAME_EXCHANGE)
		},
		"its directory becomes a link": func(root string) error {
			return firstError(os.Rename(root+"/a", root+"/c"), os.Symlink("d", root+"/a"))
		},
		"its directory is removed": func(root string) error { return os.RemoveAll(root + "/a") },
	} {
		t.Run(name, func(t *testing.T) {
			d, root := open(t), tree(t, "a/b", "d/b")
			for _, file := range []string{"/a/b/file", "/d/b/file", "/other"} {
				require.NoError(t, os.WriteFile(root+file, []byte(file), 0o600))
			}
			require.NoError(t, os.Link(root+"/a/b/file", root+"/link"))
			hold(t, d, root+"/a/b", "file")
			require.NoError(t, change(root))
			known, held := d.Now().Stamp(root + "/a/b/file")
			found, err := stat.Path(root+"/a/b/file", false)
			if held {
				require.NoError(t, err)
				assert.Equal(t, found, known)
			}
			assert.True(t, held || name != "nothing")
		})
	}
}

// Another file of the same name can be mounted, and then is not held: whoever wants to
// unmount it must find it unused.
func TestAFileOfAnotherMountIsNotHeld(t *testing.T) {
	d, root := open(t), tree(t, "a")
	require.NoError(t, os.WriteFile(root+"/a/file", []byte("one"), 0o600))
	require.NoError(t, os.WriteFile(root+"/other", []byte("another"), 0o600))
	hold(t, d, root+"/a", "file")
	if err := unix.Mount(root+"/other", root+"/a/file", "", unix.MS_BIND, ""); err != nil {
		t.Skipf("to mount needs root: %v", err)
	}
	defer func() { _ = unix.Unmount(root+"/a/file", unix.MNT_DETACH) }()
	for range 5 {
		_, held := d.Now().Stamp(root + "/a/file")
		require.False(t, held)
		learn(t, d, root+"/a")
		d.Now().Hold(root + "/a/file")
		settle(d)
	}
	require.NoError(t, unix.Unmount(root+"/a/file", 0), "it is not in use")
	hold(t, d, root+"/a", "file")
}

func TestNoMoreFilesThanTheBoundAreHeld(t *testing.T) {
	d, root := open(t), tree(t, "a")
	for n := range 3 * maxFiles {
		name := fmt.Sprint(n)
		require.NoError(t, os.WriteFile(root+"/a/"+name, nil, 0o600))
	}
	for n := range 3 * maxFiles {
		hold(t, d, root+"/a", fmt.Sprint(n))
		require.LessOrEqual(t, descriptors(t, root), maxFiles)
	}
	assert.Positive(t, descriptors(t, root))
	view := d.Now()
	d.Close()
	assert.Zero(t, descriptors(t, root), "all are closed in the end")
	_, held := view.Stamp(root + "/a/0")
	assert.False(t, held)
}

// descriptors counts the open files below a directory.
func descriptors(t *testing.T, root string) (count int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, one := range all {
		if target, err := os.Readlink("/proc/self/fd/" + one.Name()); err == nil && len(target) > len(root) && target[:len(root)] == root {
			count++
		}
	}
	return count
}

// A file that is replaced before it is kept is not the one that was opened.
func TestAFileThatIsReplacedMeanwhileIsNotHeld(t *testing.T) {
	d, root := open(t), tree(t, "a")
	for _, file := range []string{"/a/file", "/other"} {
		require.NoError(t, os.WriteFile(root+file, []byte(file), 0o600))
	}
	learn(t, d, root+"/a")
	known := d.reserveFile(root + "/a/file")
	require.NotNil(t, known)
	found, err := d.openFile(root + "/a/file")
	if err != nil {
		t.Skipf("files aren't held here: %v", err)
	}
	require.NoError(t, os.Rename(root+"/other", root+"/a/file"))
	d.Now()
	d.keepFile(root+"/a/file", known, found)
	_, held := d.Now().Stamp(root + "/a/file")
	assert.False(t, held)
	assert.Zero(t, descriptors(t, root))
}

// A file that is not held is not tried in each call.
func TestWhatCannotBeHeldIsTriedOnce(t *testing.T) {
	d, root := open(t), tree(t, "a")
	require.NoError(t, os.WriteFile(root+"/file", nil, 0o600))
	require.NoError(t, unix.Mkfifo(root+"/a/pipe", 0o600))
	require.NoError(t, os.Symlink("../file", root+"/a/link"))
	learn(t, d, root+"/a")
	for _, name := range []string{"pipe", "link"} {
		for range 5 {
			d.Now().Hold(root + "/a/" + name)
			settle(d)
			_, held := d.Now().Stamp(root + "/a/" + name)
			require.False(t, held)
		}
		assert.Contains(t, d.Now().known, root+"/a/"+name)
		assert.Empty(t, d.wanted)
	}
}
