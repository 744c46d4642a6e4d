package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// classifier says which lists a path is on.
type classifier struct {
	view    *disk.View
	x       *Extractor
	scope   *scope
	scratch *scratch
	// sought is the path class that is looked for in the place of secrets; nil for secrets.
	sought *lists.PathClass
}

// inClass is the entry by which a path is in a class, by the agent's name or by the sidecar's.
func (c *classifier) inClass(class *lists.PathClass, real string) string {
	projects := c.scope.projects()
	if entry := class.Match(real, c.view.Home, projects); entry != "" {
		return entry
	}
	if disk, other := c.view.OtherName(real); other {
		return class.Match(disk, c.view.Home, projects)
	}
	return ""
}

// classed reports whether a path is in any class.
func (c *classifier) classed(real string) bool {
	return slices.ContainsFunc(c.x.lists.Classes, func(class lists.PathClass) bool { return c.inClass(&class, real) != "" })
}

// classPlaces are the directories that classes name.
func (c *classifier) classPlaces() []string {
	var out []string
	for i := range c.x.lists.Classes {
		out = append(out, c.x.lists.Classes[i].Places(c.view.Home, c.scope.projects())...)
	}
	return out
}

// reach adds what a look reaches to an item: the caveat of its answer, and each class that the look finds
// if it searches for the class instead of secrets.
func (c *classifier) reach(item *v1.Item, look func() string) {
	if answer := look(); answer != reachesNone {
		item.Caveats.Add(answer)
	}
	for i := range c.x.lists.Classes {
		class := &c.x.lists.Classes[i]
		c.sought = class
		if look() == reachesSecret {
			item.Reaches.Add(class.Name)
		}
		c.sought = nil
	}
}

// past is what commits hold of what is sought.
func (c *classifier) past() *git.Past {
	if c.sought != nil {
		return c.sought.Past
	}
	return c.x.past
}

// listed reports whether a name is that of a secret, or of a protected file.
func (c *classifier) listed(text string) bool {
	name := "/" + text
	if c.x.lists.Secrets.File(name) != "" {
		return true
	}
	var class v1.Form
	c.x.lists.Protected.Class(name, &class)
	return len(class) > 0
}

// classify notes the lists that a path is on, by the agent's name and by the
// sidecar's.
func (c *classifier) classify(p *v1.Path, real string) {
	c.classifyName(p, real)
	if disk, other := c.view.OtherName(real); other {
		c.classifyName(p, disk)
	}
	if p.Op == v1.OpDelete {
		c.classifyDelete(p, real)
	}
}

// classifyName matches one name. Looking at names and metadata alone gives no
// secret away, but looking into a secret directory does.
func (c *classifier) classifyName(p *v1.Path, real string) {
	if p.Op == v1.OpList {
		if entry := c.x.lists.Secrets.Directory(real); entry != "" {
			p.Class.Put("secret_directory", entry)
		}
	} else if class, entry := c.x.lists.Secrets.Class(real); class != "" {
		p.Class.Put(class, entry)
	}
	for i := range c.x.lists.Classes {
		if class := &c.x.lists.Classes[i]; !has(p.Class, class.Name) {
			if entry := c.inClass(class, real); entry != "" {
				p.Class.Put(class.Name, entry)
			}
		}
	}
	for _, own := range c.x.own {
		if paths.FoldedWithin(real, own) {
			p.Class.Put("own", own)
		}
	}
	for _, file := range c.x.protected {
		if paths.FoldedWithin(real, file) {
			p.Class.Put("protected_always", file)
		}
	}
	if p.Op == v1.OpWrite || p.Op == v1.OpDelete {
		c.x.lists.Protected.Class(c.scratch.belowScratch(real), &p.Class)
	}
}

// secretFile reports whether a path is secret by the agent's name or by the
// sidecar's.
func (c *classifier) secretFile(real string) bool {
	if c.sought != nil {
		return c.inClass(c.sought, real) != ""
	}
	if c.x.lists.Secrets.File(real) != "" {
		return true
	}
	disk, visible := c.view.OtherName(real)
	return visible && c.x.lists.Secrets.File(disk) != ""
}

func (c *classifier) secretDirectory(real string) bool {
	if c.sought != nil {
		return c.inClass(c.sought, real) != ""
	}
	if c.x.lists.Secrets.Directory(real) != "" {
		return true
	}
	disk, visible := c.view.OtherName(real)
	return visible && c.x.lists.Secrets.Directory(disk) != ""
}

// classifyBelow notes what goes with a directory that is deleted or moved: a
// root of the session, policyd's own files wherever below, and what stands
// directly in it and is protected.
func (c *classifier) classifyBelow(p *v1.Path, dir string) {
	for i := range c.scope.roots {
		if isOwn(c.scope.roots[i].Space) && paths.Within(c.scope.roots[i].Real, dir) {
			p.Caveats.Add("root")
		}
	}
	names := []string{dir}
	if disk, other := c.view.OtherName(dir); other {
		names = append(names, disk)
	}
	for _, name := range names {
		for _, own := range c.x.own {
			if paths.FoldedWithin(own, name) {
				p.Class.Put("own", own)
			}
		}
		for _, file := range c.x.protected {
			if paths.FoldedWithin(file, name) {
				p.Class.Put("protected_always", file)
			}
		}
	}
	for _, place := range c.classPlaces() {
		if paths.Within(place, dir) && c.view.Exists(place) {
			c.classifyName(p, place)
		}
	}
	c.x.lists.Protected.Below(dir, func(class, entry, path string) {
		if _, known := p.Class.Get(class); !known && c.view.Exists(path) {
			p.Class.Put(class, entry)
		}
	})
}

// classifyDelete notes an entry of delete_allow, which counts from the project.
func (c *classifier) classifyDelete(p *v1.Path, real string) {
	for _, root := range c.scope.roots {
		if root.Space != v1.SpaceProject {
			continue
		}
		for _, entry := range c.x.lists.DeleteAllow {
			if real == root.Real+"/"+entry {
				p.Class.Put("delete_allow", entry)
			}
		}
	}
}

// harmless reports whether files chosen by globs over their names can't be
// secrets by the lists. No glob at all chooses every file.
func (c *classifier) harmless(globs []string) bool {
	if len(c.x.lists.Classes) > 0 {
		return false // what a path class holds has any name
	}
	for _, glob := range globs {
		if c.x.lists.Secrets.Names.Overlaps(glob) || !anyOfExtension(glob) {
			return false
		}
	}
	return len(globs) > 0
}

// windowsCouldBePath is couldBePath where existence can't be asked for.
func (c *classifier) windowsCouldBePath(text string) bool {
	if strings.Contains(text, "://") {
		return false
	}
	return strings.ContainsAny(text, `\/`) || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "~") ||
		len(text) > 1 && text[1] == ':' || c.x.lists.Secrets.File(paths.WindowsSpelling(text)) != ""
}

// textByName reports whether a path, or a pattern in the manner of git, whose stars match
// slashes, is of source texts and of no secret, as far as names tell.
func (c *classifier) textByName(text string) bool {
	if strings.ContainsAny(text, "*?[") {
		return !strings.Contains(text, `\`) && c.harmless([]string{text[strings.LastIndexByte(text, '/')+1:]})
	}
	return paths.PlainText(text) && !c.secretByName(text)
}

func (c *classifier) secretByName(text string) bool {
	return c.x.lists.Secrets.File(paths.WindowsSpelling(text)) != ""
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
