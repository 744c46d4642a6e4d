package git

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (s *sandbox) atHead(dir string) bool {
	s.TB.Helper()
	beyond, err := s.beyond(dir, "HEAD")
	return err == nil && len(beyond) == 0
}

// beyond are the paths that commits hold besides those of the index.
func (s *sandbox) beyond(dir string, revisions ...string) ([]string, error) {
	s.TB.Helper()
	return s.beyondOf(dir, Commits{Revisions: revisions})
}

func (s *sandbox) beyondOf(dir string, of Commits) ([]string, error) {
	s.TB.Helper()
	paths := []string{}
	err := newReader(s.TB, nil).Beyond(s.inspect(dir, "ls-files"), of, nil, dir, func(path string) bool {
		paths = append(paths, path)
		return true
	})
	return paths, err
}

// headed is a repository whose index holds awkward names, and what HEAD holds.
func headed(t *testing.T) (s *sandbox, dir string) {
	t.Helper()
	s = newSandbox(t)
	dir = s.Project
	s.Git(dir, "init", "-q", "-b", "main")
	s.Populate(dir)
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
	s.Git(dir, "add", "-A")
	s.Git(dir, "commit", "-q", "-m", "one")
	return s, dir
}

// S3: the index names what HEAD names, also where it names and holds more.
func TestIndexAtHead(t *testing.T) {
	s, dir := headed(t)
	assert.True(t, s.atHead(dir))
	s.Write(dir+"/a", "changed, and not staged")
	require.NoError(t, os.Remove(dir+"/a.go"))
	s.Write(dir+"/untracked", "x")
	assert.True(t, s.atHead(dir), "what lies in the work tree is not asked")
	s.Git(dir, "pack-refs", "--all")
	assert.True(t, s.atHead(dir), "packed refs")
	s.Git(dir, "gc", "-q", "--prune=now")
	assert.Empty(t, glob(t, dir+"/.git/objects/??/*"))
	assert.True(t, s.atHead(dir), "packed objects")
	s.Git(dir, "checkout", "-q", "--detach")
	assert.True(t, s.atHead(dir), "detached")
	s.Git(dir, "rm", "-q", "--cached", "ab.go")
	assert.False(t, s.atHead(dir), "HEAD names a file that the index doesn't")
	s.Git(dir, "reset", "-q")
	assert.True(t, s.atHead(dir))
	s.Git(dir, "add", "-N", "untracked")
	s.Write(dir+"/ab/c.go", "changed")
	s.Write(dir+"/sub/deep/new", "x")
	s.Git(dir, "add", "ab", "sub")
	assert.True(t, s.atHead(dir), "the index names more, and other contents")
	s.Git(dir, "rm", "-q", "--cached", "sub/deep/b.pem")
	assert.False(t, s.atHead(dir), "and not all")
	s.Git(dir, "reset", "-q")
	s.Git(dir, "rm", "-rq", "--cached", "sub/deep")
	assert.False(t, s.atHead(dir), "a directory is missing")
	s.Git(dir, "reset", "-q")
	s.Git(dir, "mv", "-f", "sub2/b.go", "sub2/c.go")
	assert.False(t, s.atHead(dir), "another name")
}

func glob(tb testing.TB, pattern string) []string {
	tb.Helper()
	found, err := filepath.Glob(pattern)
	require.NoError(tb, err)
	return found
}

