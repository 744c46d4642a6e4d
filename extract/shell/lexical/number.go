package lexical

import (
	"strings"

	"policyd/extract/value"
)

const (
	decimalDigits     = "0123456789"
	hexadecimalDigits = decimalDigits + "abcdefABCDEF"
)

// IsDigits reports whether text is one or more decimal digits.
func IsDigits(text string) bool { return text != "" && strings.Trim(text, decimalDigits) == "" }

// IsHexadecimal reports whether text is a number with the prefix that every shell knows.
func IsHexadecimal(text string) bool {
	digits, prefixed := strings.CutPrefix(text, "0x")
	return prefixed && digits != "" && strings.Trim(digits, hexadecimalDigits) == ""
}

// maxCountDigits is how many digits counts and sizes have.
const maxCountDigits = 12

// IsCount reports whether text is a number no larger than a count.
func IsCount(text string) bool { return value.IsDecimal(text) && len(text) <= maxCountDigits }

// IsASCII reports whether text holds ASCII alone.
func IsASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}
