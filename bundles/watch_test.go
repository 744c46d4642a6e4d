package bundles

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// watched is an engine that reports its reloads.
type watched struct {
	*Engine
	activated chan *Snapshot
	rejected  chan error
}

func watch(t *testing.T, source string) watched {
	t.Helper()
	w := watched{activated: make(chan *Snapshot, 100), rejected: make(chan error, 100)}
	w.Engine = newEngine(t, Options{
		Source: source, Watch: true, Debounce: 5 * time.Millisecond, FS: mapFS(deciding(prompting("embedded"))),
		OnActivate: func(s *Snapshot) { w.activated <- s },
		OnReject:   func(err error) { w.rejected <- err },
	})
	receive(t, w.activated)
	return w
}

// requireHint waits for an activation that answers with the hint: a change may be seen
// in several steps, and policy may be undefined in between.
func (w watched) requireHint(t *testing.T, hint string) {
	t.Helper()
	for {
		snapshot := receive(t, w.activated)
		judgement, err := snapshot.Judge(t.Context(), threeCommands())
		if err == nil && judgement.Hint == hint {
			return
		}
	}
}

func TestWatchFollowsADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bundle")
	writeTree(t, dir, deciding(prompting("first")))
	w := watch(t, dir)
	main := filepath.Join(dir, "policyd/main/main.rego")

	replaceFile(t, main, []byte("package policyd.main\n\n"+prompting("second")))
	w.requireHint(t, "second")

	replaceFile(t, main, []byte("package policyd.main\n\ndecision := nonsense\n"))
	require.ErrorContains(t, receive(t, w.rejected), main+":3")
	require.Equal(t, "second", judge(t, w.Engine).Hint)
	require.NotEmpty(t, w.Status().LastError)

	replaceFile(t, main, []byte("package policyd.main\n\n"+prompting("third")))
	w.requireHint(t, "third")
	require.Empty(t, w.Status().LastError)

	// A directory that was not there before is watched as well.
	replaceFile(t, main, []byte("package policyd.main\n\nimport data.policyd.new\n\n"+
		`decision := object.union(new.base, {"hint": new.hint})`))
	writeTree(t, dir, map[string]string{
		"policyd/new/base.rego": "package policyd.new\n\nbase := " + prompting("")[len("decision := "):],
		"policyd/new/hint.rego": "package policyd.new\n\nhint := \"fourth\"\n",
	})
	w.requireHint(t, "fourth")
	replaceFile(t, filepath.Join(dir, "policyd/new/hint.rego"), []byte("package policyd.new\n\nhint := \"fifth\"\n"))
	w.requireHint(t, "fifth")
}

func TestWatchFollowsADirectoryThatIsReplaced(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "bundle")
	writeTree(t, dir, deciding(prompting("first")))
	w := watch(t, dir)
	require.NoError(t, os.Rename(dir, filepath.Join(parent, "old")))
	require.Error(t, receive(t, w.rejected))
	require.Equal(t, "first", judge(t, w.Engine).Hint)
	writeTree(t, filepath.Join(parent, "next"), deciding(prompting("second")))
	require.NoError(t, os.Rename(filepath.Join(parent, "next"), dir))
	w.requireHint(t, "second")
}

func TestWatchFollowsALink(t *testing.T) {
	parent, releases := t.TempDir(), t.TempDir()
	for i := range 3 {
		writeTree(t, filepath.Join(releases, fmt.Sprint(i)), deciding(prompting(fmt.Sprint("release ", i))))
	}
	link := filepath.Join(parent, "bundle")
	require.NoError(t, os.Symlink(filepath.Join(releases, "0"), link))
	w := watch(t, link)
	for i := 1; i < 3; i++ {
		require.NoError(t, os.Symlink(filepath.Join(releases, fmt.Sprint(i)), link+".new"))
		require.NoError(t, os.Rename(link+".new", link))
		w.requireHint(t, fmt.Sprint("release ", i))
	}
	replaceFile(t, filepath.Join(releases, "2/policyd/main/main.rego"), []byte("package policyd.main\n\n"+prompting("changed")))
	w.requireHint(t, "changed")
}

