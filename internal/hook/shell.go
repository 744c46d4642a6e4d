package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"policyd/internal/clients/reply"
)

// A line means what the shell makes of it that the client starts, and not every
// client starts the one that SHELL names. What stands here is what the clients do
// on Unix; a name that the sidecar doesn't know makes it ask about every line.

// shells are the places that Claude Code looks for shells in, besides PATH.
var shells = []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}

// shell is the name of the program that the client runs command lines in; empty
// where the environment says nothing. there reports whether a program exists.
func (o *options) shell(env func(string) (string, bool), platform string, there func(path string) bool) string {
	named := baseName(lookup(env, "SHELL"))
	installed := func(name string) bool {
		dirs := append(filepath.SplitList(lookup(env, "PATH")), shells...)
		return slices.ContainsFunc(dirs, func(dir string) bool { return there(filepath.Join(dir, name)) })
	}
	switch {
	case platform == "windows":
		if slices.Contains([]string{"bash", "zsh", "sh"}, named) {
			return named
		}
		return ""
	case o.client == reply.Gemini, o.client == reply.Copilot:
		return "bash"
	case o.client == reply.Claude:
		return claudeShell(env, installed)
	case o.client == reply.Codex && !slices.Contains([]string{"bash", "zsh", "sh", "pwsh"}, named):
		return fallback(platform, installed)
	case o.client == reply.OpenCode && slices.Contains([]string{"", "fish", "nu"}, named):
		return fallback(platform, installed)
	}
	return named
}

// claudeShell is the shell of Claude Code: one that its own variable or SHELL
// names, if it is bash or zsh, else the first that is installed.
func claudeShell(env func(string) (string, bool), installed func(name string) bool) string {
	for _, variable := range []string{"CLAUDE_CODE_SHELL", "SHELL"} {
		path := lookup(env, variable)
		for _, name := range []string{"zsh", "bash"} {
			if strings.Contains(filepath.Base(path), name) {
				return name
			}
		}
		if strings.Contains(path, "bash") || strings.Contains(path, "zsh") {
			return baseName(path) // it looks no closer
		}
	}
	if installed("zsh") {
		return "zsh"
	}
	return "bash"
}

// fallback is what clients take for a shell that they can't use.
func fallback(platform string, installed func(name string) bool) string {
	order := []string{"bash", "zsh"}
	if platform == "darwin" {
		slices.Reverse(order)
	}
	for _, name := range order {
		if installed(name) {
			return name
		}
	}
	return "sh"
}

func baseName(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}

// isThere reports whether something other than a directory is at a path.
func isThere(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
