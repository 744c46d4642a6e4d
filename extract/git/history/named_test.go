package history

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"policyd/extract/git/object"
	"policyd/test/gitsandbox"

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
	listed, _ := s.Command(dir, "ls-files", "-z").Output() // none where git refuses
	tracked := gitsandbox.Split(listed)
	err := Named(s.repository(dir), of, nil, dir, func(path string) bool {
		if !slices.Contains(tracked, path) {
			paths = append(paths, path)
		}
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
	assert.ErrorIs(t, Named(object.Repository{}, Commits{Revisions: []string{"HEAD"}}, nil, "/", nil), ErrNoRepository)
}
