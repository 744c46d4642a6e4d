package extract

import (
	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/shell/memo"
)

// Forget drops what lines were explained as.
func (b *Base) Forget() { b.builtin.lines = memo.New(b.builtin.table) }

// WalkTwice says what a tree reaches, twice in one call, with something done between.
func (x *Extractor) WalkTwice(call *v1.Call, root string, between func()) (first, second string) {
	e := x.begin(call)
	defer e.end()
	e.session()
	e.surroundings(nil)
	first = e.trees.Reach(disk.Tree{Root: root}, nil)
	between()
	return first, e.trees.Reach(disk.Tree{Root: root}, nil)
}

// NoPlaces is of how many directories it is remembered which places they lack.
func (x *Extractor) NoPlaces() int { return len(x.programMemory.NoPlaces.Known) }

// NoPrograms is of how many directories it is known which programs are missing.
func (x *Extractor) NoPrograms() int { return len(x.programMemory.NoPrograms.Known) }

// KnownTools are the names of all tools and methods that the built-in catalog knows of an
// agent.
func KnownTools(b *Base, agent string) []string {
	c, names := b.builtin.catalog, []string{}
	for _, entry := range c.Clients {
		for name := range entry.Tools {
			if who := c.Identify(agent, name, ""); who.Known {
				names = append(names, name)
			}
		}
	}
	for name := range c.ACP {
		names = append(names, name)
	}
	return names
}

// Listings is how many directories are remembered for contained runs.
func (x *Extractor) Listings() int { return len(x.listings.Known) }
