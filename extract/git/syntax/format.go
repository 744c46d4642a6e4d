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
// are printed in by default (format.pretty). The zero value has none. Each value counts, whichever git uses in the end.
type PrettyFormats struct {
	// named is true if a format with a name checks signatures.
	named    bool
	defaults []string
}

// Add takes a setting if it is of formats.
func (p *PrettyFormats) Add(s Setting) {
	switch {
	case s.Section == "pretty":
		p.named = p.named || ChecksSignature(s.Value)
	case s.Name() == "format.pretty":
		p.defaults = append(p.defaults, s.Value)
	}
}

// ChecksSignature reports whether a value of --pretty or --format may make git run gpg. It is a format, or the
// name of one: any that isn't git's own may stand for one that does.
func (p *PrettyFormats) ChecksSignature(format string) bool {
	isOwn := format == "" || strings.Contains(format, "%") || strings.HasPrefix(format, "format:") || slices.Contains(builtinFormats, format)
	return ChecksSignature(format) || p.named && !isOwn
}

// ChecksByDefault does so for commands that print commits in no format that the line names.
func (p *PrettyFormats) ChecksByDefault() bool {
	return slices.ContainsFunc(p.defaults, p.ChecksSignature)
}
