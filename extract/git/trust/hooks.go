package trust

import (
	"path/filepath"
	"runtime"
	"strings"

	"policyd/extract/stat"
)

// hookCheck looks for hooks that the subcommand could run. Whether a file
// has its execute bit is not looked at: that is one chmod away.
type hookCheck struct {
	probe *probe
	// reader is true if the subcommand runs no other hooks than git does by itself, promisor if
	// git may fetch.
	reader, promisor bool
}

// hooks judges the hooks of a repository and those at hooks paths.
func (c *hookCheck) hooks(place repository, paths []string) error {
	for _, path := range paths {
		if isAnchoredElsewhere(path) || path == "" {
			return refuse(CodeHook, "core.hooksPath "+path)
		}
	}
	for _, directory := range hookDirectories(place, paths) {
		check := c.any
		if c.reader {
			check = c.ofReader
		}
		if err := check(directory); err != nil {
			return err
		}
	}
	return nil
}

// hookDirectories are those of the repository, and of hooks paths as far as they are known: from
// each directory that git may run a hook in.
func hookDirectories(place repository, paths []string) []string {
	directories := []string{filepath.Join(place.commonDir, "hooks")}
	for _, path := range paths {
		switch {
		case isAnchoredElsewhere(path), path == "":
		case filepath.IsAbs(path):
			directories = append(directories, path)
		default:
			directories = append(directories, filepath.Join(place.top, path), filepath.Join(place.gitDir, path))
		}
	}
	return directories
}

// isAnchoredElsewhere reports whether a path begins with "~" or "%(prefix)", which are left to
// people.
func isAnchoredElsewhere(path string) bool {
	return strings.HasPrefix(path, "~") || strings.HasPrefix(path, "%(")
}

// hookSuffixes are the endings of a hook's file name: git for Windows also runs
// a hook that ends in .exe.
var hookSuffixes = map[bool][]string{false: {""}, true: {"", ".exe"}}[runtime.GOOS == "windows"]

func (c *hookCheck) ofReader(directory string) error {
	// A refreshed index runs the first; a lazy fetch can run the others.
	names := []string{"post-index-change"}
	if c.promisor {
		names = append(names, "reference-transaction", "pre-auto-gc")
	}
	for _, name := range names {
		for _, suffix := range hookSuffixes {
			path := filepath.Join(directory, name+suffix)
			hook, err := c.probe.stat(path, false)
			if err != nil {
				return err
			}
			if hook.Kind != stat.Absent {
				return refuse(CodeHook, path)
			}
		}
	}
	return nil
}

func (c *hookCheck) any(directory string) error {
	_, entries, err := c.probe.list(directory, true)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".sample") {
			return refuse(CodeHook, filepath.Join(directory, entry.Name()))
		}
	}
	return nil
}
