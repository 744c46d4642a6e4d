// Package lines generates command lines for tests: from a grammar that covers the shell
// language, and by mutating known lines. Equal seeds give equal lines.
package lines

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strings"
)

// maxBytes bounds the length of a generated line.
const maxBytes = 4096

// Generate returns count lines. known are the lines that it mutates: any change of them
// changes most of the result.
func Generate(known []string, count, seed int) []string {
	g := generator{Rand: rand.New(rand.NewPCG(uint64(seed), 3)), known: known}
	out := make([]string, 0, count)
	for len(out) < count {
		if line := g.line(); len(line) < maxBytes {
			out = append(out, line)
		}
	}
	return out
}

// GenerateStable returns count lines, only a few of which change when a known line is added or removed: each
// line has its own random numbers, and uses the known line whose digest ranks first for its number.
func GenerateStable(known []string, count, seed int) []string {
	digests := make([]uint64, len(known))
	for i, line := range known {
		sum := sha256.Sum256([]byte(line))
		digests[i] = binary.LittleEndian.Uint64(sum[:])
	}
	out := make([]string, count)
	for i := range out {
		g := generator{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(i))), known: known, digests: digests}
		for out[i] == "" || len(out[i]) >= maxBytes {
			out[i] = g.line()
		}
	}
	return out
}

// knownLine returns one of the known lines.
func (g *generator) knownLine() string {
	if g.digests == nil {
		return g.pick(g.known)
	}
	draw, best, rank := g.Uint64(), 0, uint64(0)
	for i, digest := range g.digests {
		if mixed := mix(digest ^ draw); mixed >= rank {
			best, rank = i, mixed
		}
	}
	return g.known[best]
}

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Quote returns a word in single quotes.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
