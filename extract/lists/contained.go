package lists

import (
	"slices"

	v1 "policyd/api/v1"
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
		System, Home []string
		// Settings are files and directories of tools' settings, which are hidden if they hold credentials.
		Settings []string
	} `json:"read"`
	Write struct {
		Home []string
	} `json:"write"`
	// Hide are secrets of the system.
	Hide []string `json:"hide"`
	// Links are names of Protected that git or a build reads as a directory, be it empty.
	Links       []string             `json:"links"`
	Environment v1.EnvironmentLimits `json:"environment"`
	// Protected and Secrets are those of the other lists.
	Protected []string `json:"-"`
	Secrets   []string `json:"-"`
}

// Judges reports whether a class of the operator's has an effect.
func (l *Lists) Judges() bool {
	return slices.ContainsFunc(l.Classes, func(class PathClass) bool { return class.Judged })
}
