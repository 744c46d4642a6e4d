package syntax

import (
	"slices"
	"strings"
)

// leastHash is how many digits git takes for an abbreviated hash (gitrevisions(7)).
const leastHash = 4

const hexDigits = "0123456789abcdefABCDEF"

// IsHash reports whether git may take a word for the hash of an object, or its beginning.
func IsHash(word string) bool {
	return len(word) >= leastHash && strings.Trim(word, hexDigits) == ""
}

// Hashes are the parts of a word that may be hashes, or beginnings of some.
func Hashes(word string) []string {
	isOther := func(r rune) bool { return !strings.ContainsRune(hexDigits, r) }
	return slices.DeleteFunc(strings.FieldsFunc(word, isOther), func(digits string) bool { return !IsHash(digits) })
}

// HashIn is the hash, or the beginning of one, that git may take a name for: digits alone, or
// those behind "-g" as git describe prints them. It is empty for other names.
func HashIn(name string) string {
	if i := strings.LastIndex(name, "-g"); i >= 0 {
		name = name[i+2:]
	}
	if !IsHash(name) {
		return ""
	}
	return name
}

// MayNameHash reports whether git may take a name, or an end of the range that it may be, for the
// hash of an object.
func MayNameHash(name string) bool {
	for end := range strings.SplitSeq(name, "..") {
		end = strings.TrimLeft(end, ".^")
		if i := strings.IndexAny(end, "^~@"); i >= 0 {
			end = end[:i]
		}
		if HashIn(end) != "" {
			return true
		}
	}
	return false
}
