package trust

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/stat"
)

// Each change appears after a trusted verdict was cached.
func TestCacheSeesChanges(t *testing.T) {
	cases := map[string]func(s *sandbox){
		"configuration": func(s *sandbox) { configure("[core]\n\tfsmonitor = x\n")(s) },
		"configuration of the same length and time": func(s *sandbox) {
			path := filepath.Join(s.Project, ".git", "config")
			info, err := os.Stat(path)
			require.NoError(s.TB, err)
			content, err := os.ReadFile(path)
			require.NoError(s.TB, err)
			s.Write(path, "[x]"+string(content[3:]))
			require.NoError(s.TB, os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"work tree configuration": func(s *sandbox) {
			s.Write(filepath.Join(s.Project, ".git", "config.worktree"), "[core]\n\tfsmonitor = x\n")
		},
		"hook":                  func(s *sandbox) { s.program(filepath.Join(s.Project, ".git", "hooks", "post-index-change")) },
		"nested bare directory": func(s *sandbox) { s.shape(filepath.Join(s.Project, "sub")) },
		"nested repository": func(s *sandbox) {
			s.Commit(filepath.Join(s.Project, "sub"))
			s.Append(filepath.Join(s.Project, "sub", ".git", "config"), "[core]\n\tfsmonitor = x\n")
		},
		"common directory": func(s *sandbox) { s.Write(filepath.Join(s.Project, ".git", "commondir"), s.shape(s.Home+"/x")) },
		"objects made unsearchable": func(s *sandbox) {
			path := filepath.Join(s.Project, ".git", "objects")
			require.NoError(s.TB, os.Chmod(path, 0o600))
			s.TB.Cleanup(func() { _ = os.Chmod(path, 0o755) })
		},
		"index": func(s *sandbox) { s.Write(filepath.Join(s.Project, ".git", "index"), "DIRC") },
		"git directory swapped": func(s *sandbox) {
			require.NoError(s.TB, os.Rename(filepath.Join(s.Project, ".git"), filepath.Join(s.Home, "old")))
			s.Commit(s.Project)
			configure("[core]\n\tfsmonitor = x\n")(s)
		},
		"person's configuration": func(s *sandbox) {
			s.Write(filepath.Join(s.Project, "c"), "[core]\n\tfsmonitor = x\n")
			require.NoError(s.TB, os.Remove(filepath.Join(s.Home, ".gitconfig")))
			require.NoError(s.TB, os.Symlink(filepath.Join(s.Project, "c"), filepath.Join(s.Home, ".gitconfig")))
		},
		"person's other configuration": func(s *sandbox) {
			require.NoError(s.TB, os.Symlink(s.Project, filepath.Join(s.Home, ".config")))
			s.Write(filepath.Join(s.Project, "git", "config"), "[core]\n\tfsmonitor = x\n")
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			cache := NewCache(8)
			reader := newReader(t, cache)
			query := s.query(filepath.Join(s.Project, "sub"), "status")
			require.True(t, reader.Inspect(query).Trusted)
			_, kept := cache.get(keyOf(query), nil, reader.now)
			require.True(t, kept)
			change(s)
			assert.False(t, reader.Inspect(query).Trusted)
		})
	}
}

// moveAndLink moves a directory and leaves a link to it in its place: whoever follows
// the link finds the directory as it was.
func (s *sandbox) moveAndLink(from, to string) {
	s.TB.Helper()
	require.NoError(s.TB, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(s.TB, os.Rename(from, to))
	require.NoError(s.TB, os.Symlink(to, from))
}

// A verdict rests on real names, too, and those change without a trace in what they name.
func TestCacheSeesWhatIsReachedOverALinkByNow(t *testing.T) {
	cases := map[string]struct {
		verb, hooks string
		change      func(s *sandbox)
		want        func(v Verdict) bool
	}{
		"git directory": {
			"status", "", func(s *sandbox) { s.moveAndLink(s.Project+"/.git", s.Project+"/data") },
			func(v Verdict) bool { return v.Code() == CodeLinkedGitDir },
		},
		"objects": {
			"status", "", func(s *sandbox) { s.moveAndLink(s.Project+"/.git/objects", s.Home+"/objects") },
			func(v Verdict) bool { return v.Trusted && v.ForeignObjects },
		},
		"a person's hooks, and then a hook": {
			"commit", "hooks", func(s *sandbox) {
				s.moveAndLink(s.Home+"/hooks", s.Project+"/hooks")
				s.program(s.Project + "/hooks/pre-commit")
			},
			func(v Verdict) bool { return v.Code() == CodeHook },
		},
		"what holds a person's hooks, and then a hook": {
			"commit", "dots/hooks", func(s *sandbox) {
				s.moveAndLink(s.Home+"/dots", s.Project+"/dots")
				s.program(s.Project + "/dots/hooks/pre-commit")
			},
			func(v Verdict) bool { return v.Code() == CodeHook },
		},
		"a link among a person's hooks, and then a hook": {
			"commit", "link/hooks", func(s *sandbox) {
				s.moveAndLink(s.Home+"/far", s.Project+"/far")
				s.program(s.Project + "/far/hooks/pre-commit")
			},
			func(v Verdict) bool { return v.Code() == CodeHook },
		},
		"a person's configuration": {
			"commit", "", func(s *sandbox) { s.moveAndLink(s.Home+"/.config", s.Project+"/config") },
			func(v Verdict) bool { return v.Code() == CodeConfigKey },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			s.Write(s.Home+"/.config/git/config", "[core]\n\teditor = x\n")
			for _, dir := range []string{"hooks", "dots/hooks", "far/hooks"} {
				require.NoError(t, os.MkdirAll(filepath.Join(s.Home, dir), 0o755))
			}
			require.NoError(t, os.Symlink("far", s.Home+"/link"))
			if c.hooks != "" {
				s.Append(s.Home+"/.gitconfig", "[core]\n\thooksPath = ~/"+c.hooks+"\n")
			}
			cache := NewCache(8)
			reader := newReader(t, cache)
			query := s.query(s.Project, c.verb)
			before := reader.Inspect(query)
			require.True(t, before.Trusted && !before.ForeignObjects, before.Reason)
			_, kept := cache.get(keyOf(query), nil, reader.now)
			require.True(t, kept)
			c.change(s)
			after := reader.Inspect(query)
			assert.True(t, c.want(after), after.Reason)
			assert.Equal(t, newReader(t, nil).Inspect(query), after)
		})
	}
}

// A name that was a link to nothing is absent to whoever follows it, and comes
// to be there without a trace in the directory that holds the link.
func TestCacheSeesWhatADanglingLinkComesToLeadTo(t *testing.T) {
	for name, link := range map[string]string{
		"common directory":        ".git/commondir",
		"work tree configuration": ".git/config.worktree",
		"nested repository":       "sub/.git",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			target := filepath.Join(s.Home, "elsewhere")
			path := filepath.Join(s.Project, filepath.FromSlash(link))
			require.NoError(t, os.Symlink(target, path))
			reader := newReader(t, NewCache(8))
			query := s.query(filepath.Join(s.Project, "sub"), "status")
			require.True(t, reader.Inspect(query).Trusted)
			s.Write(target, "[core]\n\tfsmonitor = x\n")
			assert.False(t, reader.Inspect(query).Trusted)

			require.NoError(t, os.Remove(target))
			require.NoError(t, os.Remove(path))
			require.True(t, reader.Inspect(query).Trusted)
			require.NoError(t, os.Symlink(target, path))
			require.True(t, reader.Inspect(query).Trusted, "the link came later")
			s.Write(target, "[core]\n\tfsmonitor = x\n")
			assert.False(t, reader.Inspect(query).Trusted)
		})
	}
}

