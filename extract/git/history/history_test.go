package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"policyd/extract/git/object"
	"policyd/test/gitsandbox"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seekKeys looks for files called *.key.
func seekKeys() *Past {
	return NewPast(func(path string) bool { return strings.HasSuffix(path, ".key") })
}

// heldOf are the files that Held visits, or why it doesn't know.
func heldOf(p *Past, v object.Repository, of Query, specs ...string) (held []string, err error) {
	of.Budget = &object.Budget{}
	err = p.Held(v, of, specs, v.Top, func(path string) bool {
		held = append(held, path)
		return true
	})
	return held, err
}

// leaky is a repository whose history holds keys, on main and beside it, each commit
// a minute younger than the one before.
func leaky(t *testing.T, format string) (s *sandbox, dir string) {
	t.Helper()
	s = newSandbox(t)
	dir = s.Project
	s.Git(dir, "init", "-q", "-b", "main", "--object-format="+format)
	step := 0
	run := func(args ...string) {
		cmd := s.Command(dir, args...)
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", 1700000000+60*step))
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
		step++
	}
	commit := func(path string) {
		s.Write(filepath.Join(dir, path), fmt.Sprintf("content of %s %d\n", path, step))
		s.Git(dir, "add", "-A")
		run("commit", "-q", "-m", path)
	}
	for i := range 60 {
		s.Write(fmt.Sprintf("%s/wide/deep/file-with-a-long-name-%02d.txt", dir, i), "x")
	}
	commit("first")
	commit("conf/old.key")
	s.Git(dir, "tag", "-a", "leak", "-m", "leak")
	s.Git(dir, "rm", "-q", "conf/old.key")
	run("commit", "-q", "-m", "removed")
	commit("second")
	commit("wide/deep/third")
	s.Git(dir, "checkout", "-q", "-b", "topic")
	commit("topic.txt")
	commit("topic.key")
	s.Git(dir, "rm", "-q", "topic.key")
	run("commit", "-q", "-m", "removed again")
	commit("topic2.txt")
	s.Git(dir, "checkout", "-q", "main")
	commit("fourth")
	commit("fifth")
	return s, dir
}

// S3: of commits whose contents git prints, all files of the names looked for are visited that
// the real git prints, and none where it prints none far and wide.
func TestHistoryHolds(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		s, dir := leaky(t, format)
		checkHistory(t, s, dir)
		s.Git(dir, "pack-refs", "--all")
		s.Git(dir, "repack", "-adfq", "--depth=50", "--window=50")
		require.Empty(t, glob(t, dir+"/.git/objects/??/*"))
		checkHistory(t, s, dir)
		s.Git(dir, "multi-pack-index", "write")
		s.Git(dir, "commit-graph", "write", "--reachable")
		checkHistory(t, s, dir)
		borrowed := filepath.Join(s.Project, "borrowed")
		s.Git(dir, "clone", "-q", "--shared", dir, borrowed)
		s.Git(borrowed, "branch", "-q", "topic", "origin/topic")
		checkHistory(t, s, borrowed)
	}
}

