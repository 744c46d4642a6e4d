package extract

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/catalog"
	"policyd/extract/disk"
)

// maxMCPWalks bounds the directories of one call that are walked. Beyond it the call has the risk.
const maxMCPWalks = 16

// secretsBelow is the risk of a call that names a directory with a secret below it, or one of which
// that is not known. The risk of a path class is its name with belowClass behind it.
const (
	secretsBelow = "secrets below"
	belowClass   = " below"
)

// below adds risks to the tool if a path is a directory: the tool may read everything in it, so an
// approval that was given for a call without secrets does not cover one with them. Tools that the
// catalog lists as nonrecursive look at the directory alone.
func (u *uncatalogued) below(p *v1.Path) {
	if u.secretsOnly || slices.Contains(u.e.x.catalog.MCPNonrecursive, u.tool) {
		return
	}
	switch {
	case p.Caveats.Has("unseen"):
		u.risks.Add(secretsBelow)
	case p.Caveats.Has("directory"):
		u.walk(p.Real)
	}
}

// belowNamed does the same for a name that is not among the paths of the facts.
func (u *uncatalogued) belowNamed(name string) {
	full := u.e.view.Absolute(name, u.e.facts.Cwd)
	if full == "" {
		return
	}
	resolved, err := u.e.view.Resolve(full)
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
	u.below(&p)
}

// walk looks through a directory as a recursive search does that leaves nothing out.
func (u *uncatalogued) walk(dir string) {
	var found v1.Item
	if u.walks++; u.walks > maxMCPWalks {
		found.Caveats.Add(disk.ReachesUnknown)
	} else {
		u.e.classes.Reach(&found, func() string { return u.e.trees.Reach(disk.Tree{Root: dir}, nil) })
	}
	if found.Caveats.Has(disk.ReachesSecret) || found.Caveats.Has(disk.ReachesUnknown) {
		u.risks.Add(secretsBelow)
	}
	for i := range u.e.x.Lists.Classes {
		class := &u.e.x.Lists.Classes[i]
		if class.Judged && (found.Reaches.Has(class.Name) || found.Caveats.Has(disk.ReachesUnknown)) {
			u.risks.Add(class.Name + belowClass)
		}
	}
}

// language adds the risk of an argument whose name says that it holds statements of a language that
// is not read.
func (u *uncatalogued) language(name string) {
	for _, word := range catalog.NameWords(name) {
		if risk := u.e.x.catalog.MCPLanguages[word]; risk != "" {
			u.risks.Add(risk)
		}
	}
}
