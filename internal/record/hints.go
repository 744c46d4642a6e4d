package record

import "strings"

// hints select the patterns that can match a text: those with a hint in it. One pass over the text, without a
// copy, looks up the first three characters of each hint in a bitmap. On a hit, which may be a collision, the
// hint itself is compared.
type hints struct {
	first [1 << trigramBits / 64]uint64
	known map[uint][]hint
	// patterns are looked through one by one for text outside of ASCII.
	patterns []pattern
}

// hint is one, and the patterns that have it.
type hint struct {
	text string
	in   patternSet
}

// patternSet is a set of patterns by their index.
type patternSet uint64

// mostPatterns is how many fit into a patternSet.
const mostPatterns = 64

func (s patternSet) has(pattern int) bool { return s>>pattern&1 != 0 }

const (
	// trigramBits are five for each of three characters, which is one bit of the map for each three letters:
	// with fewer bits, paths would collide too often.
	trigramBits = 15
	trigramMask = 1<<trigramBits - 1
)

// newHints builds the hints of patterns, each at least three characters long and in lower case. It panics for
// more patterns than a set fits.
func newHints(patterns []pattern) *hints {
	if len(patterns) > mostPatterns {
		panic("more patterns of secrets than a set holds")
	}
	h := &hints{known: map[uint][]hint{}, patterns: patterns}
	for i := range patterns {
		for _, text := range patterns[i].hints {
			at := next(next(next(0, text[0]), text[1]), text[2])
			h.first[at/64] |= 1 << (at % 64)
			h.known[at] = append(h.known[at], hint{text: text, in: 1 << i})
		}
	}
	return h
}

// next is the trigram that ends with c. It folds letters, and some other characters with
// them.
func next(trigram uint, c byte) uint { return (trigram<<5 | uint(c)&31) & trigramMask }

// matching returns the patterns with a hint in text, ignoring case.
func (h *hints) matching(text string) patternSet {
	var found patternSet
	trigram, all := uint(0), byte(0)
	for i := range len(text) {
		all |= text[i]
		trigram = next(trigram, text[i])
		if h.first[trigram/64]>>(trigram%64)&1 != 0 && i >= 2 {
			found |= h.prefixed(trigram, text[i-2:])
		}
	}
	if all >= 0x80 { // some characters outside of ASCII fold into it
		return h.folded(strings.ToLower(text))
	}
	return found
}

// prefixed returns the patterns with a hint at the beginning of text, which is ASCII up to its end.
func (h *hints) prefixed(trigram uint, text string) patternSet {
	var found patternSet
	for _, hint := range h.known[trigram] {
		if len(text) >= len(hint.text) && strings.EqualFold(text[:len(hint.text)], hint.text) {
			found |= hint.in
		}
	}
	return found
}

// folded returns the patterns with a hint in text, which is in lower case.
func (h *hints) folded(lower string) patternSet {
	var found patternSet
	for i := range h.patterns {
		for _, hint := range h.patterns[i].hints {
			if strings.Contains(lower, hint) {
				found |= 1 << i
				break
			}
		}
	}
	return found
}
