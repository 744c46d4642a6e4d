package extract

import (
	"io/fs"
	"os"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
)

// maxSiblings bounds how many names of one directory are compared with a file
// that has several.
const maxSiblings = 4096

// otherNames notes the lists that a file is on by another of its names, where
// that name lies in a place that can be looked at cheaply: its own directory
// and those above up to the root of its space, the directories of secrets in
// both homes, and policyd's own files. Other names stay unknown.
func (e *extraction) otherNames(p *v1.Path) {
	file, err := e.stat(p.Real)
	if err != nil {
		p.Caveats.Add("error")
		return
	}
	for at := paths.Parent(p.Real); ; at = paths.Parent(at) {
		e.compareNames(p, file, at)
		if at == "/" || !e.rootedAt(paths.Parent(at)) {
			break
		}
	}
	for _, home := range []string{e.home, e.x.options.Home} {
		if home == "" {
			continue
		}
		for _, dir := range e.x.lists.inHome(home, e.x.options.Home) {
			e.compareNames(p, file, dir)
		}
	}
	for _, dir := range e.x.options.Own {
		e.compareOwn(p, file, dir, "own")
	}
	for _, path := range e.x.options.Protected {
		e.compareOwn(p, file, path, "protected_always")
	}
}

// rootedAt reports whether a directory is a root of the session's or lies in one.
func (e *extraction) rootedAt(dir string) bool {
	for i := range e.roots {
		if paths.Within(dir, e.roots[i].Real) {
			return true
		}
	}
	return false
}

// compareNames looks for a name of file in a directory that is on a list.
func (e *extraction) compareNames(p *v1.Path, file fs.FileInfo, dir string) {
	entries, err := e.readDir(dir)
	if err != nil || len(entries) > maxSiblings {
		return
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(dir, "/") + "/" + entry.Name()
		if !entry.Type().IsRegular() || !e.secretFile(name) {
			continue
		}
		if other, err := entry.Info(); err == nil && os.SameFile(file, other) {
			e.classifyName(p, name)
		}
	}
}

// compareOwn looks for file among policyd's own: path, or what lies in it.
func (e *extraction) compareOwn(p *v1.Path, file fs.FileInfo, path, class string) {
	names := []string{path}
	if entries, err := os.ReadDir(path); err == nil {
		for _, entry := range entries[:min(len(entries), maxSiblings)] {
			names = append(names, path+"/"+entry.Name())
		}
	}
	for _, name := range names {
		if other, err := os.Stat(name); err == nil && os.SameFile(file, other) {
			p.Class.Put(class, path)
		}
	}
}
