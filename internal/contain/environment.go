package contain

import (
	"strings"

	"policyd/internal/credential"
)

// ownVariables never reach a contained program: they contain the sidecar's address and token.
const ownVariables = "POLICYD_*"

// environment is env without the dropped variables, and with a temporary directory. It also drops entries
// without a "=", and variables whose value contains a credential, whatever their names.
func environment(env, drop []string, temporary string) []string {
	out := make([]string, 0, len(env)+3)
	for _, variable := range env {
		name, value, found := strings.Cut(variable, "=")
		if !found || name == "" || matchesAny(name, drop) || matches(name, ownVariables) || holdsPassword(value) || credential.Holds(value) {
			continue
		}
		switch name {
		case "TMPDIR", "TMP", "TEMP":
			continue
		}
		out = append(out, variable)
	}
	return append(out, "TMPDIR="+temporary, "TMP="+temporary, "TEMP="+temporary)
}

func matchesAny(name string, patterns []string) bool {
	for _, pattern := range patterns {
		if matches(name, pattern) {
			return true
		}
	}
	return false
}

// matches compares a name with a pattern, in any case: "*" represents any text.
func matches(name, pattern string) bool {
	name, pattern = strings.ToUpper(name), strings.ToUpper(pattern)
	first, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return name == pattern
	}
	name, begins := strings.CutPrefix(name, first)
	if !begins {
		return false
	}
	parts := strings.Split(rest, "*")
	for _, part := range parts[:len(parts)-1] {
		_, behind, found := strings.Cut(name, part)
		if !found {
			return false
		}
		name = behind
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}

// passwordKeys are keys of a connection string before a password.
var passwordKeys = []string{"password=", "passwd=", "pwd=", "accountkey=", "sharedaccesskey="}

// holdsPassword reports whether a text contains a connection string with a password, an address with a user and
// a password, or one with a token in their place.
func holdsPassword(text string) bool {
	lower := strings.ToLower(text)
	for _, key := range passwordKeys {
		if strings.Contains(lower, key) {
			return true
		}
	}
	for {
		_, rest, found := strings.Cut(text, "://")
		if !found {
			return false
		}
		authority := rest
		if end := strings.IndexAny(rest, "/?# \t,;|"); end >= 0 {
			authority = rest[:end]
		}
		if strings.Contains(authority, "@") {
			return true
		}
		text = rest
	}
}

// lookup returns the value of a variable in an environment; the last entry applies.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, found := strings.CutPrefix(env[i], name+"="); found {
			return value
		}
	}
	return ""
}
