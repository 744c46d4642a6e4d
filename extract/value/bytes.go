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

// IsDecimal reports whether text is digits that neither shells nor programs read as an octal number.
func IsDecimal(text string) bool {
	return text == "0" || text != "" && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

// Separates reports whether shells cut words at a character while IFS is as it was: at no
// other blank, whatever its width.
func Separates(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

// HasGroup reports whether text begins a group of an extended pattern, which bash knows with extglob; a
// person may have set it for every shell. Other patterns have a mark of their own.
func HasGroup(text string) bool {
	return strings.Contains(text, "@(") || strings.Contains(text, "+(") || strings.Contains(text, "!(")
}
