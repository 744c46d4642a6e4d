package extract

import (
	"slices"

	"policyd/extract/shell"
)

// excludable reports whether a command that reaches a secret would reach none with the
// exclusions: it is extracted again with them, and nothing of that is kept. Only trees that the
// command walks itself are affected; names that another command finds are not.
func (e *extraction) excludable(c *shell.Command, line string) bool {
	walks := func(a shell.Access) bool { return a.Tree && !a.Fed && a.Tracked == nil }
	if len(e.x.lists.exclusions) == 0 || e.excluding || !slices.ContainsFunc(c.Accesses, walks) {
		return false
	}
	trial := *c
	trial.Accesses = slices.Clone(c.Accesses)
	for i := range trial.Accesses {
		if a := &trial.Accesses[i]; walks(*a) {
			a.Exclude = concat(a.Exclude, e.x.lists.exclusions)
		}
	}
	items, paths, doubts := len(e.facts.Items), len(e.facts.Paths), len(e.facts.Doubts)
	messy, complete := e.facts.Messy, e.facts.Complete
	e.excluding = true
	e.command(&trial, line)
	e.excluding = false
	secret := e.facts.Items[items].Caveats.Has(reachesSecret)
	e.facts.Items, e.facts.Paths, e.facts.Doubts = e.facts.Items[:items], e.facts.Paths[:paths], e.facts.Doubts[:doubts]
	e.facts.Messy, e.facts.Complete = messy, complete
	return !secret
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
