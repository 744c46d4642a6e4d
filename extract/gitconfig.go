package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/git"
	"policyd/extract/shell"
)

// severalSettings are the options with which git config prints more settings
// than the one that it is given the name of.
var severalSettings = []string{"--get-regexp", "--regexp", "--get-urlmatch", "--url", "--list"}

// configReach says whether a command prints a setting of git that holds a
// secret: a token in an address, a password. Commands that print one setting
// are held to its name.
func configReach(c *shell.Command, verdict git.Verdict) string {
	has := func(option string) bool { _, ok := c.Form.Get(option); return ok }
	printed := false
	switch {
	case strings.HasPrefix(c.Verb, "git config") && has("--name-only"):
		printed = slices.ContainsFunc(verdict.Credentials, namesCredential)
	case strings.HasPrefix(c.Verb, "git config"):
		key := strings.ToLower(c.Git.Setting)
		one := key != "" && !slices.ContainsFunc(severalSettings, has)
		printed = one && (git.SecretSetting(key) || slices.Contains(verdict.Credentials, key)) || !one && len(verdict.Credentials) > 0
	}
	if printed {
		return reachesSecret
	}
	return reachesNone
}

// settingsReach says what the files are that the repository's settings make git
// read: it prints lines of theirs when they are not what it expects.
func (e *extraction) settingsReach(verdict git.Verdict) string {
	for _, file := range verdict.Files {
		resolved, err := e.view.Resolve(file)
		switch {
		case err != nil || resolved.Unseen:
			return reachesUnknown
		case e.secretFile(file) || e.readsSecret(&resolved):
			return reachesSecret
		case e.spaceOf(&resolved) == v1.SpaceOutside:
			return reachesOutside
		}
	}
	return reachesNone
}

// maxSettings bounds a repository's settings, in bytes.
const maxSettings = 1 << 20
