package git

import (
	"path/filepath"
	"strings"

	"policyd/extract/stat"
)

// inspectHooks looks for hooks that the subcommand could run. Whether a file
// has its execute bit is not asked: that is one chmod away.
func (in *inspection) inspectHooks(place repository, found traits) error {
	directories := []string{filepath.Join(place.commonDir, "hooks")}
	for _, path := range append(found.hooksPaths, in.userHooks...) {
		directory, ok := hooksDirectory(place, path)
		if !ok {
			return refuse(CodeHook, "core.hooksPath "+path)
		}
		directories = append(directories, directory...)
	}
	for _, directory := range directories {
		if err := in.inspectHookDirectory(directory, found.promisor); err != nil {
			return err
		}
	}
	return nil
}

// hookDirectories are those that are known.
func (in *inspection) hookDirectories(place repository, found traits) []string {
	out := []string{filepath.Join(place.commonDir, "hooks")}
	for _, path := range append(found.hooksPaths, in.userHooks...) {
		directories, _ := hooksDirectory(place, path)
		out = append(out, directories...)
	}
	return out
}

// hooksDirectory resolves core.hooksPath from each directory that git may run
// a hook in. "~" and "%(prefix)" are left to people.
func hooksDirectory(place repository, path string) ([]string, bool) {
	if path == "" || strings.HasPrefix(path, "~") || strings.HasPrefix(path, "%(") {
		return nil, false
	}
	if filepath.IsAbs(path) {
		return []string{path}, true
	}
	return []string{filepath.Join(place.top, path), filepath.Join(place.gitDir, path)}, true
}

func (in *inspection) inspectHookDirectory(directory string, promisor bool) error {
	if !in.runs.reader {
		return in.refuseAnyHook(directory)
	}
	// A refreshed index runs the first; a lazy fetch can run the others.
	names := []string{"post-index-change"}
	if promisor {
		names = append(names, "reference-transaction", "pre-auto-gc")
	}
	for _, name := range names {
		for _, suffix := range hookSuffixes() {
			path := filepath.Join(directory, name+suffix)
			hook, err := in.probe.stat(path, false)
			if err != nil {
				return refuse(CodeUnreadable, path)
			}
			if hook.Kind != stat.Absent {
				return refuse(CodeHook, path)
			}
		}
	}
	return nil
}

func (in *inspection) refuseAnyHook(directory string) error {
	_, entries, err := in.probe.list(directory, true)
	if err != nil {
		return refuse(CodeUnreadable, directory)
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".sample") {
			return refuse(CodeHook, filepath.Join(directory, entry.Name()))
		}
	}
	return nil
}
