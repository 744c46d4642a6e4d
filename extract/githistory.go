package extract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/git/history"
	"policyd/extract/git/trust"
	"policyd/extract/shell"
)

//go:embed gitwalks.json
var gitWalksJSON []byte

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

func loadGitWalks() (*gitWalks, error) {
	var walks gitWalks
	if err := json.Unmarshal(gitWalksJSON, &walks); err != nil {
		return nil, fmt.Errorf("load git walks: %w", err)
	}
	return &walks, nil
}

// historyOf are the commits that a command prints contents of, by its revisions and limited by
// pathspecs. Where the shell makes words of them, all count.
func (e *extraction) historyOf(c *shell.Command, reader *gitReader, revisions, specs []string) history.Query {
	has := func(option string) bool { _, ok := c.Form.Get(option); return ok }
	walks := e.x.gitWalks
	if reader.Commits == "" {
		return history.Query{}
	}
	of := history.Query{
		Walks: reader.Commits == "walked" || reader.Commits == "named" && slices.ContainsFunc(walks.Walked, has),
		Alone: reader.Commits == "trees",
		Logs:  reader.Commits == "logs" || slices.ContainsFunc(walks.Logs, has),
	}
	if reader.Commits == "all" {
		return history.Query{All: true, Walks: true}
	}
	of.All = of.Logs || slices.ContainsFunc(walks.All, has) || !c.Git.Dashes && len(c.Git.Patterns) > 0 || takesRefs(c)
	for _, word := range revisions {
		if reader.Numbers && strings.Trim(word, "0123456789") == "" {
			word = reader.Start + "@{" + word + "}"
		}
		of.Revisions = append(of.Revisions, word)
	}
	if len(of.Revisions) == 0 && reader.Start != "" && (len(reader.StartWith) == 0 || slices.ContainsFunc(reader.StartWith, has)) {
		of.Revisions = []string{reader.Start}
	}
	if reader.Counts && len(specs) == 0 && !slices.ContainsFunc(c.Form, func(entry v1.Entry) bool { return entry.Name[0] == '-' && !slices.Contains(walks.Counted, entry.Name) }) {
		of.Count = c.Git.Count
	}
	return of
}

// pastReach says whether a secret is among the files that commits hold, as far as pathspecs
// select them, and notes on the item where it is.
func (e *extraction) pastReach(item *v1.Item, verdict trust.Verdict, of history.Query, specs []string, dir string) string {
	if len(of.Revisions) == 0 && !of.All {
		return reachesNone
	}
	of.Budget = &e.pastBudget
	answer := e.secretAmong(verdict, func(visit func(path string) bool) error {
		return e.past().Held(verdict.Repository, of, specs, dir, visit)
	})
	if answer == reachesSecret && e.sought == nil {
		item.Caveats.Add("secret_in_commits")
	}
	return answer
}

// textsAlone reports whether pathspecs select source texts alone, as far as their names tell.
func (e *extraction) textsAlone(specs []string) bool {
	return len(specs) > 0 && !slices.ContainsFunc(specs, func(spec string) bool { return strings.HasPrefix(spec, ":") || !e.textByName(spec) })
}
