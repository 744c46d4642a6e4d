package extract

import (
	v1 "policyd/api/v1"
	"policyd/extract/shell"
)

// Forget drops what lines were explained as.
func (b *Base) Forget() { b.lines = shell.NewMemo(b.table) }

// WalkTwice says what a tree reaches, twice in one call, with something done between.
func (x *Extractor) WalkTwice(call *v1.Call, root string, between func()) (first, second string) {
	e := x.begin(call)
	defer e.end()
	e.session()
	e.surroundings(nil)
	first = e.tree(root, filter{})
	between()
	return first, e.tree(root, filter{})
}

// NoPlaces is of how many directories it is remembered which places they lack.
func (x *Extractor) NoPlaces() int { return len(x.noPlaces.known) }

// NoPrograms is of how many directories it is known which programs are missing.
func (x *Extractor) NoPrograms() int { return len(x.noPrograms.known) }
