// Package shellquote writes words as a command line of a POSIX shell, and reads such a line back.
//
// Its functions may be used concurrently.
package shellquote

import "strings"

// Join writes words as one command line. A word is quoted if a shell could read something in it.
func Join(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quoteWord(word)
	}
	return strings.Join(quoted, " ")
}

const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%"

func quoteWord(word string) string {
	if word != "" && strings.Trim(word, plainBytes) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Split returns the words of a line that Join wrote, and nil for a line with any other syntax.
func Split(line string) []string {
	var words []string
	var word strings.Builder
	inside, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inside && c == '\'':
			inside = false
		case inside:
			word.WriteByte(c)
		case c == '\'':
			inside, begun = true, true
		case c == '\\' && strings.HasPrefix(line[i:], `\'`):
			word.WriteByte('\'')
			i++
		case c == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		case !strings.ContainsRune(plainBytes, rune(c)):
			return nil
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if inside {
		return nil
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}
