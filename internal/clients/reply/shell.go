package reply

import (
	"path/filepath"
	"slices"
	"strings"
)

// The meaning of a line depends on the shell that the client starts, which isn't always the one in SHELL.
// These are the shells that clients start on Unix. If the sidecar doesn't know a shell, every line prompts.

// ShellHost is what the choice of a shell depends on.
type ShellHost struct {
	// Platform is GOOS, and Named the base name of SHELL, empty for none.
	Platform, Named string
	// Lookup reads the environment.
	Lookup func(name string) string
	// Installed reports whether a shell is installed.
	Installed func(name string) bool
}

func alwaysBash(*ShellHost) string { return "bash" }

// claudeShell is the shell of Claude Code: the one in its own variable or in SHELL, if it is bash or zsh,
// else the first that is installed.
func claudeShell(host *ShellHost) string {
	for _, variable := range []string{"CLAUDE_CODE_SHELL", "SHELL"} {
		path := host.Lookup(variable)
		for _, name := range []string{"zsh", "bash"} {
			if strings.Contains(filepath.Base(path), name) {
				return name
			}
		}
		if strings.Contains(path, "bash") || strings.Contains(path, "zsh") {
			return filepath.Base(path) // it looks no closer
		}
	}
	if host.Installed("zsh") {
		return "zsh"
	}
	return "bash"
}

// shellUnless is the shell that SHELL names, or the first of those that are installed if the
// client can't use it.
func shellUnless(unusable func(named string) bool) func(*ShellHost) string {
	return func(host *ShellHost) string {
		if !unusable(host.Named) {
			return host.Named
		}
		order := []string{"bash", "zsh"}
		if host.Platform == "darwin" {
			slices.Reverse(order)
		}
		for _, name := range order {
			if host.Installed(name) {
				return name
			}
		}
		return "sh"
	}
}
