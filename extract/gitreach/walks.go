package gitreach

import (
	"slices"

	v1 "policyd/api/v1"
)

// gitWalks are options that say which commits git prints.
type gitWalks struct {
	// All are those with which it begins elsewhere than at the revisions that are named, Logs
	// those with which it does so at what refs were before.
	All  []string `json:"all"`
	Logs []string `json:"logs"`
	// Walked are those with which it goes on to what came before, where it prints only what is
	// named otherwise.
	Walked []string `json:"walked"`
	// Counted are those with which it prints the youngest commits, whatever they are: with
	// another one a number of commits may lead any way back.
	Counted []string `json:"counted"`
}

// counts reports whether with an entry of a command's form a number of commits may lead any way back.
func (w *gitWalks) counts(entry v1.Entry) bool {
	return entry.Name[0] == '-' && !slices.Contains(w.Counted, entry.Name)
}
