package git

import (
	"bytes"
	"fmt"
	"math/rand/v2"
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
		checkNames(t, s, dir, words[:6])
		for _, word := range parted {
			_, err := s.beyond(dir, word)
			assert.ErrorIs(t, err, ErrRevisionUnknown, "the graph has a say in where histories part")
		}
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
		"", "HEAD@{1}", "@{u}", "@{-1}", "HEAD^{tree}", "HEAD^{}", ":/first", hash, "v1-0-g" + hash,
		"HEAD^!", "HEAD^@", "HEAD^-", "^HEAD", "-x", "../HEAD", "refs/../HEAD", "HEAD.lock", "config", "index", "main^{commit}",
		"HEAD:file", "HEAD~1001",
		// What git knows no more of is no less unknown here.
		"nosuch", "HEAD~99", "HEAD^3", "main...nosuch", "heavy~1^2", "HEAD~99..HEAD", "a..b..c",
	} {
		_, err := s.beyond(dir, word)
		assert.ErrorIsf(t, err, ErrRevisionUnknown, "%q", word)
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
		"grafts":              func(s *sandbox, dir string) { s.Write(dir+"/.git/info/grafts", id("HEAD")+"\n") },
		"refs kept otherwise": func(s *sandbox, dir string) { s.Write(dir+"/.git/reftable/tables.list", "") },
		"an index of packs": func(s *sandbox, dir string) {
			s.Git(dir, "repack", "-adq")
			s.Git(dir, "multi-pack-index", "write")
		},
		"objects of others":                   func(s *sandbox, dir string) { s.Write(dir+"/.git/objects/info/alternates", dir+"/other\n") },
		"graphs that add up":                  func(s *sandbox, dir string) { s.Git(dir, "commit-graph", "write", "--reachable", "--split") },
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

// S3: git may read any copy of an object, and a graph in a commit's place, without
// looking whether they are what they say.
func TestCopiesThatLie(t *testing.T) {
	s, dir := branched(t, "sha1")
	id := strings.TrimSpace(s.Git(dir, "rev-parse", "heavy^{commit}"))
	loose := dir + "/.git/" + loosePath(id)
	whole, err := os.ReadFile(loose)
	require.NoError(t, err)
	other, err := os.ReadFile(dir + "/.git/" + loosePath(strings.TrimSpace(s.Git(dir, "rev-parse", "light"))))
	require.NoError(t, err)
	s.Git(dir, "repack", "-adq")
	require.NoError(t, os.MkdirAll(filepath.Dir(loose), 0o755))
	require.NoError(t, os.WriteFile(loose, whole, 0o600))
	_, err = s.beyond(dir, "heavy")
	require.NoError(t, err, "both copies are right")
	require.NoError(t, os.WriteFile(loose, other, 0o600))
	_, err = s.beyond(dir, "heavy")
	assert.ErrorIs(t, err, ErrRevisionUnknown, "one copy is wrong")

	s, dir = branched(t, "sha1")
	s.Git(dir, "commit-graph", "write", "--reachable")
	_, err = s.beyond(dir, "heavy")
	require.NoError(t, err)
	path := dir + "/.git/objects/info/commit-graph"
	graphed, err := os.ReadFile(path)
	require.NoError(t, err)
	tree := func(word string) []byte {
		return []byte(unhex(t, strings.TrimSpace(s.Git(dir, "rev-parse", word+"^{tree}"))))
	}
	lying := bytes.Replace(graphed, tree("topic/one~3"), tree("light"), 1)
	require.NotEqual(t, graphed, lying)
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.WriteFile(path, lying, 0o600))
	assert.Empty(t, s.Git(dir, "diff", "--name-only", "topic/one~3", "light"), "git believes the graph")
	_, err = s.beyond(dir, "heavy")
	assert.ErrorIs(t, err, ErrRevisionUnknown)
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

// S3: a ref may have any name, and a tag comes with a clone.
func TestNamesOfRefs(t *testing.T) {
	plain := func(s *sandbox, dir string) bool {
		return newReader(t, nil).PlainRefs(s.inspect(dir, "for-each-ref"))
	}
	s, dir := branched(t, "sha1")
	assert.True(t, plain(s, dir))
	s.Git(dir, "pack-refs", "--all")
	assert.True(t, plain(s, dir))
	for _, name := range []string{"refs/tags/--output=x", "refs/heads/-x", "refs/remotes/origin/-p", "refs/-y", "refs/x/-/y"} {
		s.Git(dir, "update-ref", name, "HEAD")
		assert.Contains(t, s.Git(dir, "for-each-ref"), name)
		assert.False(t, plain(s, dir), name)
		s.Git(dir, "pack-refs", "--all")
		assert.False(t, plain(s, dir), "packed "+name)
		s.Git(dir, "update-ref", "-d", name)
		assert.True(t, plain(s, dir), name)
	}
	s.Git(dir, "checkout", "-q", "--detach")
	s.Write(dir+"/.git/rebase-merge/head-name", "refs/heads/a --output=x\n")
	assert.Contains(t, s.Git(dir, "branch", "--format=%(refname:short)"), "--output=x")
	assert.False(t, plain(s, dir), "git prints more than names")
	s.Git(dir, "checkout", "-q", "main")
	require.NoError(t, os.Symlink("/etc", dir+"/.git/refs/tags/etc"))
	assert.False(t, plain(s, dir), "a link")
	assert.False(t, newReader(t, nil).PlainRefs(Verdict{}))
}

// S3: what a tag says that it is called is what some gits print, and it comes with a clone; so
// does the name of a branch without a commit.
func TestNamesThatTagsSay(t *testing.T) {
	s, dir := branched(t, "sha1")
	plain := func() bool { return newReader(t, nil).PlainTags(s.inspect(dir, "for-each-ref")) }
	said := func(name string) string {
		head := strings.TrimSpace(s.Git(dir, "rev-parse", "HEAD"))
		s.Write(dir+"/tag", "object "+head+"\ntype commit\ntag "+name+"\ntagger a <a@b> 1 +0000\n\nm\n")
		return strings.TrimSpace(s.Git(dir, "hash-object", "-t", "tag", "-w", "--literally", "tag"))
	}
	assert.True(t, plain())
	s.Git(dir, "tag", "-a", "-m", "m", "more/v1")
	assert.True(t, plain())
	for _, name := range []string{"--output=x", "v 2", "", "a;b", ".env", "../x"} {
		s.Git(dir, "update-ref", "refs/tags/v2", said(name))
		assert.False(t, plain(), name)
		s.Git(dir, "pack-refs", "--all")
		s.Git(dir, "gc", "-q")
		assert.False(t, plain(), "packed "+name)
		s.Git(dir, "update-ref", "refs/tags/v2", said("v2"))
		assert.False(t, plain(), "a name that git no longer looks at may be one that it prints")
		s.Git(dir, "pack-refs", "--all")
		assert.True(t, plain(), name)
	}
	s.Git(dir, "tag", "content", "HEAD^{tree}")
	assert.False(t, plain(), "neither a commit nor a tag")
	s.Git(dir, "tag", "-d", "content")
	s.Write(dir+"/.git/refs/tags/odd", "ref: refs/heads/none\n")
	assert.False(t, plain(), "what can't be followed")
	require.NoError(t, os.Remove(dir+"/.git/refs/tags/odd"))
	assert.True(t, plain())
	for _, head := range []string{"--output=x", "a b", ".env", ""} {
		s.Write(dir+"/.git/HEAD", "ref: refs/heads/"+head+"\n")
		assert.False(t, newReader(t, nil).PlainRefs(s.inspect(dir, "for-each-ref")), head)
	}
	s.Write(dir+"/.git/HEAD", "ref: refs/heads/unborn\n")
	assert.True(t, newReader(t, nil).PlainRefs(s.inspect(dir, "for-each-ref")))
}

// FuzzDelta holds that no difference breaks the reader, that what it makes is bounded, and
// that it is made of nothing but the base and the difference.
func FuzzDelta(f *testing.F) {
	base := []byte("the base of it, and more of it")
	f.Add(base, []byte{30, 5, 0x90, 3, 2, 'x', 'y'})
	f.Add(base, []byte{30, 4, 0x91, 4, 4})
	f.Add([]byte{}, []byte{0, 0})
	random := rand.New(rand.NewPCG(1, 2))
	long := make([]byte, 200)
	for i := range long {
		long[i] = byte(random.Uint32())
	}
	f.Add(base, long)
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, ok := applyDelta(base, delta)
		if !ok {
			return
		}
		if len(out) > maxObjectBytes {
			t.Fatalf("made %d bytes", len(out))
		}
		for _, b := range out {
			if !bytes.Contains(base, []byte{b}) && !bytes.Contains(delta, []byte{b}) {
				t.Fatalf("made %x of %x and %x", out, base, delta)
			}
		}
	})
}

// FuzzCommitGraph holds that no graph breaks the reader, and that one that is read agrees
// with a commit only as far as its entries do.
func FuzzCommitGraph(f *testing.F) {
	f.Add([]byte("CGPH\x01\x01\x02\x00OIDL\x00\x00\x00\x00\x00\x00\x00\x2cCDAT\x00\x00\x00\x00\x00\x00\x00\x2c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x2c"), []byte{1})
	f.Fuzz(func(t *testing.T, content, raw []byte) {
		var g graph
		if !g.parse(content, sha1Size) {
			return
		}
		id := fmt.Sprintf("%040x", raw)
		if len(id) != 2*sha1Size {
			return
		}
		if !g.agrees(id, &commit{tree: "x"}) && !bytes.Contains(content, []byte(unhex(t, id))) {
			t.Fatalf("%s is not in %x", id, content)
		}
	})
}
