package scope

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/history"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// Classifier says which lists a path is on.
type Classifier struct {
	View    *disk.View
	Policy  *Policy
	Scope   *Scope
	Scratch *Scratch
	// Sought is the path class that is looked for in the place of secrets; nil for secrets.
	Sought *lists.PathClass
}

// InClass is the entry by which a path is in a class, by the agent's name or by the sidecar's.
func (c *Classifier) InClass(class *lists.PathClass, real string) string {
	projects := c.Scope.projects()
	if entry := class.Match(real, c.View.Home, projects); entry != "" {
		return entry
	}
	if disk, other := c.View.OtherName(real); other {
		return class.Match(disk, c.View.Home, projects)
	}
	return ""
}

// classed reports whether a path is in any class.
func (c *Classifier) classed(real string) bool {
	return slices.ContainsFunc(c.Policy.Lists.Classes, func(class lists.PathClass) bool { return c.InClass(&class, real) != "" })
}

// classPlaces are the directories that classes name.
func (c *Classifier) classPlaces() []string {
	var out []string
	for i := range c.Policy.Lists.Classes {
		out = append(out, c.Policy.Lists.Classes[i].Places(c.View.Home, c.Scope.projects())...)
	}
	return out
}

// Reach adds what a look reaches to an item: the caveat of its answer, and each class that the look finds
// if it searches for the class instead of secrets.
func (c *Classifier) Reach(item *v1.Item, look func() string) {
	if answer := look(); answer != disk.ReachesNone {
		item.Caveats.Add(answer)
	}
	for i := range c.Policy.Lists.Classes {
		class := &c.Policy.Lists.Classes[i]
		c.Sought = class
		if look() == disk.ReachesSecret {
			item.Reaches.Add(class.Name)
		}
		c.Sought = nil
	}
}

// Past is what commits hold of what is sought.
func (c *Classifier) Past() *history.Past {
	if c.Sought != nil {
		return c.Sought.Past
	}
	return c.Policy.Past
}

// Listed reports whether a name is that of a secret, or of a protected file.
func (c *Classifier) Listed(text string) bool {
	name := "/" + text
	if c.Policy.Lists.Secrets.File(name) != "" {
		return true
	}
	var class v1.Form
	c.Policy.Lists.Protected.Class(name, &class)
	return len(class) > 0
}

// Classify notes the lists that a path is on, by the agent's name and by the
// sidecar's.
func (c *Classifier) Classify(p *v1.Path, real string) {
	c.classifyName(p, real)
	if disk, other := c.View.OtherName(real); other {
		c.classifyName(p, disk)
	}
	if p.Op == v1.OpDelete {
		c.classifyDelete(p, real)
	}
}

// classifyName matches one name. Looking at names and metadata alone gives no
// secret away, but looking into a secret directory does.
func (c *Classifier) classifyName(p *v1.Path, real string) {
	if p.Op == v1.OpList {
		if entry := c.Policy.Lists.Secrets.Directory(real); entry != "" {
			p.Class.Put("secret_directory", entry)
		}
	} else if class, entry := c.Policy.Lists.Secrets.Class(real); class != "" {
		p.Class.Put(class, entry)
	}
	for i := range c.Policy.Lists.Classes {
		if class := &c.Policy.Lists.Classes[i]; !has(p.Class, class.Name) {
			if entry := c.InClass(class, real); entry != "" {
				p.Class.Put(class.Name, entry)
			}
		}
	}
	for _, own := range c.Policy.Own {
		if paths.FoldedWithin(real, own) {
			p.Class.Put("own", own)
		}
	}
	c.Policy.ownProtected(real, &p.Class)
	if p.Op == v1.OpWrite || p.Op == v1.OpDelete {
		c.Scratch.protection(real, &p.Class)
	}
}

// SecretFile reports whether a path is secret by the agent's name or by the
// sidecar's.
func (c *Classifier) SecretFile(real string) bool {
	if c.Sought != nil {
		return c.InClass(c.Sought, real) != ""
	}
	if c.Policy.Lists.Secrets.File(real) != "" {
		return true
	}
	disk, visible := c.View.OtherName(real)
	return visible && c.Policy.Lists.Secrets.File(disk) != ""
}

// SecretDirectory does the same for a directory that holds nothing but secrets.
func (c *Classifier) SecretDirectory(real string) bool {
	if c.Sought != nil {
		return c.InClass(c.Sought, real) != ""
	}
	if c.Policy.Lists.Secrets.Directory(real) != "" {
		return true
	}
	disk, visible := c.View.OtherName(real)
	return visible && c.Policy.Lists.Secrets.Directory(disk) != ""
}

// NoteRoots notes whether a root of the session goes with a directory that is deleted or moved.
func (c *Classifier) NoteRoots(p *v1.Path, dir string) {
	for i := range c.Scope.Roots {
		if IsOwn(c.Scope.Roots[i].Space) && paths.Within(c.Scope.Roots[i].Real, dir) {
			p.Caveats.Add("root")
		}
	}
}

