package hook

import (
	"os"
	"path/filepath"
	"slices"

	"policyd/internal/clients/reply"
)

// shells are the paths at which Claude Code looks for shells, in addition to PATH.
var shells = []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}

// shell is the name of the shell that the client uses; empty if the environment doesn't determine it. there
// reports whether a program exists.
func (o *options) shell(env func(string) (string, bool), platform string, there func(path string) bool) string {
	named := baseName(lookup(env, "SHELL"))
	installed := func(name string) bool {
		dirs := append(filepath.SplitList(lookup(env, "PATH")), shells...)
		return slices.ContainsFunc(dirs, func(dir string) bool { return there(filepath.Join(dir, name)) })
	}
	if platform == "windows" {
		if slices.Contains([]string{"bash", "zsh", "sh"}, named) {
			return named
		}
		return ""
	}
	if client, known := reply.ByName(o.client); known && client.Shell != nil {
		return client.Shell(&reply.ShellHost{
			Platform: platform, Named: named, Lookup: func(name string) string { return lookup(env, name) }, Installed: installed,
		})
	}
	return named
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
