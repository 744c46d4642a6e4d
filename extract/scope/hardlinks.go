package scope

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

// HardLinks finds other names of files.
type HardLinks struct {
	View    *disk.View
	Policy  *Policy
	Scope   *Scope
	Classes *Classifier
	Kept    *GitKept
	doubled []doublesOf
}

// OtherNames notes the lists that a file is on by another of its names, where
// that name lies in a place that can be looked at cheaply: its own directory
// and those above up to the root of its space, the directories of secrets in
// both homes, and policyd's own files. Other names stay unknown.
func (h *HardLinks) OtherNames(p *v1.Path) {
	file, err := h.View.Stat(p.Real)
	if err != nil {
		p.Caveats.Add("error")
		return
	}
	for _, dir := range h.namesPlaces(paths.Parent(p.Real)) {
		h.compareNames(p, file, dir)
	}
	for _, dir := range h.Policy.Own {
		h.compareOwn(p, file, dir, "own")
	}
	for _, path := range h.Policy.Protected {
		h.compareOwn(p, file, path, "protected_always")
	}
}

// rootedAt reports whether a directory lies in one of the session's spaces.
func (h *HardLinks) rootedAt(dir string) bool {
	space := h.Scope.Space(dir)
	return space != v1.SpaceOutside && space != v1.SpaceUnknown
}

// compareNames looks for a name of file in a directory that is on a list.
func (h *HardLinks) compareNames(p *v1.Path, file fs.FileInfo, dir string) {
	entries, err := h.View.ReadDir(dir)
	if err != nil || len(entries) > maxSiblings {
		return
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(dir, "/") + "/" + entry.Name()
		if !entry.Type().IsRegular() || !h.Classes.SecretFile(name) && !h.Classes.classed(name) {
			continue
		}
		if other, err := entry.Info(); err == nil && os.SameFile(file, other) {
			h.Classes.classifyName(p, name)
		}
	}
}

// compareOwn looks for file among policyd's own: path, or what lies in it.
func (h *HardLinks) compareOwn(p *v1.Path, file fs.FileInfo, path, class string) {
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

// ReadsSecret reports whether reading a file reads a secret: by its own name, or by
// another of its names that can be found cheaply.
func (h *HardLinks) ReadsSecret(resolved *paths.Resolved) bool {
	if h.Classes.SecretFile(resolved.Real) || h.Kept.SecretSettings(resolved.Real) {
		return true
	}
	if !resolved.HardLinks {
		return false
	}
	p := v1.Path{Real: resolved.Real, Op: v1.OpRead}
	h.OtherNames(&p)
	if h.Classes.Sought != nil {
		return has(p.Class, h.Classes.Sought.Name)
	}
	p.Class = slices.DeleteFunc(p.Class, func(class v1.Entry) bool { return !slices.Contains(v1.ReservedClasses(), class.Name) })
	return len(p.Class) > 0 || len(p.Caveats) > 0
}

// OneOf reports whether a file that is there is one of those given.
func (h *HardLinks) OneOf(files []fs.FileInfo, full string) bool {
	info, err := h.View.Stat(full)
	return err == nil && slices.ContainsFunc(files, func(file fs.FileInfo) bool { return os.SameFile(file, info) })
}

func (h *HardLinks) findDoubles(dir string) []fs.FileInfo {
	var found []fs.FileInfo
	for _, place := range append(h.namesPlaces(dir), h.Policy.Own...) {
		entries, err := h.View.ReadDir(place)
		if err != nil || len(entries) > maxSiblings {
			continue
		}
		for _, entry := range entries {
			if info := h.Double(strings.TrimSuffix(place, "/")+"/"+entry.Name(), entry); info != nil {
				found = append(found, info)
			}
		}
	}
	return found
}

// Double is the file of an entry that is a secret, or policyd's own, with more
// than one name.
func (h *HardLinks) Double(full string, entry fs.DirEntry) fs.FileInfo {
	own := slices.ContainsFunc(h.Policy.Own, func(dir string) bool { return paths.FoldedWithin(full, dir) })
	if !entry.Type().IsRegular() || !own && !h.Classes.SecretFile(full) {
		return nil
	}
	if resolved, err := h.View.Resolver.Resolve(full); err != nil || !resolved.HardLinks {
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return nil
	}
	return info
}

// namesPlaces are the directories in which OtherNames looks for other names of
// files in dir.
func (h *HardLinks) namesPlaces(dir string) []string {
	var places []string
	for at := dir; ; at = paths.Parent(at) {
		places = append(places, at)
		if at == "/" || !h.rootedAt(paths.Parent(at)) {
			break
		}
	}
	for _, home := range []string{h.View.Home, h.Policy.Home} {
		if home != "" {
			places = append(places, h.Policy.Lists.InHome(home, h.Policy.Home)...)
		}
	}
	return append(places, h.Classes.classPlaces()...)
}

// Doubles are the secrets with more than one name that lie where OtherNames looks for
// those of a file in dir: a walk of dir may read one by another name.
func (h *HardLinks) Doubles(dir string) []fs.FileInfo {
	for i := range h.doubled {
		if h.doubled[i].dir == dir && h.doubled[i].sought == h.Classes.Sought {
			return h.doubled[i].files
		}
	}
	files := h.findDoubles(dir)
	h.doubled = append(h.doubled, doublesOf{dir, h.Classes.Sought, files})
	return files
}
