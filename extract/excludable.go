package extract

import (
	"slices"

	"policyd/extract/lists"
	"policyd/extract/shell"
)

// excludable reports whether a command that reaches a secret would reach none with the
// exclusions: it is extracted again with them, and nothing of that is kept. Only trees that the
// command walks itself are affected; names that another command finds are not.
func (e *extraction) excludable(c *shell.Command, line string) bool {
	walks := func(a shell.Access) bool { return a.Tree && !a.FromStream && a.Tracked == nil }
	if len(e.x.lists.Exclusions) == 0 || !slices.ContainsFunc(c.Accesses, walks) {
		return false
	}
	trial := *c
	trial.Accesses = slices.Clone(c.Accesses)
	for i := range trial.Accesses {
		if a := &trial.Accesses[i]; walks(*a) {
			a.Exclude = lists.Concat(a.Exclude, e.x.lists.Exclusions)
		}
	}
	before := e.mark()
	index := e.command(&trial, line)
	secret := e.facts.Items[index].Caveats.Has(reachesSecret)
	e.facts.Items, e.facts.Paths = e.facts.Items[:before.items], e.facts.Paths[:before.paths]
	e.forgetDoubts(before)
	return !secret
}

// mark is how far the facts were made at some time.
type mark struct {
	items, paths, doubts int
	messy, complete      bool
}

func (e *extraction) mark() mark {
	f := &e.facts
	return mark{len(f.Items), len(f.Paths), len(f.Doubts), f.Messy, f.Complete}
}

// forgetDoubts takes back what was not understood since a mark.
func (e *extraction) forgetDoubts(since mark) {
	e.facts.Messy, e.facts.Complete, e.facts.Doubts = since.messy, since.complete, e.facts.Doubts[:since.doubts]
}

// exclude adds a caveat to the item of a command that would reach no secret if it left out the
// names that an exclusion hint lists (data.policyd.config.exclusions).
func (e *extraction) exclude(index int, c *shell.Command, line string) {
	item := &e.facts.Items[index]
	if !item.Caveats.Has(reachesSecret) || !e.excludable(c, line) {
		return
	}
	item = &e.facts.Items[index] // the trial may have moved them
	item.Caveats = e.room.set(append(slices.Clone(item.Caveats), "secret_excludable")...)
}
