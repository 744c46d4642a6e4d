package object

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

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
		if len(out) > maxDelta {
			t.Fatalf("made %d bytes", len(out))
		}
		for _, b := range out {
			if !bytes.Contains(base, []byte{b}) && !bytes.Contains(delta, []byte{b}) {
				t.Fatalf("made %x of %x and %x", out, base, delta)
			}
		}
	})
}