func checkHistory(t *testing.T, s *sandbox, dir string) {
	t.Helper()
	v := s.repository(dir)
	past, leaks := seekKeys(), 0
	hash := func(rev string) string { return strings.TrimSpace(s.Git(dir, "rev-parse", rev)) }
	for _, c := range []struct {
		args  string
		of    Query
		specs []string
		clean bool
	}{
		{args: "show HEAD", of: Query{Revisions: []string{"HEAD"}}, clean: true},
		{args: "show HEAD~1 main~2", of: Query{Revisions: []string{"HEAD~1", "main~2"}}, clean: true},
		{args: "show " + hash("HEAD~4"), of: Query{Revisions: []string{hash("HEAD~4")}}},
		{args: "show " + hash("HEAD~4")[:9], of: Query{Revisions: []string{hash("HEAD~4")[:9]}}},
		{args: "show " + hash("HEAD~1")[:9], of: Query{Revisions: []string{hash("HEAD~1")[:9]}}, clean: true},
		{args: "show leak", of: Query{Revisions: []string{"leak"}}},
		{args: "show leak^{commit}", of: Query{Revisions: []string{"leak^{commit}"}}},
		{args: "show " + hash("HEAD:fifth"), of: Query{Revisions: []string{hash("HEAD:fifth")}}, clean: true},
		{args: "cat-file -p leak^{}", of: Query{Revisions: []string{"leak^{}"}, Contents: true}, clean: true},
		{args: "show leak " + hash("HEAD:fifth"), of: Query{Revisions: []string{"leak", hash("HEAD:fifth")}}},
		{args: "diff-tree -p ^HEAD~4", of: Query{Revisions: []string{"^HEAD~4"}}},
		{args: "show HEAD ^leak", of: Query{Revisions: []string{"HEAD", "^leak"}}},
		{args: "show HEAD~1 HEAD~1..HEAD", of: Query{Revisions: []string{"HEAD~1", "HEAD~1..HEAD"}}, clean: true},
		{args: "show HEAD HEAD~5..HEAD~4", of: Query{Revisions: []string{"HEAD", "HEAD~5..HEAD~4"}}},
		{args: "show HEAD HEAD~1^!", of: Query{Revisions: []string{"HEAD", "HEAD~1^!"}}},
		{args: "show :/removed", of: Query{Revisions: []string{":/removed"}}},
		{args: "log -p", of: Query{Revisions: []string{"HEAD"}, Walks: true}},
		{args: "log -p -3", of: Query{Revisions: []string{"HEAD"}, Walks: true, Count: 3}, clean: true},
		{args: "log -p -5", of: Query{Revisions: []string{"HEAD"}, Walks: true, Count: 5}},
		{args: "log -p HEAD~3..", of: Query{Revisions: []string{"HEAD~3.."}, Walks: true}, clean: true},
		{args: "log -p HEAD~5..HEAD~2", of: Query{Revisions: []string{"HEAD~5..HEAD~2"}, Walks: true}},
		{args: "log -p HEAD ^HEAD~2", of: Query{Revisions: []string{"HEAD", "^HEAD~2"}, Walks: true}, clean: true},
		{args: "log -p main..topic", of: Query{Revisions: []string{"main..topic"}, Walks: true}},
		{args: "log -p topic..main", of: Query{Revisions: []string{"topic..main"}, Walks: true}, clean: true},
		{args: "log -p topic...main", of: Query{Revisions: []string{"topic...main"}, Walks: true}},
		{args: "log -p --all -2", of: Query{All: true, Walks: true, Count: 2}},
		{args: "log -p HEAD~2^!", of: Query{Revisions: []string{"HEAD~2^!"}, Walks: true}},
		{args: "log -p -- second wide", of: Query{Revisions: []string{"HEAD"}, Walks: true}, specs: []string{"second", "wide"}, clean: true},
		{args: "log -p -- conf", of: Query{Revisions: []string{"HEAD"}, Walks: true}, specs: []string{"conf"}},
		{args: "diff HEAD", of: Query{Alone: true, Revisions: []string{"HEAD"}}, clean: true},
		{args: "diff leak", of: Query{Alone: true, Revisions: []string{"leak"}}},
		{args: "diff leak HEAD", of: Query{Alone: true, Revisions: []string{"leak", "HEAD"}}},
		{args: "diff leak..HEAD", of: Query{Alone: true, Revisions: []string{"leak..HEAD"}}},
		{args: "diff topic...main", of: Query{Alone: true, Revisions: []string{"topic...main"}}, clean: true},
		{args: "diff HEAD~4^!", of: Query{Alone: true, Revisions: []string{"HEAD~4^!"}}},
		{args: "diff HEAD~4", of: Query{Alone: true, Revisions: []string{"HEAD~4"}}, clean: true},
		{args: "show HEAD~4", of: Query{Revisions: []string{"HEAD~4"}}},
		{args: "diff HEAD~6...topic", of: Query{Alone: true, Revisions: []string{"HEAD~6...topic"}}, clean: true},
		{args: "diff topic~2...HEAD", of: Query{Alone: true, Revisions: []string{"topic~2...HEAD"}}},
		{args: "diff HEAD~3 HEAD", of: Query{Alone: true, Revisions: []string{"HEAD~3", "HEAD"}}, clean: true},
		{args: "diff HEAD~3..HEAD~1", of: Query{Alone: true, Revisions: []string{"HEAD~3..HEAD~1"}}, clean: true},
		{args: "grep content topic~2", of: Query{Alone: true, Revisions: []string{"topic~2"}}},
		{args: "grep content topic", of: Query{Alone: true, Revisions: []string{"topic"}}, clean: true},
		{args: "show nothing", of: Query{Revisions: []string{"nothing"}}},
	} {
		output, _ := s.Command(dir, strings.Fields(c.args)...).CombinedOutput()
		printed := strings.Contains(string(output), "content of conf/old.key") || strings.Contains(string(output), "content of topic.key")
		held, err := heldOf(past, v, c.of, c.specs...)
		require.NoErrorf(t, err, "git %s", c.args)
		assert.Falsef(t, printed && c.clean, "git %s: %s", c.args, output)
		assert.Equalf(t, c.clean, len(held) == 0, "git %s", c.args)
		if printed {
			leaks++
		}
	}
	assert.Equal(t, 21, leaks)
	for _, id := range []string{hash("leak:conf/old.key"), hash("leak:conf/old.key")[:12]} {
		_, err := heldOf(past, v, Query{Revisions: []string{id}})
		require.ErrorIs(t, err, ErrHistoryUnknown, "which file has such contents isn't known")
		_, err = heldOf(past, v, Query{Revisions: []string{id}, Contents: true})
		require.ErrorIs(t, err, ErrHistoryUnknown)
	}
}

