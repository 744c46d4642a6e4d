package install

import (
	"path/filepath"

	"policyd/internal/shellquote"
)

// ours states whether a hook's command line starts policyd's hook program.
func ours(line string) bool {
	words := shellquote.Split(line)
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
