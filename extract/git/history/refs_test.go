package history

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/git/object"
)

// S3: git takes any character for the end of an id in packed-refs.
func TestPackedRefsToTheLetter(t *testing.T) {
	s, dir := branched(t, "sha1")
	s.Git(dir, "tag", "evil", "topic/one")
	s.Git(dir, "pack-refs", "--all")
	file := dir + "/.git/packed-refs"
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	_, err = s.beyond(dir, "evil")
	require.NoError(t, err)
	v := s.repository(dir)
	require.True(t, RefsAreWords(v))
	id := strings.TrimSpace(s.Git(dir, "rev-parse", "light"))
	other := strings.TrimSpace(s.Git(dir, "rev-parse", "heavy~0"))
	for name, content := range map[string]string{
		"a tab":                    strings.Replace(string(before), " refs/tags/evil\n", "\trefs/tags/evil\n", 1),
		"a letter":                 strings.Replace(string(before), " refs/tags/evil\n", "Xrefs/tags/evil\n", 1),
		"a replacement":            string(before) + other + "\trefs/replace/" + id + "\n",
		"no name":                  string(before) + id + " \n",
		"no end":                   string(before) + id + " refs/tags/z",
		"an empty line":            string(before) + "\n",
		"a return":                 strings.ReplaceAll(string(before), "\n", "\r\n"),
		"a blank in a name":        string(before) + id + " refs/tags/-x y\n",
		"a header among the lines": string(before) + "# pack-refs with: sorted\n",
		"a peeled one that is not": string(before) + "^x refs/tags/y\n",
	} {
		s.Write(file, content)
		for _, word := range []string{"evil", "light"} {
			_, err := s.beyond(dir, word)
			assert.ErrorIs(t, err, ErrRevisionUnknown, name)
		}
		assert.False(t, RefsAreWords(v), name)
	}
	s.Write(file, string(before)+id+" refs/heads/npm/@types/node-1.0,2#x\n")
	assert.True(t, RefsAreWords(v))
	s.Write(file, string(before)+id+" refs/tags/{--output=x,y}\n")
	assert.False(t, RefsAreWords(v), "some shells make words of braces")
}

// S3: a ref may have any name, and a tag comes with a clone.
func TestNamesOfRefs(t *testing.T) {
	plain := func(s *sandbox, dir string) bool {
		return RefsAreWords(s.repository(dir))
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
	assert.False(t, RefsAreWords(object.Repository{}))
}

// S3: what a tag says that it is called is what some gits print, and it comes with a clone; so
// does the name of a branch without a commit.
func TestNamesThatTagsSay(t *testing.T) {
	s, dir := branched(t, "sha1")
	plain := func() bool { return TagsAreWords(s.repository(dir)) }
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
		assert.False(t, RefsAreWords(s.repository(dir)), head)
	}
	s.Write(dir+"/.git/HEAD", "ref: refs/heads/unborn\n")
	assert.True(t, RefsAreWords(s.repository(dir)))
}