// Where a file's directory is missing, too, the nearest one that is there vouches for both.
func TestCacheSeesWhatAMissingDirectoryComesToHold(t *testing.T) {
	for name, c := range map[string]struct {
		link    string // one to nothing
		vouched bool
		made    string
	}{
		"a directory":                       {"", true, ".config/git/config"},
		"behind a link to nothing":          {".config/git", false, "elsewhere/config"},
		"behind a link to nothing above it": {".config", false, "elsewhere/git/config"},
		"what is itself a link to nothing":  {".config/git/config", false, "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			s.Commit(s.Project)
			file := filepath.Join(s.Home, ".config", "git", "config")
			if c.link != "" {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(s.Home, c.link)), 0o755))
				require.NoError(t, os.Symlink(filepath.Join(s.Home, "elsewhere"), filepath.Join(s.Home, c.link)))
			}
			cache := NewCache(8)
			reader := newReader(t, cache)
			query := s.query(s.Project, "status")
			require.True(t, reader.Inspect(query).Trusted)
			entry := cache.entries[keyOf(query)]
			require.NotNil(t, entry)
			asked := slices.ContainsFunc(entry.alone, func(d dependency) bool { return d.path == file })
			assert.Equal(t, c.vouched, !asked)
			for range 2 {
				_, kept := cache.get(keyOf(query), nil, reader.now)
				require.True(t, kept)
			}
			s.Write(filepath.Join(s.Home, c.made), "[core]\n\tpager = less\n")
			_, kept := cache.get(keyOf(query), nil, reader.now)
			assert.False(t, kept)
		})
	}
}

