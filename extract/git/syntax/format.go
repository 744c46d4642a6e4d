package syntax

import (
	"slices"
	"strings"
)

// ChecksSignature reports whether a format of commits has a placeholder for the validity of a
// signature (%G?, %GK and the like, git-log(1)). git runs gpg for it.
func ChecksSignature(format string) bool {
	for _, part := range strings.Split(format, "%")[1:] {
		if strings.HasPrefix(strings.TrimLeft(part, "+- "), "G") {
			return true
		}
	}
	return false
}

// builtinFormats are the names of formats that settings can't change.
var builtinFormats = []string{"raw", "medium", "short", "email", "mboxrd", "fuller", "full", "oneline", "reference"}

// PrettyFormats are the formats of commits that settings give names to (pretty.<name>), and those that commits
// are printed in by default (format.pretty). The zero value has none.
type PrettyFormats struct {
	aliases  []prettyAlias
	defaults []string
}

type prettyAlias struct{ name, format string }

// Add takes a setting if it is of formats. Each value counts, whichever git uses in the end.
func (p *PrettyFormats) Add(s Setting) {
	switch name := strings.TrimPrefix(s.Name(), s.Section+"."); {
	case s.Section == "pretty":
		p.aliases = append(p.aliases, prettyAlias{strings.ToLower(name), s.Value})
	case s.Section == "format" && name == "pretty":
		p.defaults = append(p.defaults, s.Value)
	}
}

// ChecksSignature reports whether a value of --pretty or --format may make git run gpg. It is a format, or the
// name of one. git takes the shortest name that begins with the value, in some versions whatever its case; here
// each that does counts, unless the name is git's own.
func (p *PrettyFormats) ChecksSignature(format string) bool {
	return ChecksSignature(format) || format != "" && p.namesChecking(format, 0)
}

// ChecksByDefault does so for commands that print commits in no format that the line names.
func (p *PrettyFormats) ChecksByDefault() bool {
	return slices.ContainsFunc(p.defaults, p.ChecksSignature)
}

// namesChecking follows a name over those that it stands for, of which none stands for itself.
func (p *PrettyFormats) namesChecking(name string, depth int) bool {
	if strings.Contains(name, "%") || strings.HasPrefix(name, "format:") || slices.Contains(builtinFormats, name) || depth > len(p.aliases) {
		return false
	}
	return slices.ContainsFunc(p.aliases, func(alias prettyAlias) bool {
		return strings.HasPrefix(alias.name, strings.ToLower(name)) && (ChecksSignature(alias.format) || p.namesChecking(alias.format, depth+1))
	})
}
