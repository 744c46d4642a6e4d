package guard

import "strings"

// WordBytes are the bytes of names of variables.
const WordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// IsName reports whether a text is the name of a variable.
func IsName(text string) bool {
	return text != "" && (text[0] < '0' || text[0] > '9') && strings.Trim(text, WordBytes) == ""
}

// IsNameByte reports whether a byte can be in the name of a variable.
func IsNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
