package extract

import (
	"io/fs"
	"os"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// maxSiblings bounds how many names of one directory are compared with a file
// that has several.
const maxSiblings = 4096

// doublesOf are the secrets with more than one name that matter to a walk of dir.
type doublesOf struct {
	dir    string
	sought *lists.PathClass
	files  []fs.FileInfo
}

// hardLinks finds other names of files.
type hardLinks struct {
	view    *disk.View
	x       *Extractor
	scope   *scope
	classes *classifier
	kept    *gitKept
	doubled []doublesOf
}

// otherNames notes the lists that a file is on by another of its names, where
// that name lies in a place that can be looked at cheaply: its own directory
// and those above up to the root of its space, the directories of secrets in
// both homes, and policyd's own files. Other names stay unknown.
func (h *hardLinks) otherNames(p *v1.Path) {
	file, err := h.view.Stat(p.Real)
	if err != nil {
		p.Caveats.Add("error")
		return
	}
	for _, dir := range h.namesPlaces(paths.Parent(p.Real)) {
		h.compareNames(p, file, dir)
	}
	for _, dir := range h.x.own {
		h.compareOwn(p, file, dir, "own")
	}
	for _, path := range h.x.protected {
		h.compareOwn(p, file, path, "protected_always")
	}
}

// rootedAt reports whether a directory lies in one of the session's spaces.
func (h *hardLinks) rootedAt(dir string) bool {
	space := h.scope.space(dir)
	return space != v1.SpaceOutside && space != v1.SpaceUnknown
}

// compareNames looks for a name of file in a directory that is on a list.
func (h *hardLinks) compareNames(p *v1.Path, file fs.FileInfo, dir string) {
	entries, err := h.view.ReadDir(dir)
	if err != nil || len(entries) > maxSiblings {
		return
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(dir, "/") + "/" + entry.Name()
		if !entry.Type().IsRegular() || !h.classes.secretFile(name) && !h.classes.classed(name) {
			continue
		}
		if other, err := entry.Info(); err == nil && os.SameFile(file, other) {
			h.classes.classifyName(p, name)
		}
	}
}

// compareOwn looks for file among policyd's own: path, or what lies in it.
func (h *hardLinks) compareOwn(p *v1.Path, file fs.FileInfo, path, class string) {
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
func (h *hardLinks) readsSecret(resolved *paths.Resolved) bool {
	if h.classes.secretFile(resolved.Real) || h.kept.secretSettings(resolved.Real) {
		return true
	}
	if !resolved.HardLinks {
		return false
	}
	p := v1.Path{Real: resolved.Real, Op: v1.OpRead}
	h.otherNames(&p)
	if h.classes.sought != nil {
		return has(p.Class, h.classes.sought.Name)
	}
	p.Class = slices.DeleteFunc(p.Class, func(class v1.Entry) bool { return !slices.Contains(v1.ReservedClasses(), class.Name) })
	return len(p.Class) > 0 || len(p.Caveats) > 0
}

// oneOf reports whether a file that is there is one of those given.
func (h *hardLinks) oneOf(files []fs.FileInfo, full string) bool {
	info, err := h.view.Stat(full)
	return err == nil && slices.ContainsFunc(files, func(file fs.FileInfo) bool { return os.SameFile(file, info) })
}

func (h *hardLinks) findDoubles(dir string) []fs.FileInfo {
	var found []fs.FileInfo
	for _, place := range append(h.namesPlaces(dir), h.x.own...) {
		entries, err := h.view.ReadDir(place)
		if err != nil || len(entries) > maxSiblings {
			continue
		}
		for _, entry := range entries {
			if info := h.double(strings.TrimSuffix(place, "/")+"/"+entry.Name(), entry); info != nil {
				found = append(found, info)
			}
		}
	}
	return found
}

// double is the file of an entry that is a secret, or policyd's own, with more
// than one name.
func (h *hardLinks) double(full string, entry fs.DirEntry) fs.FileInfo {
	own := slices.ContainsFunc(h.x.own, func(dir string) bool { return paths.FoldedWithin(full, dir) })
	if !entry.Type().IsRegular() || !own && !h.classes.secretFile(full) {
		return nil
	}
	if resolved, err := h.view.Resolver.Resolve(full); err != nil || !resolved.HardLinks {
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
func (h *hardLinks) namesPlaces(dir string) []string {
	var places []string
	for at := dir; ; at = paths.Parent(at) {
		places = append(places, at)
		if at == "/" || !h.rootedAt(paths.Parent(at)) {
			break
		}
	}
	for _, home := range []string{h.view.Home, h.x.options.Home} {
		if home != "" {
			places = append(places, h.x.lists.InHome(home, h.x.options.Home)...)
		}
	}
	return append(places, h.classes.classPlaces()...)
}

// doubles are the secrets with more than one name that lie where otherNames looks for
// those of a file in dir: a walk of dir may read one by another name.
func (h *hardLinks) doubles(dir string) []fs.FileInfo {
	for i := range h.doubled {
		if h.doubled[i].dir == dir && h.doubled[i].sought == h.classes.sought {
			return h.doubled[i].files
		}
	}
	files := h.findDoubles(dir)
	h.doubled = append(h.doubled, doublesOf{dir, h.classes.sought, files})
	return files
}
