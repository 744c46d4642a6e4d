package guard

import (
	"strings"
	"unicode/utf8"
)

// Limits of the byte gate. The parser recurses without a limit of its own: a
// megabyte of open brackets overflows the stack, which kills the process.
const (
	MaxLine     = 16 << 10
	MaxBrackets = 32
)

// Bytes returns why line must not reach the parser as it is, or "".
// What it refuses are bytes that shells and the parser read differently, that
// a person doesn't see, or that cost more than a command line is worth.
func Bytes(line string) string {
	if len(line) > MaxLine {
		return MessyTooLong
	}
	open := 0
	for i := 0; i < len(line); {
		c := line[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(line[i:])
			if code := runeCode(r, size); code != "" {
				return code
			}
			i += size
			continue
		}
		i++
		switch c {
		case '(', '{', '[':
			if open++; open > MaxBrackets {
				return MessyNesting
			}
		case ')', '}', ']':
			open = max(open-1, 0)
		default:
			if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
				return MessyControlByte
			}
		}
	}
	return ""
}

// runeCode is the messy code of a character outside of ASCII and its length in bytes, or empty.
func runeCode(r rune, size int) string {
	switch {
	case r == utf8.RuneError && size <= 1:
		return MessyEncoding
	case r < 0xa0:
		return MessyControlByte
	case invisible(r):
		return MessyInvisible
	}
	return ""
}

// invisible reports whether r changes how text looks without being seen: line
// separators, bidirectional controls, zero-width characters, the byte order
// mark, tags and the no-break space.
func invisible(r rune) bool {
	switch {
	case r == 0xa0, r == 0xad, r == 0x061c, r == 0x180e, r == 0xfeff, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfff0 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// VisibleOnly replaces what the gate refuses by spaces and newlines, so that
// deny rules can look for commands in a line that is messy already.
func VisibleOnly(line string) string {
	if len(line) > MaxLine {
		line = line[:MaxLine]
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == utf8.RuneError, r < ' ' && r != '\n' && r != '\t', r >= 0x7f && r < 0xa0, invisible(r):
			return ' '
		}
		return r
	}, line)
}
