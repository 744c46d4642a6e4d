package record

// trigrams says of a text in one pass, without a copy, that no hint can stand in
// it. It is a bitmap of the first three characters of each hint; two of them may
// share a bit, so that a yes means no more than maybe.
type trigrams [1 << trigramBits / 64]uint64

// trigramBits are five for each character, which is one bit of the map for each three
// letters: less would call paths suspicious that hold nothing.
const trigramBits = 15

// shortestHint is how many characters a hint has at least.
const shortestHint = 3

// add takes a hint of at least three characters, in lower case.
func (t *trigrams) add(hint string) {
	bit := trigram(hint[0], hint[1], hint[2])
	t[bit/64] |= 1 << (bit % 64)
}

// in reports whether a hint may stand in text, whatever its case.
func (t *trigrams) in(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return true // some characters outside of ASCII fold into it
		}
		if i < 2 {
			continue
		}
		bit := trigram(text[i-2], text[i-1], text[i])
		if t[bit/64]&(1<<(bit%64)) != 0 {
			return true
		}
	}
	return false
}

// trigram folds letters, and some other characters with them.
func trigram(a, b, c byte) uint { return (uint(a)&31)<<10 | (uint(b)&31)<<5 | uint(c)&31 }
