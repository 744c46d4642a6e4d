package extract

import (
	"strings"

	"policyd/extract/lists"
)

// sensitiveIn resolves the sensitive roots of one home. The returned slice is
// shared, and full to its capacity. Only homes in which none of them is a symbolic
// link are remembered: what a link leads to can change without a trace in the directory.
func (e *extraction) sensitiveIn(dir string) []lists.Root {
	if known, ok := e.x.homes.Recall(&e.view, dir); ok {
		return known
	}
	stamp := e.view.Before(dir)
	names := e.x.lists.InHome(dir, e.x.options.Home)
	entries := make([]lists.Root, 0, len(names))
	plain := true
	for _, name := range names {
		resolved, err := e.view.Resolver.Resolve(name)
		if err != nil {
			plain = false
			continue
		}
		// Of what lies deeper the home's own stamp says nothing.
		plain = plain && len(resolved.Links) == 0 && strings.Count(name[len(dir):], "/") <= 1
		entries = append(entries, lists.Root{Real: resolved.Real, Itself: name == dir})
	}
	entries = entries[:len(entries):len(entries)]
	if plain && stamp.Present() {
		e.x.homes.Put(dir, stamp, entries)
	}
	return entries
}