// S3: what refs were before counts where it is asked for, and where nobody knows what a word names.
func TestHistoryOfLogs(t *testing.T) {
	s := newSandbox(t)
	dir := s.Project
	s.Commit(dir)
	past, v := seekKeys(), s.repository(dir)
	s.Write(dir+"/a.key", "content")
	s.Git(dir, "add", "-A")
	s.Git(dir, "commit", "-qm", "leak")
	s.Git(dir, "reset", "-q", "--hard", "HEAD~1")
	held := func(of Query) []string {
		held, err := heldOf(past, v, of)
		require.NoError(t, err)
		return held
	}
	assert.Empty(t, held(Query{Revisions: []string{"HEAD"}, Walks: true}))
	assert.Empty(t, held(Query{All: true, Walks: true}))
	assert.Equal(t, []string{"a.key"}, held(Query{Revisions: []string{"nothing"}})[:1])
	assert.Equal(t, []string{"a.key"}, held(Query{Logs: true, Walks: true})[:1])
	assert.Equal(t, []string{"a.key"}, held(Query{Revisions: []string{"HEAD@{1}"}})[:1])
	s.Git(dir, "reflog", "expire", "--expire=all", "--all")
	assert.Equal(t, []string{"a.key"}, held(Query{Revisions: []string{"ORIG_HEAD"}})[:1])
	require.NoError(t, os.Remove(dir+"/.git/ORIG_HEAD"))
	assert.Empty(t, held(Query{Revisions: []string{"nothing"}}))
	s.Write(dir+"/b.key", "content")
	s.Git(dir, "stash", "-q", "--all")
	assert.Equal(t, []string{"b.key"}, held(Query{Revisions: []string{"refs/stash"}}))
	assert.Equal(t, []string{"b.key"}, held(Query{All: true, Walks: true})[:1])
}

// S3: what was found clean once is not walked again, and what came since is.
func TestHistoryGrows(t *testing.T) {
	s := newSandbox(t)
	dir := s.Project
	s.Commit(dir)
	past, v := seekKeys(), s.repository(dir)
	for i := range 3 {
		s.Write(dir+"/file.txt", fmt.Sprint(i))
		s.Git(dir, "commit", "-qam", "more")
		held, err := heldOf(past, v, Query{Revisions: []string{"HEAD"}, Walks: true})
		require.NoError(t, err)
		assert.Empty(t, held)
	}
	s.Write(dir+"/sub/a.key", "content")
	s.Git(dir, "add", "-A")
	s.Git(dir, "commit", "-qm", "leak")
	s.Git(dir, "rm", "-q", "sub/a.key")
	s.Git(dir, "commit", "-qm", "removed")
	for range 2 {
		held, err := heldOf(past, v, Query{Revisions: []string{"HEAD"}, Walks: true})
		require.NoError(t, err)
		assert.Equal(t, []string{"sub/a.key"}, held[:1])
	}
}

