package extract

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/scope"
)

// maxMCPWalks bounds the directories of one call that are walked. Beyond it the call has the risk.
const maxMCPWalks = 16

// secretsBelow is the risk of a call that names a directory with a secret below it, or one of which
// that is not known. The risk of a path class is its name with belowClass behind it.
const (
	secretsBelow = "secrets below"
	belowClass   = " below"
)

// directoryRisks finds the risks of a tool that may read everything in the directories that it is given.
type directoryRisks struct {
	view    *disk.View
	cwd     *string
	classes *scope.Classifier
	trees   *disk.Walker
	lists   *lists.Lists
	catalog *catalog.Catalog
	tool    string
	risks   v1.Set
	walks   int // how many directories were walked
}

// below adds risks to the tool if a path is a directory: the tool may read everything in it, so an
// approval that was given for a call without secrets does not cover one with them. Tools that the
// catalog lists as nonrecursive look at the directory alone.
func (d *directoryRisks) below(p *v1.Path) {
	if slices.Contains(d.catalog.MCPNonrecursive, d.tool) {
		return
	}
	switch {
	case p.Caveats.Has("unseen"):
		d.risks.Add(secretsBelow)
	case p.Caveats.Has("directory"):
		d.walk(p.Real)
	}
}

// belowNamed does the same for a name that is not among the paths of the facts.
func (d *directoryRisks) belowNamed(name string) {
	full := d.view.Absolute(name, *d.cwd)
	if full == "" {
		return
	}
	resolved, err := d.view.Resolve(full)
	if err != nil {
		return // the argument itself is looked up, and has the caveat
	}
	p := v1.Path{Real: resolved.Real}
	switch {
	case resolved.Unseen:
		p.Caveats.Add("unseen")
	case resolved.Dir:
		p.Caveats.Add("directory")
	}
	d.below(&p)
}

// walk looks through a directory as a recursive search does that leaves nothing out.
func (d *directoryRisks) walk(dir string) {
	var found v1.Item
	if d.walks++; d.walks > maxMCPWalks {
		found.Caveats.Add(disk.ReachesUnknown)
	} else {
		d.classes.Reach(&found, func() string { return d.trees.Reach(disk.Tree{Root: dir}, nil) })
	}
	if found.Caveats.Has(disk.ReachesSecret) || found.Caveats.Has(disk.ReachesUnknown) {
		d.risks.Add(secretsBelow)
	}
	for i := range d.lists.Classes {
		class := &d.lists.Classes[i]
		if class.Judged && (found.Reaches.Has(class.Name) || found.Caveats.Has(disk.ReachesUnknown)) {
			d.risks.Add(class.Name + belowClass)
		}
	}
}

// language adds the risk of an argument whose name says that it holds statements of a language that
// is not read.
func (d *directoryRisks) language(name string) {
	for _, word := range catalog.NameWords(name) {
		if risk := d.catalog.MCPLanguages[word]; risk != "" {
			d.risks.Add(risk)
		}
	}
}
