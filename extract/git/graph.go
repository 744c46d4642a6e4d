package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
)

// maxGraphBytes bounds the file of commits that is read.
const maxGraphBytes = 16 << 20

// graph is what git wrote down of its commits to walk them faster: where there is one,
// it takes their trees and parents from there (gitformat-commit-graph(5)).
type graph struct {
	ids, data  []byte
	objectSize int
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

// read reports false where there is one that is not read: one of several files, too.
func (g *graph) read(v *Verdict) bool {
	if v.there("objects/info/commit-graphs/commit-graph-chain") {
		return false
	}
	content, known := v.read("objects/info/commit-graph", maxGraphBytes)
	if !known || len(content) == 0 {
		return known && !v.there("objects/info/commit-graph")
	}
	return g.parse(content, v.objectSize)
}

func (g *graph) parse(content []byte, objectSize int) bool {
	kind := byte(1)
	if objectSize == sha256Size {
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
	g.ids, g.data, g.objectSize = chunks["OIDL"], chunks["CDAT"], objectSize
	count := len(g.ids) / objectSize
	if fanout := chunks["OIDF"]; len(fanout) != graphFanout || int64(binary.BigEndian.Uint32(fanout[graphFanout-4:])) != int64(count) {
		return false // some gits go by it alone
	}
	return len(g.ids) == count*objectSize && len(g.data) == count*(objectSize+graphDetails)
}

// agrees reports whether the graph says of a commit what the commit says: each time that
// it names it, since how git looks for it is not followed here.
func (g *graph) agrees(id string, c *commit) bool {
	raw, err := hex.DecodeString(id)
	if err != nil {
		return false
	}
	for at := 0; at*g.objectSize < len(g.ids); at++ {
		if bytes.Equal(g.ids[at*g.objectSize:(at+1)*g.objectSize], raw) && !g.says(at, c) {
			return false
		}
	}
	return true
}

func (g *graph) says(at int, c *commit) bool {
	entry := g.data[at*(g.objectSize+graphDetails):][:g.objectSize+graphDetails]
	if hex.EncodeToString(entry[:g.objectSize]) != c.tree {
		return false
	}
	var parents []string
	for _, field := range [][]byte{entry[g.objectSize:], entry[g.objectSize+4:]} {
		position := binary.BigEndian.Uint32(field)
		if position == graphNone {
			continue
		}
		if position&graphEdges != 0 || int64(position)*int64(g.objectSize) >= int64(len(g.ids)) {
			return false // more than two parents, or none that is there
		}
		parents = append(parents, hex.EncodeToString(g.ids[int(position)*g.objectSize:][:g.objectSize]))
	}
	if len(parents) != len(c.parents) {
		return false
	}
	for i, parent := range parents {
		if c.parents[i] != parent {
			return false
		}
	}
	return true
}
