package extract

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
	"policyd/extract/shell"
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

// workspace is what the work on one call needs and its facts don't hold. It is
// used again for other calls, so nothing in it may be handed out.
type workspace struct {
	// asks are the extraction's own answers to what a command line leaves open on
	// the disk, made once.
	asks shell.Options

	arguments  [6]arguments.Argument
	roots      [4]paths.Root
	trusted    [4]string
	sensitives [12]lists.Root
	reals      [8]string
	links      [4]string
	item       v1.Item

	touched touched
	touches [8]string
	caveats [8]string
	within  [32]string
}

// begin starts the work on a call.
func (x *Extractor) begin(call *v1.Call) *extraction {
	e, ok := x.pool.Get().(*extraction)
	if !ok {
		e = &extraction{}
		e.view = disk.NewView(e)
		e.work.asks = shell.Options{Plain: e.view.Direct, Enterable: e.enterable, Readable: e.readable, Textual: e.textual, Toplevel: e.toplevel, Directories: e.directories, Produced: e.produced}
	}
	e.x, e.call = x, call
	made := &room{}
	e.room = made
	e.facts.Items, e.facts.Paths = made.items[:0], made.paths[:0]
	e.facts.About, e.facts.Verbs, e.facts.Names = made.about[:0], made.verbs[:0], made.names[:0]
	return e
}

// end gives the workspace back. It remembers nothing of the call: neither what it
// holds nor what was seen on the disk.
func (e *extraction) end() {
	x := e.x
	e.view.End()
	*e = extraction{view: e.view, work: workspace{asks: e.work.asks}}
	x.pool.Put(e)
}
