package syntax

import (
	"slices"
	"strings"
)

// LeastHash is how many digits git takes for an abbreviated hash (gitrevisions(7)).
const LeastHash = 4

const hexDigits = "0123456789abcdefABCDEF"

// IsHash reports whether git may take a word for the hash of an object, or its beginning.
func IsHash(word string) bool {
	return len(word) >= LeastHash && strings.Trim(word, hexDigits) == ""
}

// Hashes are the parts of a word that may be hashes, or beginnings of some.
func Hashes(word string) []string {
	isOther := func(r rune) bool { return !strings.ContainsRune(hexDigits, r) }
	return slices.DeleteFunc(strings.FieldsFunc(word, isOther), func(digits string) bool { return !IsHash(digits) })
}
