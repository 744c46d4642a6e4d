package shell

import (
	"slices"
	"strings"
)

// scriptVerdict says what a program text in a small language can do.
type scriptVerdict struct {
	// plain is true when the text only reads its input and prints.
	plain bool
	// environment is true when it reads the environment.
	environment bool
	variables   []string
}

// scriptKind reads a program text of sed, awk, jq or yq. A text that it can't
// follow to the end is not plain.
func scriptKind(language, text string) scriptVerdict {
	switch language {
	case "sed":
		return scriptVerdict{plain: plainSed(text)}
	case "awk":
		return awkVerdict(text)
	case "jq":
		return jqVerdict(text)
	case "yq":
		return scriptVerdict{plain: plainYq(text)}
	}
	return scriptVerdict{}
}

// jqOutside are builtins of jq that reach beyond the program's input.
var jqOutside = []string{"import", "include", "modulemeta", "get_search_list", "input_filename"}

// jqVerdict looks at every name of a filter that is not a field. Names inside
// strings count as well when the string interpolates.
func jqVerdict(text string) scriptVerdict {
	verdict := scriptVerdict{plain: true}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			end := stringEnd(text, i)
			if end < 0 {
				return scriptVerdict{}
			}
			if strings.Contains(text[i:end], `\(`) {
				inner := jqVerdict(strings.ReplaceAll(text[i+1:end-1], `"`, " "))
				verdict.plain = verdict.plain && inner.plain
				verdict.environment = verdict.environment || inner.environment
			}
			i = end
		case c == '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case isNameByte(c) && (c < '0' || c > '9'):
			end := i
			for end < len(text) && isNameByte(text[end]) {
				end++
			}
			name := text[i:end]
			field := i > 0 && text[i-1] == '.'
			switch {
			case !field && (name == "ENV" || name == "env"):
				verdict.environment = true
			case !field && slices.Contains(jqOutside, name):
				verdict.plain = false
			}
			i = end
		default:
			i++
		}
	}
	return verdict
}

// stringEnd returns the index behind the string that begins at text[start], or -1.
func stringEnd(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[start]:
			return i + 1
		case '\n':
			if text[start] == '/' {
				return -1
			}
		}
	}
	return -1
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
