package gitreach

import (
	"slices"
	"strings"

	"policyd/extract/shell/command"
	"policyd/internal/credential"
)

// gitPrinter is a command that prints such texts.
type gitPrinter struct {
	// Prints are stores that the command prints always, With those that it prints with an option.
	Prints []string            `json:"prints"`
	With   map[string][]string `json:"with"`
}

// gitStores says which commands print texts that git keeps apart from commits, and which files hold
// these. The stores are: "settings" with their names, "remote_names", "remotes", which are addresses,
// the "log" of the refs that a command names, all "logs", and that of the "stash".
type gitStores struct {
	Commands map[string]gitPrinter `json:"commands"`
	// Atoms are what a format of refs may name. One that is on neither list may print anything.
	Atoms struct {
		Prints   map[string][]string `json:"prints"`
		Harmless []string            `json:"harmless"`
	} `json:"atoms"`
	// Files and Directories are names below a repository's own directory.
	Files       []string `json:"files"`
	Directories []string `json:"directories"`
}

// printed are the stores that a command prints. known is false for a format of refs with an atom that
// is on no list.
func (s *gitStores) printed(c *command.Command) (stores []string, known bool) {
	verb := s.verb(c)
	command := s.Commands[verb]
	stores = slices.Clone(command.Prints)
	for option, more := range command.With {
		if c.Form.Has(option) {
			stores = append(stores, more...)
		}
	}
	if !slices.Contains(refFormatters, c.Verb) {
		return stores, true
	}
	for rest := c.Git.Log.Format; ; {
		_, inside, found := strings.Cut(rest, "%(")
		if !found {
			return stores, true
		}
		atom, behind, closed := strings.Cut(inside, ")")
		name, options, _ := strings.Cut(strings.TrimPrefix(atom, "*"), ":")
		if !closed || !slices.Contains(s.Atoms.Harmless, name) {
			return stores, false
		}
		for option := range strings.SplitSeq(options, ",") {
			stores = append(stores, s.Atoms.Prints[name+":"+option]...)
		}
		rest = behind
	}
}

// verb is the entry of a command: of "git reflog main", which is no command of its own, "git reflog".
func (s *gitStores) verb(c *command.Command) string {
	for verb := c.Verb; ; {
		if _, known := s.Commands[verb]; known {
			return verb
		}
		space := strings.LastIndexByte(verb, ' ')
		if space < 0 {
			return ""
		}
		verb = verb[:space]
	}
}

// namesCredential reports whether the name of a setting holds a credential, or stands for files whose
// settings weren't read.
func namesCredential(name string) bool { return name == "include" || credential.Holds(name) }
