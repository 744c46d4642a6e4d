package history

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"policyd/test/gitsandbox"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// branched is a repository with branches, a merge, tags and names that went away. Its
// trees are large enough to be packed as differences.
func branched(t *testing.T, format string) (s *sandbox, dir string) {
	t.Helper()
	s = newSandbox(t)
	dir = s.Project
	s.Git(dir, "init", "-q", "-b", "main", "--object-format="+format)
	step := 0
	commit := func(name string) {
		s.Write(filepath.Join(dir, name), fmt.Sprintf("%d\n", step))
		s.Git(dir, "add", "-A")
		cmd := s.Command(dir, "commit", "-q", "-m", name)
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", 1700000000+60*step))
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
		step++
	}
	for i := range 60 {
		s.Write(fmt.Sprintf("%s/wide/deep/file-with-a-long-name-%02d.txt", dir, i), "x")
	}
	commit("first")
	s.Git(dir, "tag", "light")
	commit("gone")
	s.Git(dir, "tag", "-a", "heavy", "-m", "heavy")
	s.Git(dir, "rm", "-q", "gone")
	commit("wide/deep/second")
	s.Git(dir, "checkout", "-q", "-b", "topic/one")
	commit("topic")
	s.Git(dir, "mv", "wide/deep/second", "wide/deep/moved")
	commit("topic2")
	s.Git(dir, "checkout", "-q", "main")
	commit("wide/third")
	s.Git(dir, "update-ref", "refs/remotes/origin/main", "HEAD")
	s.Git(dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	cmd := s.Command(dir, "merge", "-q", "--no-ff", "-m", "merge", "topic/one")
	cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_COMMITTER_DATE=%d +0000", 1700000000+60*step))
	output, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	step++
	s.Git(dir, "rm", "-rq", "topic", "wide/third")
	commit("last")
	return s, dir
}

// S3: with the index, what is listed of commits is all that git names of them: as loose
// objects, as differences in a pack, and beside a graph of commits.
func TestNamesOfCommits(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		s, dir := branched(t, format)
		words := []string{
			"HEAD", "@", "HEAD~1", "HEAD^", "HEAD^^", "HEAD~1^2~1", "HEAD~3", "HEAD^0", "main", "main~2", "light", "heavy",
			"heavy^0", "heavy~1", "topic/one", "refs/heads/topic/one", "heads/main", "origin/main", "origin", "light..HEAD", "..topic/one",
			"topic/one..", "light..heavy",
		}
		parted := []string{"main...topic/one", "topic/one...", "...light", "origin/main...topic/one"}
		checkNames(t, s, dir, slices.Concat(words, parted))
		if format == "sha256" {
			continue
		}
		s.Git(dir, "pack-refs", "--all")
		s.Git(dir, "repack", "-adfq", "--depth=50", "--window=50")
		require.Empty(t, glob(t, dir+"/.git/objects/??/*"))
		require.Contains(t, s.Git(dir, "verify-pack", "-v", glob(t, dir+"/.git/objects/pack/*.idx")[0]), "chain length = 1")
		checkNames(t, s, dir, slices.Concat(words, parted))
		s.Git(dir, "-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq")
		checkNames(t, s, dir, words[:6])
		s.Git(dir, "commit-graph", "write", "--reachable")
		s.Git(dir, "multi-pack-index", "write")
		checkNames(t, s, dir, slices.Concat(words, parted))
	}
}

func checkNames(t *testing.T, s *sandbox, dir string, words []string) {
	t.Helper()
	tracked := gitsandbox.Split([]byte(s.Git(dir, "ls-files", "-z")))
	for _, word := range words {
		found, err := s.beyond(dir, word)
		if !assert.NoErrorf(t, err, word) {
			continue
		}
		args := [][]string{{"diff", "--name-only", "--no-renames", "-z", word}}
		if !strings.Contains(word, "..") {
			args = append(args, []string{"ls-tree", "-r", "--name-only", "-z", word})
		}
		for _, arguments := range args {
			for _, name := range gitsandbox.Split([]byte(s.Git(dir, arguments...))) {
				assert.Truef(t, slices.Contains(found, name) || slices.Contains(tracked, name), "%s of %s", name, word)
			}
		}
		for _, name := range found {
			assert.NotContainsf(t, tracked, name, word)
		}
		shown, err := s.beyondOf(dir, Commits{Revisions: []string{word}, Parents: true})
		if err != nil {
			assert.Truef(t, strings.Contains(word, "..") || word == "heavy", word)
			continue
		}
		for _, name := range gitsandbox.Split([]byte(s.Git(dir, "show", "--format=", "--name-only", "--no-renames", "-m", "-z", word))) {
			assert.Truef(t, slices.Contains(shown, name) || slices.Contains(tracked, name), "%s of %s", name, word)
		}
	}
	gone, err := s.beyond(dir, "heavy")
	require.NoError(t, err)
	assert.Contains(t, gone, "gone")
}