// ClassifyBelow notes what is changed with all that a directory holds: policyd's own files wherever below, and
// what stands directly in it and is protected.
func (c *Classifier) ClassifyBelow(p *v1.Path, dir string) {
	names := []string{dir}
	if disk, other := c.View.OtherName(dir); other {
		names = append(names, disk)
	}
	for _, name := range names {
		for _, own := range c.Policy.Own {
			if paths.FoldedWithin(own, name) {
				p.Class.Put("own", own)
			}
		}
		for _, file := range c.Policy.Protected {
			if paths.FoldedWithin(file, name) {
				putBelow(p, protectedAlways, file)
			}
		}
	}
	for _, place := range c.classPlaces() {
		if paths.Within(place, dir) && c.View.Exists(place) {
			c.classifyName(p, place)
		}
	}
	c.Policy.Lists.Protected.Below(dir, func(class, entry, path string) {
		if c.View.Exists(path) {
			putBelow(p, class, entry)
		}
	})
}

// ClassifyUnpacked notes what may be changed in a directory, or come to be there, by files whose names aren't known. In
// the session's own directories, above them and at the top of a repository protected files count that aren't there yet.
func (c *Classifier) ClassifyUnpacked(p *v1.Path, dir string) {
	c.ClassifyBelow(p, dir)
	if !c.Scope.leadsToOwnRoot(dir) && !c.View.Exists(strings.TrimSuffix(dir, "/")+"/"+gitEntry) {
		return
	}
	c.Policy.Lists.Protected.Below(dir, func(class, entry, _ string) {
		if class == protectedAlways {
			putBelow(p, class, entry)
		}
	})
}

// ProtectedDirectory reports whether all that is made in a directory could switch the gate off or run later.
func (c *Classifier) ProtectedDirectory(real string) bool {
	var class v1.Form
	note := func(name string) {
		c.Policy.ownProtected(name, &class)
		c.Scratch.protection(name, &class)
	}
	note(real)
	if disk, other := c.View.OtherName(real); other {
		note(disk)
	}
	return has(class, protectedAlways)
}

// putBelow notes a class of a path by an entry that stands for files below it.
func putBelow(p *v1.Path, class, entry string) {
	if !has(p.Class, class) {
		p.Class.Put(class, entry)
		p.Caveats.Add("holds")
	}
}

// protectedAlways is the class of what could switch the gate off or run later.
const protectedAlways = "protected_always"

// classifyDelete notes an entry of delete_allow, which counts from the project.
func (c *Classifier) classifyDelete(p *v1.Path, real string) {
	for _, root := range c.Scope.Roots {
		if root.Space != v1.SpaceProject {
			continue
		}
		for _, entry := range c.Policy.Lists.DeleteAllow {
			if real == root.Real+"/"+entry {
				p.Class.Put("delete_allow", entry)
			}
		}
	}
}

// Harmless reports whether files chosen by globs over their names can't be
// secrets by the lists. No glob at all chooses every file.
func (c *Classifier) Harmless(globs []string) bool {
	if len(c.Policy.Lists.Classes) > 0 {
		return false // what a path class holds has any name
	}
	for _, glob := range globs {
		if c.Policy.Lists.Secrets.Names.Overlaps(glob) || !anyOfExtension(glob) {
			return false
		}
	}
	return len(globs) > 0
}

// WindowsCouldBePath reports whether a word of an unknown role has to count as a path where existence can't be asked for.
func (c *Classifier) WindowsCouldBePath(text string) bool {
	if strings.Contains(text, "://") {
		return false
	}
	return strings.ContainsAny(text, `\/`) || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "~") ||
		len(text) > 1 && text[1] == ':' || c.Policy.Lists.Secrets.File(paths.WindowsSpelling(text)) != ""
}

// TextByName reports whether a path, or a pattern in the manner of git, whose stars match
// slashes, is of source texts and of no secret, as far as names tell.
func (c *Classifier) TextByName(text string) bool {
	if strings.ContainsAny(text, "*?[") {
		return !strings.Contains(text, `\`) && c.Harmless([]string{text[strings.LastIndexByte(text, '/')+1:]})
	}
	return paths.PlainText(text) && !c.SecretByName(text)
}

// SecretByName reports whether a path is secret by its name on a disk that the sidecar can't see.
func (c *Classifier) SecretByName(text string) bool {
	return c.Policy.Lists.Secrets.File(paths.WindowsSpelling(text)) != ""
}

// anyOfExtension reports whether a glob is a star and an extension of one, two
// or at least four letters. Windows matches a glob with the short name of a
// file as well, CREDEN~1.JSO for credentials.json, in which a name and an
// extension are cut to eight and three.
func anyOfExtension(glob string) bool {
	extension, ok := strings.CutPrefix(glob, "*.")
	if !ok || strings.ContainsAny(extension, "*?.") || extension == "" {
		return false
	}
	return len(extension) != 3 || plainExtensions[strings.ToLower(extension)]
}

// plainExtensions are those of three letters that no cut name of a secret has.
var plainExtensions = map[string]bool{
	"cpp": true, "css": true, "csv": true, "cxx": true, "hpp": true, "jsx": true, "log": true, "lua": true, "mjs": true,
	"php": true, "ps1": true, "sql": true, "svg": true, "tsx": true, "txt": true, "vue": true, "xml": true, "yml": true,
}

func has(class v1.Form, name string) bool { _, ok := class.Get(name); return ok }

// SoughtClass is the name of the path class that is looked for, "" for secrets.
func (c *Classifier) SoughtClass() string {
	if c.Sought == nil {
		return ""
	}
	return c.Sought.Name
}