// S3: where something else could stand in a commit's place, nothing is known.
func TestHeadThatIsNotKnown(t *testing.T) {
	for name, change := range map[string]func(s *sandbox, dir string){
		"a ref that replaces": func(s *sandbox, dir string) {
			s.Write(dir+"/.git/refs/replace/"+strings.TrimSpace(s.Git(dir, "rev-parse", "HEAD")), strings.Repeat("1", 40))
		},
		"packed refs that replace": func(s *sandbox, dir string) {
			s.Append(dir+"/.git/packed-refs", strings.Repeat("1", 40)+" refs/replace/"+strings.Repeat("2", 40)+"\n")
		},
		"an unborn branch":    func(s *sandbox, dir string) { s.Git(dir, "checkout", "-q", "--orphan", "new") },
		"a ref that is a ref": func(s *sandbox, dir string) { s.Git(dir, "symbolic-ref", "refs/heads/main", "refs/heads/other") },
		"a ref that leads up": func(s *sandbox, dir string) { s.Write(dir+"/.git/HEAD", "ref: refs/heads/../heads/main\n") },
		"no commit":           func(s *sandbox, dir string) { s.Write(dir+"/.git/HEAD", strings.Repeat("1", 40)+"\n") },
		"a shortened id": func(s *sandbox, dir string) {
			s.Write(dir+"/.git/HEAD", strings.TrimSpace(s.Git(dir, "rev-parse", "--short", "HEAD"))+"\n")
		},
		"a tree in its place": func(s *sandbox, dir string) {
			s.Write(dir+"/.git/HEAD", strings.TrimSpace(s.Git(dir, "rev-parse", "HEAD^{tree}"))+"\n")
		},
		"another object under its id": func(s *sandbox, dir string) {
			s.Write(dir+"/x", "x")
			s.Git(dir, "add", "x")
			s.Git(dir, "commit", "-q", "-m", "two")
			id := strings.TrimSpace(s.Git(dir, "rev-parse", "HEAD"))
			first := strings.TrimSpace(s.Git(dir, "rev-parse", "HEAD~1"))
			path := func(id string) string { return dir + "/.git/objects/" + id[:2] + "/" + id[2:] }
			require.NoError(t, os.Remove(path(id)))
			require.NoError(t, os.Link(path(first), path(id)))
			s.Git(dir, "read-tree", "--reset", first+"^{tree}")
		},
		"no index": func(_ *sandbox, dir string) { require.NoError(t, os.Remove(dir+"/.git/index")) },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := headed(t)
			change(s, dir)
			assert.False(t, s.atHead(dir))
		})
	}
	assert.ErrorIs(t, newReader(t, nil).Beyond(Verdict{}, Commits{Revisions: []string{"HEAD"}}, nil, "/", nil), ErrNoRepository)
}

// The trees that are computed are those that git writes.
func TestTreesAreGits(t *testing.T) {
	s, dir := headed(t)
	for i, name := range []string{"a-b", "a/b", "a0", "ab/c-d", "ab/c.txt", "zz"} {
		_ = os.RemoveAll(dir + "/a")
		s.Write(dir+"/"+name, strings.Repeat("x", i))
		s.Git(dir, "add", "-A")
		content, err := os.ReadFile(dir + "/.git/index")
		require.NoError(t, err)
		var entries []treeEntry
		require.NoError(t, walkIndex(content, sha1Size, func(e indexEntry) bool {
			entries = append(entries, treeEntry{mode: e.mode, object: e.object, path: string(e.path)})
			return true
		}))
		id, ok := writeTree(entries, 0, sha1Size, 0, map[string]string{})
		require.True(t, ok)
		assert.Equal(t, strings.TrimSpace(s.Git(dir, "write-tree")), hex.EncodeToString(id))
	}
	_, ok := writeTree([]treeEntry{{path: strings.Repeat("a/", maxHeadDepth+1) + "b"}}, 0, sha1Size, 0, map[string]string{})
	assert.False(t, ok)
	_, ok = writeTree([]treeEntry{{path: "a//b"}}, 0, sha1Size, 0, map[string]string{})
	assert.False(t, ok)
}

// FuzzPackIndex holds that no index of a pack and no entry breaks the reader.
func FuzzPackIndex(f *testing.F) {
	id := bytes.Repeat([]byte{7}, sha1Size)
	whole := append([]byte("\xfftOc\x00\x00\x00\x02"), bytes.Repeat([]byte{0, 0, 0, 1}, 256)...)
	whole = append(append(whole, id...), 1, 2, 3, 4, 0, 0, 0, 12)
	f.Add(whole, id)
	f.Add(whole[:len(whole)-1], id)
	f.Add([]byte{}, id)
	f.Fuzz(func(t *testing.T, index, id []byte) {
		if len(id) != sha1Size && len(id) != sha256Size {
			return
		}
		offset, found := packOffset(index, id)
		if found && (offset < -1 || !bytes.Contains(index, id)) {
			t.Fatalf("found %x at %d", id, offset)
		}
		if kind, size, err := entryHeader(bytes.NewReader(index)); err == nil && (len(index) == 0 || index[0]>>4&7 != kind || size < 0) {
			t.Fatalf("%x is of another kind", index)
		}
	})
}