// S3: what can't be read is not known, and what a shallow clone ends with is not looked for.
func TestHistoryThatIsNotThere(t *testing.T) {
	s, dir := leaky(t, "sha1")
	shallow := filepath.Join(s.Project, "shallow")
	s.Git(dir, "clone", "-q", "--depth=2", "file://"+dir, shallow)
	held, err := heldOf(seekKeys(), s.repository(shallow), Query{Revisions: []string{"HEAD"}, Walks: true})
	require.NoError(t, err)
	assert.Empty(t, held)

	walk := Query{Revisions: []string{"HEAD"}, Walks: true}
	v := s.repository(dir)
	tree := strings.TrimSpace(s.Git(dir, "rev-parse", "HEAD~6^{tree}"))
	file := filepath.Join(dir, ".git", gitsandbox.LoosePath(tree))
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.Remove(file))
	_, err = heldOf(seekKeys(), v, walk)
	require.ErrorIs(t, err, ErrHistoryUnknown)
	other, err := os.ReadFile(filepath.Join(dir, ".git", gitsandbox.LoosePath(strings.TrimSpace(s.Git(dir, "rev-parse", "HEAD^{tree}")))))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, other, 0o600)) // not what its id says
	_, err = heldOf(seekKeys(), v, walk)
	require.ErrorIs(t, err, ErrHistoryUnknown)
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.WriteFile(file, content, 0o600))
	_, err = heldOf(seekKeys(), v, walk)
	require.NoError(t, err)

	s.Git(dir, "replace", "HEAD~1", "HEAD~2")
	_, err = heldOf(seekKeys(), s.repository(dir), Query{Revisions: []string{"HEAD"}})
	require.ErrorIs(t, err, ErrHistoryUnknown)
}

// S3: beyond the bound nothing is known, and the next answer goes on where this one ended.
func TestHistoryIsBounded(t *testing.T) {
	s, dir := leaky(t, "sha1")
	v, past := s.repository(dir), seekKeys()
	ask := func() error {
		of := Query{Revisions: []string{"HEAD"}, Walks: true, Budget: &object.Budget{Objects: object.MaxObjects - 8}}
		return past.Held(v, of, []string{"second"}, v.Top, func(string) bool { return true })
	}
	require.ErrorIs(t, ask(), ErrHistoryUnknown)
	for tries := 0; ask() != nil; tries++ {
		require.Less(t, tries, 10)
	}
}

// S3: of commits of one time git may print any first.
func TestHistoryOfOneTime(t *testing.T) {
	s := newSandbox(t)
	dir := s.Project
	s.Commit(dir)
	run := func(date string, args ...string) {
		cmd := s.Command(dir, args...)
		cmd.Env = append(cmd.Env, "GIT_COMMITTER_DATE="+date+" +0000")
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	sides := []string{"one", "two", "three", "four"}
	for i, side := range sides {
		s.Git(dir, "checkout", "-q", "-b", side, "main")
		s.Write(dir+"/"+side, side)
		if i == 1 {
			s.Write(dir+"/a.key", "content")
		}
		s.Git(dir, "add", "-A")
		run("2000000000", "commit", "-qm", side)
		if i == 1 {
			s.Git(dir, "rm", "-q", "a.key")
			run("2000000000", "commit", "-qm", side)
		}
	}
	s.Git(dir, "checkout", "-q", "main")
	run("2000000000", "merge", "-q", "--no-ff", "-m", "merge", "one", "two", "three", "four")
	v, past := s.repository(dir), seekKeys()
	for count := 1; count < 8; count++ {
		output := s.Git(dir, "log", "-p", fmt.Sprintf("-%d", count))
		held, err := heldOf(past, v, Query{Revisions: []string{"HEAD"}, Walks: true, Count: count})
		require.NoError(t, err)
		if strings.Contains(output, "a.key") {
			assert.NotEmpty(t, held)
		}
	}
	s.Write(dir+"/file.txt", "new")
	run("2100000000", "commit", "-qam", "later")
	held, err := heldOf(past, v, Query{Revisions: []string{"HEAD"}, Walks: true, Count: 1})
	require.NoError(t, err)
	assert.Empty(t, held)
}