// No directory vouches for a name behind a link to nothing, whether links were followed or not.
func TestNobodyVouchesBehindALinkToNothing(t *testing.T) {
	s := newSandbox(t)
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(s.Home, "link")))
	for path, want := range map[string]string{"missing": s.Home, "missing/a/b": s.Home, "link/a": "", "link/a/b": ""} {
		for _, follow := range []bool{true, false} {
			directory, _ := voucher(dependency{path: filepath.Join(s.Home, path), follow: follow})
			assert.Equal(t, want, directory, "%s %t", path, follow)
		}
	}
}

func TestCacheTellsQueriesApart(t *testing.T) {
	s := newSandbox(t)
	s.Commit(s.Project)
	configure("[diff]\n\texternal = x\n")(s)
	reader := newReader(t, NewCache(8))
	query := s.query(s.Project, "status")
	assert.True(t, reader.Inspect(query).Trusted)
	query.Subcommand = "diff"
	assert.False(t, reader.Inspect(query).Trusted)
	query.Subcommand = "status"
	assert.False(t, reader.Inspect(query).Above)
	query.TrustedRoots = nil
	assert.True(t, reader.Inspect(query).Above)
	query.Home = ""
	assert.False(t, reader.Inspect(query).Trusted)
}

// What was written a moment ago could change again under the same stamp.
func TestCacheKeepsNothingFresh(t *testing.T) {
	s := newSandbox(t)
	s.Commit(s.Project)
	cache := NewCache(8)
	reader, err := New(Options{Cache: cache, Now: time.Now})
	require.NoError(t, err)
	query := s.query(s.Project, "status")
	require.True(t, reader.Inspect(query).Trusted)
	_, kept := cache.get(keyOf(query), nil, reader.now)
	assert.False(t, kept)
}

// inspected is a repository whose status was trusted, with the memory of that.
func inspected(t *testing.T) (*sandbox, *Cache, *Reader, Query) {
	t.Helper()
	s := newSandbox(t)
	s.Commit(s.Project)
	cache := NewCache(8)
	reader := newReader(t, cache)
	query := s.query(s.Project, "status")
	require.True(t, reader.Inspect(query).Trusted)
	return s, cache, reader, query
}