// S3: what git reads otherwise than it is read here is not known.
func TestCommitsThatAreNotKnown(t *testing.T) {
	s, dir := branched(t, "sha1")
	hash := strings.TrimSpace(s.Git(dir, "rev-parse", "--short", "HEAD"))
	for _, word := range []string{
		"", "HEAD@{1}", "@{u}", "@{-1}", "HEAD^{tree}", ":/first", "v1-0-g" + hash,
		"HEAD^!", "HEAD^@", "HEAD^-", "^HEAD", "-x", "../HEAD", "refs/../HEAD", "HEAD.lock", "config", "index",
		"HEAD:file", "HEAD~1001",
		// What git knows no more of is no less unknown here.
		"nosuch", "HEAD~99", "HEAD^3", "main...nosuch", "heavy~1^2", "HEAD~99..HEAD", "a..b..c",
	} {
		_, err := s.beyond(dir, word)
		assert.ErrorIsf(t, err, ErrRevisionUnknown, "%q", word)
	}
	for _, word := range []string{hash, hash + "~1", "HEAD^{}", "main^{commit}"} {
		_, err := s.beyond(dir, word)
		assert.NoErrorf(t, err, "%q", word)
	}
	kept := filepath.Join(s.Home, "kept")
	require.NoError(t, os.CopyFS(kept, os.DirFS(dir+"/.git")))
	id := func(word string) string { return strings.TrimSpace(s.Git(dir, "rev-parse", word)) }
	for name, change := range map[string]func(s *sandbox, dir string){
		"a tag of the branch's name":   func(s *sandbox, dir string) { s.Git(dir, "tag", "topic/one", "light") },
		"a file in the place of a ref": func(s *sandbox, dir string) { s.Write(dir+"/.git/topic/one", id("light")+"\n") },
		"a link in its place": func(_ *sandbox, dir string) {
			require.NoError(t, os.Remove(dir+"/.git/refs/heads/topic/one"))
			require.NoError(t, os.Symlink("refs/heads/main", dir+"/.git/refs/heads/topic/one"))
		},
		"two packed refs of one name": func(s *sandbox, dir string) {
			s.Git(dir, "pack-refs", "--all")
			s.Append(dir+"/.git/packed-refs", id("light")+" refs/heads/topic/one\n")
		},
		"grafts":                              func(s *sandbox, dir string) { s.Write(dir+"/.git/info/grafts", id("HEAD")+"\n") },
		"refs kept otherwise":                 func(s *sandbox, dir string) { s.Write(dir+"/.git/reftable/tables.list", "") },
		"an index of a pack that is not read": func(s *sandbox, dir string) { s.Write(dir+"/.git/objects/pack/x.idx", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.RemoveAll(dir+"/.git"))
			require.NoError(t, os.CopyFS(dir+"/.git", os.DirFS(kept)))
			_, err := s.beyond(dir, "topic/one")
			require.NoError(t, err)
			change(s, dir)
			_, err = s.beyond(dir, "topic/one")
			assert.ErrorIs(t, err, ErrRevisionUnknown)
		})
	}
}

func unhex(t *testing.T, text string) string {
	t.Helper()
	var raw []byte
	_, err := fmt.Sscanf(text, "%x", &raw)
	require.NoError(t, err)
	return string(raw)
}

// S3: a tree that was fetched may hold names that lead elsewhere.
func TestTreesThatLeadOut(t *testing.T) {
	s, dir := branched(t, "sha1")
	blob := strings.TrimSpace(s.Git(dir, "hash-object", "-w", "first"))
	for _, name := range []string{"..", ".git", ".GIT", "."} {
		tree := append([]byte("100644 "+name+"\x00"), unhex(t, blob)...)
		path := filepath.Join(s.Home, "tree")
		require.NoError(t, os.WriteFile(path, tree, 0o600))
		id := strings.TrimSpace(s.Git(dir, "hash-object", "-w", "--literally", "-t", "tree", path))
		commit := strings.TrimSpace(s.Git(dir, "commit-tree", "-m", "x", id))
		s.Git(dir, "update-ref", "refs/heads/led", commit)
		_, err := s.beyond(dir, "led")
		assert.ErrorIsf(t, err, ErrRevisionUnknown, name)
	}
}

