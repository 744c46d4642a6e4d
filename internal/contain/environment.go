package contain

import "strings"

// ownVariables never reach a contained program: they say where the sidecar is and how to ask it.
const ownVariables = "POLICYD_*"

// environment is env without the variables that drop names, and with a temporary directory.
// Variables that the operating system can't have, without a "=", are dropped.
func environment(env, drop []string, temporary string) []string {
	out := make([]string, 0, len(env)+3)
	for _, variable := range env {
		name, _, found := strings.Cut(variable, "=")
		if !found || name == "" || matchesAny(name, drop) || matches(name, ownVariables) {
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

// matches compares a name with a pattern: "*" at either end stands for any text.
func matches(name, pattern string) bool {
	rest, leading := strings.CutPrefix(pattern, "*")
	rest, trailing := strings.CutSuffix(rest, "*")
	switch {
	case pattern == "*":
		return true
	case leading && trailing:
		return strings.Contains(name, rest)
	case leading:
		return strings.HasSuffix(name, rest)
	case trailing:
		return strings.HasPrefix(name, rest)
	}
	return name == pattern
}

// lookup is the value of a variable in an environment; the last one counts.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, found := strings.CutPrefix(env[i], name+"="); found {
			return value
		}
	}
	return ""
}
