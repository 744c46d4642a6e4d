package history

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/git/object"
	"policyd/test/gitsandbox"
)

// S3: some gits go by the number of commits that a graph names, and not by how long its
// list of them is.
func TestGraphsThatSayTheirCount(t *testing.T) {
	s := gitsandbox.New(t)
	dir := s.Project
	s.Commit(dir)
	s.Git(dir, "commit-graph", "write", "--reachable")
	content, err := os.ReadFile(filepath.Join(dir, ".git/objects/info/commit-graph"))
	require.NoError(t, err)
	require.True(t, new(graph).parse(content, object.SHA1Size))
	fanout := -1
	for at := graphHeader; at < graphHeader+int(content[6])*graphChunk; at += graphChunk {
		if string(content[at:at+4]) == "OIDF" {
			fanout = int(binary.BigEndian.Uint64(content[at+4:]))
		}
	}
	require.Positive(t, fanout)
	last := content[fanout+graphFanout-4:][:4]
	binary.BigEndian.PutUint32(last, binary.BigEndian.Uint32(last)+1)
	assert.False(t, new(graph).parse(content, object.SHA1Size))
}

// FuzzCommitGraph holds that no graph breaks the reader, and that one that is read agrees
// with a commit only as far as its entries do.
func FuzzCommitGraph(f *testing.F) {
	f.Add([]byte("CGPH\x01\x01\x02\x00OIDL\x00\x00\x00\x00\x00\x00\x00\x2cCDAT\x00\x00\x00\x00\x00\x00\x00\x2c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x2c"), []byte{1})
	f.Fuzz(func(t *testing.T, content, raw []byte) {
		var g graph
		if !g.parse(content, object.SHA1Size) {
			return
		}
		id := fmt.Sprintf("%040x", raw)
		if len(id) != 2*object.SHA1Size {
			return
		}
		if !g.agrees(id, &object.Commit{Tree: "x"}, &object.Budget{}) && !bytes.Contains(content, []byte(unhex(t, id))) {
			t.Fatalf("%s is not in %x", id, content)
		}
	})
}