// S3: a commit that was fetched may say things twice, of which git takes the first, or
// where git doesn't look.
func TestCommitsThatSayMore(t *testing.T) {
	s, dir := branched(t, "sha1")
	id := func(word string) string { return strings.TrimSpace(s.Git(dir, "rev-parse", word)) }
	point := func(text string) {
		path := filepath.Join(s.Home, "commit")
		s.Write(path, text)
		made := strings.TrimSpace(s.Git(dir, "hash-object", "-w", "--literally", "-t", "commit", path))
		s.Write(dir+"/.git/refs/heads/made", made+"\n")
	}
	who := "a <a@example.org> 1800000000 +0000\n"
	head := "tree " + id("heavy^{tree}") + "\nparent " + id("main") + "\n"
	point(head + "author " + who + "committer " + who + "parent " + id("light") + "\ntree " + id("light^{tree}") + "\n\nx\n")
	beyond, err := s.beyond(dir, "made")
	require.NoError(t, err)
	assert.Contains(t, beyond, "gone")
	assert.Error(t, s.Command(dir, "rev-parse", "--verify", "made^2").Run())
	_, err = s.beyond(dir, "made^2")
	require.ErrorIs(t, err, ErrRevisionUnknown)
	_, err = s.beyond(dir, "made...light")
	require.NoError(t, err)
	for _, text := range []string{
		head + "author " + who + "committer a> <a@example.org> 1800000000 +0000\n\nx\n", head + "author " + who + "\nx\n",
		head + "committer " + who + "author " + who + "\nx\n", head + "author " + who + "committer a <a> -5 +0000\n\nx\n",
		head + "author " + who + "committer a <a> 1 +0000\n\nx\n",
	} {
		point(text)
		_, err = s.beyond(dir, "made...light")
		assert.ErrorIsf(t, err, ErrRevisionUnknown, "%q", text)
	}
	point("parent " + id("main") + "\n" + head)
	_, err = s.beyond(dir, "made")
	assert.ErrorIs(t, err, ErrRevisionUnknown)
}

// S3: a linked work tree has refs of its own.
func TestRefsOfWorkTrees(t *testing.T) {
	s, dir := branched(t, "sha1")
	linked := filepath.Join(dir, "linked")
	s.Git(dir, "worktree", "add", "-q", linked, "topic/one")
	_, err := s.beyond(linked, "main")
	require.NoError(t, err)
	s.Git(dir, "update-ref", "refs/bisect/bad", "light")
	_, err = s.beyond(linked, "bisect/bad")
	assert.ErrorIs(t, err, ErrRevisionUnknown)
	s.Git(linked, "update-ref", "ORIG_HEAD", "light")
	_, err = s.beyond(linked, "ORIG_HEAD")
	assert.ErrorIs(t, err, ErrRevisionUnknown)
}

// S3: of a revision that is not read to its end nothing is known, not even that the steps
// before it lead nowhere: "^{}" is no parent.
func TestRevisionsReadToTheirEnd(t *testing.T) {
	s, dir := branched(t, "sha1")
	for _, word := range []string{"light^@", "light^!", "light^-", "light^{}~0", "light^{/first}"} {
		_, err := s.beyond(dir, word)
		assert.ErrorIsf(t, err, ErrRevisionUnknown, "%q", word)
	}
	_, err := s.beyond(dir, strings.Fields(strings.Repeat("light ", maxRevisions+1))...)
	assert.ErrorIs(t, err, ErrRevisionUnknown, "too many to read")
}

// S3: a few bytes may unpack to many, and a name may be of any length.
func TestCommitsThatTakeLong(t *testing.T) {
	s, dir := branched(t, "sha1")
	put := func(kind, body string) string {
		cmd := s.Command(dir, "hash-object", "-t", kind, "-w", "--stdin", "--literally")
		cmd.Stdin = strings.NewReader(body)
		id, err := cmd.Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(id))
	}
	refer := func(name, tree string) {
		s.Git(dir, "update-ref", "refs/heads/"+name, put("commit", "tree "+tree+"\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n"))
	}
	tree := put("tree", "100644 f\x00"+strings.Repeat("x", 20))
	for range 4 {
		tree = put("tree", "40000 "+strings.Repeat("d", maxPath/3)+"\x00"+string(unhex(t, tree)))
	}
	refer("long", tree)
	var root strings.Builder
	for i := range maxNamedBytes/900_000 + 1 {
		id := put("tree", fmt.Sprintf("100644 %02d%s\x00%s", i, strings.Repeat("n", 900_000), strings.Repeat("x", 20)))
		fmt.Fprintf(&root, "40000 d%02d\x00%s", i, unhex(t, id))
	}
	refer("wide", put("tree", root.String()))
	for _, name := range []string{"long", "wide"} {
		_, err := s.beyond(dir, name)
		assert.ErrorIs(t, err, ErrRevisionUnknown, name)
	}
}
