package extract

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
)

// room is the memory of the facts of one call, made at once. It leaves with the
// facts: no later call writes to it.
type room struct {
	items   [4]v1.Item
	paths   [4]v1.Path
	about   [12]string
	verbs   [4]string
	names   [4]string
	entries [12]v1.Entry
	texts   [40]string
	// How many of the last two are taken.
	usedEntries, usedTexts int
}

// set copies names to where nobody else writes.
func (r *room) set(names ...string) v1.Set {
	if len(names) == 0 {
		return nil
	}
	if r.usedTexts+len(names) > len(r.texts) {
		return slices.Clone(v1.Set(names))
	}
	from := r.usedTexts
	r.usedTexts += copy(r.texts[from:], names)
	return r.texts[from:r.usedTexts:r.usedTexts]
}

// form does the same for a form.
func (r *room) form(entries v1.Form) v1.Form {
	if len(entries) == 0 {
		return nil
	}
	if r.usedEntries+len(entries) > len(r.entries) {
		return slices.Clone(entries)
	}
	from := r.usedEntries
	r.usedEntries += copy(r.entries[from:], entries)
	return r.entries[from:r.usedEntries:r.usedEntries]
}

// begin starts the work on a call.
func (x *Extractor) begin(call *v1.Call) *extraction {
	e, ok := x.pool.Get().(*extraction)
	if !ok {
		e = &extraction{}
		e.view = disk.NewView(&e.scope)
	}
	e.wire(x, call)
	made := e.facts.room
	e.facts.Items, e.facts.Paths = made.items[:0], made.paths[:0]
	e.facts.About, e.facts.Verbs, e.facts.Names = made.about[:0], made.verbs[:0], made.names[:0]
	return e
}

// end gives an extraction back for another call. It remembers nothing of this one: neither what it
// holds nor what was seen on the disk.
func (e *extraction) end() {
	x := e.x
	e.view.End()
	*e = extraction{view: e.view, lineReaders: lineReaders{commands: commands{asks: e.commands.asks}}}
	x.pool.Put(e)
}
