package extract

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"policyd/extract/stat"
)

// errUnseen is for what lies on no disk that the sidecar sees.
var errUnseen = errors.New("not on a disk that the sidecar sees")

// disk returns where the sidecar finds what the agent calls path. With a path
// map, links on the way lead to other names of the agent's, so they are
// followed here and none is left to the kernel.
func (e *extraction) disk(path string) (string, error) {
	if e.resolver.Map == nil {
		return path, nil
	}
	resolved, err := e.resolver.Resolve(path)
	if err != nil {
		return "", err
	}
	disk, visible := e.resolver.Map.Sidecar(resolved.Real)
	if !visible || resolved.Unseen {
		return "", errUnseen
	}
	return disk, nil
}

func (e *extraction) readDir(dir string) ([]fs.DirEntry, error) {
	disk, err := e.disk(dir)
	if err != nil {
		return nil, err
	}
	return os.ReadDir(disk)
}

// maxSettingsFile is how much of a file of settings, rules or changes is read.
const maxSettingsFile = 4 << 20

// readFile returns what a file holds. A file that is no regular one, or that is too
// large, is an error: reading it might never end.
func (e *extraction) readFile(path string) ([]byte, error) {
	disk, err := e.disk(path)
	if err != nil {
		return nil, err
	}
	content, _, err := stat.Read(disk, maxSettingsFile)
	return content, err
}

func (e *extraction) stat(path string) (fs.FileInfo, error) {
	disk, err := e.disk(path)
	if err != nil {
		return nil, err
	}
	return os.Stat(disk)
}

// barred reports whether an error says that the sidecar may not look where the agent
// may: what is closed to both of them is as good as not there. They are one user as
// far as can be told where the session's home and its own roots are the sidecar's.
func (e *extraction) barred(err error) bool {
	if !errors.Is(err, fs.ErrPermission) {
		return false
	}
	places := []string{e.home}
	for _, root := range e.roots {
		if isOwn(root.Space) {
			places = append(places, root.Real)
		}
	}
	for i, place := range places {
		disk, err := e.disk(place)
		if err != nil || place == "" {
			return true
		}
		places[i] = disk
	}
	return !ownUser(places...)
}

// exists reports whether anything is at an absolute path, a link among them.
// What can't be seen counts as there.
func (e *extraction) exists(path string) bool {
	if !filepath.IsAbs(path) {
		return false // a path of a system whose disk is not here
	}
	if e.resolver.Map == nil {
		_, err := os.Lstat(path)
		return err == nil || e.barred(err)
	}
	resolved, err := e.resolver.Resolve(path)
	return err != nil || resolved.Exists || resolved.Unseen || len(resolved.Links) > 0
}
