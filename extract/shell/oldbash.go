package shell

import "strings"

// macOS brings bash 3.2, which people and agents run as bash. Of what bash has learnt
// since, it reports errors about most, and reads these otherwise: associative arrays,
// of which it makes arrays whose subscripts are expressions; sequences in braces with
// a step, which stay as they are, or with zeros in front, which it drops; escapes that
// it leaves alone.

// newEscapes reports whether $'…' holds an escape that bash 3.2 may not know.
func newEscapes(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; strings.IndexByte(`abefnrtv01234567x\'`, text[i]) < 0 {
			return true
		}
	}
	return false
}

// newSequence reports whether bash 3.2 reads a sequence in braces otherwise.
func newSequence(text string) bool {
	ends := strings.Split(text, "..")
	return len(ends) != 2 || paddedNumber(ends[0]) || paddedNumber(ends[1])
}

func paddedNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return len(text) > 1 && text[0] == '0'
}