// Releases are often swapped by a link above the bundle.
func TestWatchFollowsALinkAbove(t *testing.T) {
	parent := t.TempDir()
	for i := range 3 {
		writeTree(t, filepath.Join(parent, fmt.Sprint("releases/", i, "/policy")), deciding(prompting(fmt.Sprint("release ", i))))
	}
	link := filepath.Join(parent, "current")
	require.NoError(t, os.Symlink("releases/0", link))
	w := watch(t, filepath.Join(link, "policy"))
	for i := 1; i < 3; i++ {
		require.NoError(t, os.Symlink(fmt.Sprint("releases/", i), link+".new"))
		require.NoError(t, os.Rename(link+".new", link))
		w.requireHint(t, fmt.Sprint("release ", i))
	}
}

// What a link in the bundle leads to is read as if it was there.
func TestWatchFollowsLinksInTheBundle(t *testing.T) {
	dir, elsewhere := filepath.Join(t.TempDir(), "bundle"), t.TempDir()
	writeTree(t, dir, deciding(prompting("first")))
	main, shared := filepath.Join(dir, "policyd/main/main.rego"), filepath.Join(elsewhere, "shared.rego")
	require.NoError(t, os.Rename(main, shared))
	require.NoError(t, os.Symlink(shared, elsewhere+"/alias.rego"))
	require.NoError(t, os.Symlink(elsewhere+"/alias.rego", main))
	w := watch(t, dir)
	replaceFile(t, shared, []byte("package policyd.main\n\n"+prompting("second")))
	w.requireHint(t, "second")
	other := filepath.Join(elsewhere, "other.rego")
	require.NoError(t, os.WriteFile(other, []byte("package policyd.main\n\n"+prompting("third")), 0o600))
	require.NoError(t, os.Symlink(other, elsewhere+"/next"))
	require.NoError(t, os.Rename(elsewhere+"/next", elsewhere+"/alias.rego"))
	w.requireHint(t, "third")
}

// A ConfigMap volume holds links into ..data, which is itself a link that is swapped.
func TestWatchFollowsAConfigMap(t *testing.T) {
	volume := t.TempDir()
	swap := func(version string) {
		writeTree(t, filepath.Join(volume, "..2026_"+version), deciding(prompting(version)))
		require.NoError(t, os.Symlink("..2026_"+version, filepath.Join(volume, "..data_tmp")))
		require.NoError(t, os.Rename(filepath.Join(volume, "..data_tmp"), filepath.Join(volume, "..data")))
	}
	swap("one")
	for _, name := range []string{".manifest", "policyd"} {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(volume, name)))
	}
	w := watch(t, volume)
	require.Equal(t, "one", judge(t, w.Engine).Hint)
	swap("two")
	w.requireHint(t, "two")
	swap("three")
	w.requireHint(t, "three")
}

func TestWatchFollowsAnArchive(t *testing.T) {
	packed := filepath.Join(t.TempDir(), "bundle.tar.gz")
	require.NoError(t, os.WriteFile(packed, archive(t, deciding(prompting("first"))), 0o600))
	w := watch(t, packed)
	replaceFile(t, packed, archive(t, deciding(prompting("second"))))
	w.requireHint(t, "second")
	replaceFile(t, packed, archive(t, deciding("decision := nonsense"))[:100])
	require.ErrorContains(t, receive(t, w.rejected), packed)
	require.Equal(t, "second", judge(t, w.Engine).Hint)
	replaceFile(t, packed, archive(t, deciding(prompting("third"))))
	w.requireHint(t, "third")
}

func TestWatchEndsWithTheEngine(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, deciding(prompting("first")))
	w := watch(t, dir)
	w.Close()
	w.Close()
	replaceFile(t, filepath.Join(dir, "policyd/main/main.rego"), []byte("package policyd.main\n\n"+prompting("second")))
	require.Equal(t, "first", judge(t, w.Engine).Hint)
	require.Empty(t, w.activated)
}
