package wire

// isPlain reports whether a text needs no escape and is ASCII. It looks at eight bytes at
// a time, by arithmetic on all of them at once.
func isPlain(text string) bool {
	for ; len(text) >= 8; text = text[8:] {
		word := uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
		if special(word) {
			return false
		}
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x80 || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Each of eight bytes is one, and its highest bit.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special reports whether one of eight bytes is a control character, a quote, a
// backslash or no ASCII.
func special(word uint64) bool {
	quotes, backslashes := word^ones*'"', word^ones*'\\'
	found := word                                // no ASCII
	found |= word - ones*' '                     // borrows below a space
	found |= (quotes - ones) &^ quotes           // borrows from zero
	found |= (backslashes - ones) &^ backslashes // as well
	return found&highs != 0
}

// name reports whether a text consists of letters, digits, '_', '-' and '.': then its order among others
// doesn't depend on the closing quote.
func name(text string) bool {
	for i := range len(text) {
		c := text[i]
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}
