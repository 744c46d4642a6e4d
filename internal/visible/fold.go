package visible

import (
	"strconv"
	"strings"
)

// Limits of blanks that are shown as they are.
const (
	maxLineFeeds = 3
	maxSpaces    = 40
)

// Fold writes runs of blank lines as "⏎ ×N" and long runs of spaces and tabs as "␠ ×N",
// so that nothing is pushed out of sight.
func Fold(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		feeds, end := blankLines(text[i:])
		if feeds > maxLineFeeds {
			out.WriteString("⏎ ×" + strconv.Itoa(feeds) + "\n")
			i += end
			continue
		}
		if spaces := len(text[i:]) - len(strings.TrimLeft(text[i:], " \t")); spaces > maxSpaces {
			out.WriteString(" ␠ ×" + strconv.Itoa(spaces) + " ")
			i += spaces
			continue
		}
		out.WriteByte(text[i])
		i++
	}
	return out.String()
}

// blankLines counts the line feeds at the beginning of a text with only blanks between them, and returns
// where the last one ends.
func blankLines(text string) (feeds, end int) {
	for i := range len(text) {
		switch text[i] {
		case '\n':
			feeds, end = feeds+1, i+1
		case ' ', '\t':
		default:
			return feeds, end
		}
		if feeds == 0 {
			return 0, 0 // it doesn't begin with a line feed
		}
	}
	return feeds, end
}
