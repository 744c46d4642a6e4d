package lists

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
)

// Scratch are the directories that a client makes for its own sessions or projects: what
// an agent works in there, and what it only reads. Names hold marks, which extraction replaces.
type Scratch struct {
	Workspace []string `json:"workspace"`
	Read      []string `json:"read"`
}

// Contain is what policy data says of contained runs. Names of files and directories may
// begin with "~", the home of the session.
type Contain struct {
	Read struct {
		// Home are programs, packages and caches, whose content comes from registries and builds.
		System, Home []string
		// Tools are installed toolchains and environments, among which people put settings, too.
		Tools []string
		// Credentials are names of files and directories of credentials in Home and Tools, beside those of
		// secrets. Checked are names of files that may be shown if they hold none.
		Credentials, Checked []string
		Settings             []ToolSettings
	} `json:"read"`
	Write struct {
		Home []string
	} `json:"write"`
	// Hide are secrets of the system.
	Hide []string `json:"hide"`
	// Links are names of Protected that git or a build reads even if they are empty directories.
	Links       []string             `json:"links"`
	Environment v1.EnvironmentLimits `json:"environment"`
	// Protected and Secrets are those of the other lists.
	Protected []string `json:"-"`
	Secrets   []string `json:"-"`

	credentials, checked *paths.Pattern
}

// ToolSettings are settings of one tool.
type ToolSettings struct {
	// Files are also directories. Each is empty for a run unless all of its settings are known.
	Files []string
	// Keys are the names of settings, in lower case, that hold no credential; "section.*" is any in a section. Without
	// keys nothing is shown.
	Keys []string
}

// backups are the ends of names that editors and people give to copies.
var backups = []string{".bak", ".backup", ".old", ".orig", ".save", ".saved", ".copy", ".swp", ".tmp", "~"}

// withoutBackup is the name of what a file is a copy of.
func withoutBackup(name string) string {
	for _, end := range backups {
		if before, found := strings.CutSuffix(name, end); found {
			return strings.TrimPrefix(before, ".#")
		}
	}
	return name
}

// KeepsCredentials reports whether a name in a directory of tools is one of credentials. Checked is true if the
// content decides.
func (l *Lists) KeepsCredentials(full string) (keeps, checked bool) {
	name := path.Base(full)
	original := withoutBackup(name)
	if l.Contain.checked.Match(original) != "" {
		return true, true
	}
	return l.Contain.credentials.Match(original) != "" || l.Secrets.File(full) != "" || l.Secrets.Directory(full) != "" ||
		original != name && l.Secrets.File(strings.TrimSuffix(full, name)+original) != "", false
}

// Judges reports whether a class of the operator's has an effect.
func (l *Lists) Judges() bool {
	return slices.ContainsFunc(l.Classes, func(class PathClass) bool { return class.Judged })
}