// git creates and removes lock files in .git all the time.
func TestCacheOutlivesOtherChangesOfADirectory(t *testing.T) {
	s, cache, reader, query := inspected(t)
	s.Write(filepath.Join(s.Project, ".git", "index.lock"), "")
	require.NoError(t, os.Remove(filepath.Join(s.Project, ".git", "index.lock")))
	_, kept := cache.get(keyOf(query), nil, reader.now)
	assert.True(t, kept)
	s.Write(filepath.Join(s.Project, ".git", "config.worktree"), "[core]\n\tfsmonitor = x\n")
	assert.False(t, reader.Inspect(query).Trusted)
}

func TestFreshDirectoriesVouchForNothing(t *testing.T) {
	directory := t.TempDir()
	absent := []dependency{{path: filepath.Join(directory, "HEAD")}}
	now := time.Duration(time.Now().UnixNano())
	_, guards := guarded(absent, now)
	require.Len(t, guards, 1)
	assert.False(t, guards[0].listing.Present())
	_, guards = guarded(absent, now+time.Hour)
	require.Len(t, guards, 1)
	assert.True(t, guards[0].listing.Present())
}

func TestCacheIsBounded(t *testing.T) {
	cache := NewCache(3)
	for n := range 10 {
		cache.put(cacheKey{dir: strconv.Itoa(n)}, &cacheEntry{})
	}
	assert.Len(t, cache.entries, 3)
	none := NewCache(0)
	none.put(cacheKey{}, &cacheEntry{})
	assert.Empty(t, none.entries)
}

func TestReaderIsSafeForConcurrentUse(t *testing.T) {
	s := newSandbox(t)
	s.Commit(s.Project)
	reader := newReader(t, NewCache(2))
	var group sync.WaitGroup
	for _, verb := range []string{"status", "diff", "log", "show"} {
		group.Go(func() {
			for range 50 {
				assert.True(t, reader.Inspect(s.query(s.Project, verb)).Trusted)
			}
		})
	}
	group.Wait()
}

// seen is a Seen that knows stamps by path.
type seen map[string]stat.Stamp

func (s seen) Look(path string, follow bool) (stat.Stamp, error) {
	if found, ok := s[path]; ok && !found.Present() {
		return found, fs.ErrNotExist
	} else if ok {
		return found, nil
	}
	return stat.Path(path, follow)
}

// What the decision has looked at is not asked for again, and is held to the
// verdict as what is asked for would be.
func TestCacheTakesWhatTheDecisionHasSeen(t *testing.T) {
	s, cache, reader, query := inspected(t)
	now, err := stat.Path(s.Project, false)
	require.NoError(t, err)
	known := func(stamp stat.Stamp) bool {
		_, ok := cache.get(keyOf(query), seen{s.Project: stamp}, reader.now)
		return ok
	}
	require.True(t, known(now))
	for name, change := range map[string]func(*stat.Stamp){
		"another directory": func(s *stat.Stamp) { s.Inode++ },
		"another disk":      func(s *stat.Stamp) { s.Device++ },
		"permissions":       func(s *stat.Stamp) { s.Permissions ^= 0o100 },
		"owner":             func(s *stat.Stamp) { s.Owner++ },
		"no directory":      func(s *stat.Stamp) { s.Kind = stat.File },
	} {
		other := now
		change(&other)
		assert.False(t, known(other), name)
	}
}

// That a name is absent was seen before the directory that is to vouch for it: it may
// have come to be there in between, and is asked for anew.
func TestDirectoriesVouchForWhatIsAskedAnew(t *testing.T) {
	s, cache, reader, query := inspected(t)
	before := filepath.Join(s.Project, ".git", "config.worktree")
	_, kept := cache.get(keyOf(query), seen{before: {}}, reader.now)
	require.True(t, kept)
	s.Write(before, "[core]\n\tfsmonitor = x\n")
	_, kept = cache.get(keyOf(query), seen{before: {}}, reader.now)
	assert.False(t, kept)
}
