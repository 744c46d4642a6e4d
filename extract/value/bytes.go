package value

import "strings"

// NameBytes are the bytes of a variable's name.
const NameBytes = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// IsName reports whether text is the name of a variable.
func IsName(text string) bool {
	return text != "" && (text[0] < '0' || text[0] > '9') && strings.Trim(text, NameBytes) == ""
}

// IsNameByte reports whether a variable's name can contain c.
func IsNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
