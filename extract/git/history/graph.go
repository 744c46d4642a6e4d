package history

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"policyd/extract/git/object"
)

// maxGraphBytes bounds the file of commits that is read.
const maxGraphBytes = 16 << 20

// graph is what git wrote down of its commits to walk them faster: where there is one,
// it takes their trees and parents from there (gitformat-commit-graph(5)). The zero value has none.
type graph struct {
	ids, data []byte
	hashSize  int
}

// Sizes of the parts of a commit graph.
const (
	graphHeader  = 8
	graphChunk   = 12
	graphNone    = 0x70000000
	graphEdges   = 0x80000000
	graphDetails = 16
	graphCost    = 16
	graphFanout  = 256 * 4
)

// readGraph reads the commit graph. known is false for one that is not read: one of several files, too.
func readGraph(r *object.Repository) (g graph, known bool) {
	if r.Has("objects/info/commit-graphs/commit-graph-chain") {
		return g, false
	}
	content, known := r.Read(r.CommonDir, "objects/info/commit-graph", maxGraphBytes)
	if !known || len(content) == 0 {
		return g, known && !r.Has("objects/info/commit-graph")
	}
	known = g.parse(content, r.HashSize)
	return g, known
}

func (g *graph) parse(content []byte, hashSize int) bool {
	kind := byte(1)
	if hashSize == object.SHA256Size {
		kind = 2
	}
	if len(content) < graphHeader || string(content[:4]) != "CGPH" || content[4] != 1 || content[5] != kind || content[7] != 0 {
		return false
	}
	chunks := map[string][]byte{}
	for i := range int(content[6]) {
		at := graphHeader + i*graphChunk
		if at+2*graphChunk > len(content) {
			return false
		}
		name := string(content[at : at+4])
		from, to := binary.BigEndian.Uint64(content[at+4:]), binary.BigEndian.Uint64(content[at+graphChunk+4:])
		if _, twice := chunks[name]; twice || from > to || to > uint64(len(content)) {
			return false
		}
		chunks[name] = content[from:to]
	}
	g.ids, g.data, g.hashSize = chunks["OIDL"], chunks["CDAT"], hashSize
	count := len(g.ids) / hashSize
	if fanout := chunks["OIDF"]; len(fanout) != graphFanout || int64(binary.BigEndian.Uint32(fanout[graphFanout-4:])) != int64(count) {
		return false // some gits go by it alone
	}
	return len(g.ids) == count*hashSize && len(g.data) == count*(hashSize+graphDetails)
}

// agrees reports whether the graph has of a commit what the commit itself has: each time that
// it names it, since how git looks for it is not followed here. The whole graph is looked through,
// which is spent of the budget.
func (g *graph) agrees(id string, c *object.Commit, budget *object.Budget) bool {
	raw, err := hex.DecodeString(id)
	if err != nil || !budget.Spend(0, len(g.ids)/graphCost) {
		return false
	}
	for at := 0; at*g.hashSize < len(g.ids); at++ {
		if bytes.Equal(g.ids[at*g.hashSize:(at+1)*g.hashSize], raw) && !g.entryAgrees(at, c) {
			return false
		}
	}
	return true
}

func (g *graph) entryAgrees(at int, c *object.Commit) bool {
	entry := g.data[at*(g.hashSize+graphDetails):][:g.hashSize+graphDetails]
	if hex.EncodeToString(entry[:g.hashSize]) != c.Tree {
		return false
	}
	var parents []string
	for _, field := range [][]byte{entry[g.hashSize:], entry[g.hashSize+4:]} {
		position := binary.BigEndian.Uint32(field)
		if position == graphNone {
			continue
		}
		if position&graphEdges != 0 || int64(position)*int64(g.hashSize) >= int64(len(g.ids)) {
			return false // more than two parents, or none that is there
		}
		parents = append(parents, hex.EncodeToString(g.ids[int(position)*g.hashSize:][:g.hashSize]))
	}
	return slices.Equal(parents, c.Parents)
}
