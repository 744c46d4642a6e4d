package git

import (
	"slices"
	"strings"

	"policyd/extract/git/syntax"
)

// mapsPushes reports whether settings say where a push goes that doesn't say so itself,
// or what more it changes: remote.<name>.push and mirror, and push.default where it is
// another branch than the one of the same name. Git's names of booleans don't matter:
// only "false" is taken for it.
func mapsPushes(settings []syntax.Setting) bool {
	return slices.ContainsFunc(settings, func(s syntax.Setting) bool {
		value := strings.ToLower(s.Value)
		switch {
		case s.Section == "remote" && s.Key == "push":
			return true
		case s.Section == "remote" && s.Key == "mirror":
			return value != "false"
		case s.Section == "push" && s.Key == "default":
			return !slices.Contains([]string{"simple", "current", "nothing"}, value)
		}
		return false
	})
}
