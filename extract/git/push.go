package git

import (
	"slices"
	"strings"
)

// mapsPushes reports whether settings say where a push goes that doesn't say so itself,
// or what more it changes: remote.<name>.push and mirror, and push.default where it is
// another branch than the one of the same name. Git's names of booleans don't matter:
// only "false" is taken for it.
func mapsPushes(settings []setting) bool {
	return slices.ContainsFunc(settings, func(s setting) bool {
		value := strings.ToLower(s.value)
		switch {
		case s.section == "remote" && s.key == "push":
			return true
		case s.section == "remote" && s.key == "mirror":
			return value != "false"
		case s.section == "push" && s.key == "default":
			return !slices.Contains([]string{"simple", "current", "nothing"}, value)
		}
		return false
	})
}
