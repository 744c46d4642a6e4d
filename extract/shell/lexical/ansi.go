package lexical

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

var ansiEscapes = map[byte]byte{
	'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11,
	'\\': '\\', '\'': '\'', '"': '"', '?': '?',
}

// HasLocaleEscapes reports whether what $'…' becomes depends on the shell's locale: bash
// leaves a character beyond ASCII as it is spelled (\u00e9) where that has none.
func HasLocaleEscapes(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; text[i] == 'u' || text[i] == 'U' {
			value, _, ok := ansiNumber(text[i:])
			if !ok || value >= utf8.RuneSelf {
				return true
			}
		}
	}
	return false
}

// DecodeANSI decodes the inside of $'…' as bash does. It gives up, returning
// false, on a NUL (where bash cuts the word short) and on escapes that bash
// leaves to the locale.
func DecodeANSI(text string) (string, bool) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			return text, false
		}
		if plain, ok := ansiEscapes[text[i]]; ok {
			out.WriteByte(plain)
			continue
		}
		value, size, ok := ansiNumber(text[i:])
		if !ok || value == 0 {
			return text, false
		}
		i += size - 1
		if c := text[i-size+1]; c == 'u' || c == 'U' {
			out.WriteRune(rune(value)) //nolint:gosec // WriteRune replaces what is no rune
		} else {
			out.WriteByte(byte(value)) //nolint:gosec // bash keeps the low eight bits, too
		}
	}
	decoded := out.String()
	return decoded, utf8.ValidString(decoded)
}

// ansiNumber reads \nnn, \xHH, \uHHHH or \UHHHHHHHH without the backslash and
// returns how many bytes it took.
func ansiNumber(text string) (value uint64, size int, ok bool) {
	base, lead, most := 16, 1, 0
	switch text[0] {
	case 'x':
		most = 2
	case 'u':
		most = 4
	case 'U':
		most = 8
	case '0', '1', '2', '3', '4', '5', '6', '7':
		base, lead, most = 8, 0, 3
	default:
		return 0, 0, false
	}
	end := lead
	for end < len(text) && end < lead+most && isDigit(text[end], base) {
		end++
	}
	value, err := strconv.ParseUint(text[lead:end], base, 32)
	return value, end, err == nil && value <= utf8.MaxRune
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return c >= '0' && c <= '7'
	}
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
