package extract

import (
	"io/fs"
	"os"
	"slices"
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
	file, err := e.view.Stat(p.Real)
	if err != nil {
		p.Caveats.Add("error")
		return
	}
	for _, dir := range e.namesPlaces(paths.Parent(p.Real)) {
		e.compareNames(p, file, dir)
	}
	for _, dir := range e.x.own {
		e.compareOwn(p, file, dir, "own")
	}
	for _, path := range e.x.protected {
		e.compareOwn(p, file, path, "protected_always")
	}
}

// rootedAt reports whether a directory lies in one of the session's spaces.
func (e *extraction) rootedAt(dir string) bool {
	space := e.space(dir)
	return space != v1.SpaceOutside && space != v1.SpaceUnknown
}

// compareNames looks for a name of file in a directory that is on a list.
func (e *extraction) compareNames(p *v1.Path, file fs.FileInfo, dir string) {
	entries, err := e.view.ReadDir(dir)
	if err != nil || len(entries) > maxSiblings {
		return
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(dir, "/") + "/" + entry.Name()
		if !entry.Type().IsRegular() || !e.secretFile(name) && !e.classed(name) {
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

// readsSecret reports whether reading a file reads a secret: by its own name, or by
// another of its names that can be found cheaply.
func (e *extraction) readsSecret(resolved *paths.Resolved) bool {
	if e.secretFile(resolved.Real) || e.secretSettings(resolved.Real) {
		return true
	}
	if !resolved.HardLinks {
		return false
	}
	p := v1.Path{Real: resolved.Real, Op: v1.OpRead}
	e.otherNames(&p)
	if e.sought != nil {
		return has(p.Class, e.sought.Name)
	}
	p.Class = slices.DeleteFunc(p.Class, func(class v1.Entry) bool { return !slices.Contains(v1.ReservedClasses(), class.Name) })
	return len(p.Class) > 0 || len(p.Caveats) > 0
}

// oneOf reports whether a file that is there is one of those given.
func (e *extraction) oneOf(files []fs.FileInfo, full string) bool {
	info, err := e.view.Stat(full)
	return err == nil && slices.ContainsFunc(files, func(file fs.FileInfo) bool { return os.SameFile(file, info) })
}

func (e *extraction) findDoubles(dir string) []fs.FileInfo {
	var found []fs.FileInfo
	for _, place := range append(e.namesPlaces(dir), e.x.own...) {
		entries, err := e.view.ReadDir(place)
		if err != nil || len(entries) > maxSiblings {
			continue
		}
		for _, entry := range entries {
			if info := e.double(strings.TrimSuffix(place, "/")+"/"+entry.Name(), entry); info != nil {
				found = append(found, info)
			}
		}
	}
	return found
}

// double is the file of an entry that is a secret, or policyd's own, with more
// than one name.
func (e *extraction) double(full string, entry fs.DirEntry) fs.FileInfo {
	own := slices.ContainsFunc(e.x.own, func(dir string) bool { return paths.FoldedWithin(full, dir) })
	if !entry.Type().IsRegular() || !own && !e.secretFile(full) {
		return nil
	}
	if resolved, err := e.view.Resolver.Resolve(full); err != nil || !resolved.HardLinks {
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return nil
	}
	return info
}

// namesPlaces are the directories in which otherNames looks for other names of
// files in dir.
func (e *extraction) namesPlaces(dir string) []string {
	var places []string
	for at := dir; ; at = paths.Parent(at) {
		places = append(places, at)
		if at == "/" || !e.rootedAt(paths.Parent(at)) {
			break
		}
	}
	for _, home := range []string{e.view.Home, e.x.options.Home} {
		if home != "" {
			places = append(places, e.x.lists.InHome(home, e.x.options.Home)...)
		}
	}
	return append(places, e.classPlaces()...)
}
