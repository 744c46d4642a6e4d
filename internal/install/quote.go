package install

import (
	"path/filepath"
	"strings"
)

// Quote writes words as one line for the shell that runs a hook.
func Quote(words []string) string {
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

// Words splits a line that Quote wrote. It knows no more of a shell than that,
// and gives nothing for a line with other means.
func Words(line string) []string {
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

// ours says whether a hook's command line starts policyd's hook program.
func ours(line string) bool {
	words := Words(line)
	if len(words) == 0 {
		return false
	}
	switch filepath.Base(words[0]) {
	case "policyd-hook":
		return len(words) > 1
	case "policyd":
		return len(words) > 2 && words[1] == "hook"
	}
	return false
}
