package git

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: of a revision that is not read to its end nothing is known, not even that the steps
// before it lead nowhere: "^{}" is no parent.
func TestRevisionsReadToTheirEnd(t *testing.T) {
	s, dir := branched(t, "sha1")
	for _, word := range []string{"light^{}", "light^{commit}", "light^@", "light^!", "light^-", "light^{}~0", "light~0^{}", "light^{/first}", "light^{}..HEAD"} {
		_, err := s.beyond(dir, word)
		assert.ErrorIsf(t, err, ErrRevisionUnknown, "%q", word)
	}
	_, err := s.beyond(dir, strings.Fields(strings.Repeat("light ", maxRevisions+1))...)
	assert.ErrorIs(t, err, ErrRevisionUnknown, "too many to read")
}

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
	v := s.inspect(dir, "for-each-ref")
	require.True(t, newReader(t, nil).PlainRefs(v))
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
		assert.False(t, newReader(t, nil).PlainRefs(v), name)
	}
	s.Write(file, string(before)+id+" refs/heads/npm/@types/node-1.0,2#x\n")
	assert.True(t, newReader(t, nil).PlainRefs(v))
	s.Write(file, string(before)+id+" refs/tags/{--output=x,y}\n")
	assert.False(t, newReader(t, nil).PlainRefs(v), "some shells make words of braces")
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
		tree = put("tree", "40000 "+strings.Repeat("d", maxHeadPath/3)+"\x00"+string(unhex(t, tree)))
	}
	refer("long", tree)
	var root strings.Builder
	for i := range maxInflated/900_000 + 1 {
		id := put("tree", fmt.Sprintf("100644 %02d%s\x00%s", i, strings.Repeat("n", 900_000), strings.Repeat("x", 20)))
		fmt.Fprintf(&root, "40000 d%02d\x00%s", i, unhex(t, id))
	}
	refer("wide", put("tree", root.String()))
	for _, name := range []string{"long", "wide"} {
		_, err := s.beyond(dir, name)
		assert.ErrorIs(t, err, ErrRevisionUnknown, name)
	}
}

// S3: with several threads git reads the entries of an index where its table of blocks
// says that they are, and not one behind the other.
func TestIndexesInBlocks(t *testing.T) {
	for _, version := range []string{"2", "4"} {
		s := newSandbox(t)
		dir := s.Project
		s.Git(dir, "init", "-q")
		s.Git(dir, "config", "index.threads", "4")
		s.Git(dir, "config", "index.version", version)
		var lines strings.Builder
		for i := range 20_001 {
			fmt.Fprintf(&lines, "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\tdir/%05d\n", i)
		}
		cmd := s.Command(dir, "update-index", "--add", "--index-info")
		cmd.Stdin = strings.NewReader(lines.String())
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
		content, err := os.ReadFile(filepath.Join(dir, ".git/index"))
		require.NoError(t, err)
		all := func(indexEntry) bool { return true }
		require.NoError(t, walkIndex(content, sha1Size, all))
		for name, at := range map[string]int{"IEOT": 8 + 4 + 8, "EOIE": 8} {
			lie := []byte(string(content))
			at += strings.LastIndex(string(lie), name)
			require.Positive(t, at)
			binary.BigEndian.PutUint32(lie[at:], binary.BigEndian.Uint32(lie[at:])-8)
			assert.ErrorIs(t, walkIndex(lie, sha1Size, all), ErrIndexUnknown, name)
		}
		if version == "2" {
			lie := []byte(string(content))
			table := strings.LastIndex(string(lie), "IEOT") + 8 + 4
			copy(lie[table+8:table+12], lie[table:table+4])
			s.Write(filepath.Join(dir, ".git/index"), string(lie))
			names := strings.Fields(s.Git(dir, "ls-files"))
			assert.Greater(t, strings.Count(strings.Join(names, "\n")+"\n", "dir/00000\n"), 1, "git goes by the table")
		}
	}
}

// S3: some gits go by the number of commits that a graph names, and not by how long its
// list of them is.
func TestGraphsThatSayTheirCount(t *testing.T) {
	s, dir := branched(t, "sha1")
	s.Git(dir, "commit-graph", "write", "--reachable")
	content, err := os.ReadFile(filepath.Join(dir, ".git/objects/info/commit-graph"))
	require.NoError(t, err)
	require.True(t, new(graph).parse(content, sha1Size))
	fanout := -1
	for at := graphHeader; at < graphHeader+int(content[6])*graphChunk; at += graphChunk {
		if string(content[at:at+4]) == "OIDF" {
			fanout = int(binary.BigEndian.Uint64(content[at+4:]))
		}
	}
	require.Positive(t, fanout)
	last := content[fanout+graphFanout-4:][:4]
	binary.BigEndian.PutUint32(last, binary.BigEndian.Uint32(last)+1)
	assert.False(t, new(graph).parse(content, sha1Size))
}
