// Package gitreach says what git commands print of files and commits, and what only their repository tells of them.
package gitreach

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"policyd/extract/shell/command"
)

//go:embed local.json readers.json stores.json walks.json
var tableFiles embed.FS

// Tables say which git commands print contents, of which commits, and what else they print. It may be used
// concurrently.
type Tables struct {
	// readers are the commands that print contents, by verb chain, walks the options that say of which commits.
	readers map[string]gitReader
	walks   *gitWalks
	Stores  *gitStores
	// local are the options with which commands open no object, by verb chain; the empty one is for none at all.
	// Those of git itself count for each command.
	local map[string][]string
}

// Load reads the embedded tables.
func Load() (*Tables, error) {
	t := Tables{walks: &gitWalks{}, Stores: &gitStores{}}
	for name, table := range map[string]any{"readers": &t.readers, "walks": t.walks, "stores": t.Stores, "local": &t.local} {
		text, err := tableFiles.ReadFile(name + ".json")
		if err != nil {
			return nil, fmt.Errorf("load git tables: %w", err)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(table); err != nil {
			return nil, fmt.Errorf("load git %s: %w", name, err)
		}
	}
	return &t, nil
}

// opensObjects reports whether a command may open an object: a partial clone fetches each that it lacks. Of
// revisions HEAD alone is resolved without.
func (t *Tables) opensObjects(c *command.Command) bool {
	if len(c.Git.Patterns)+len(c.Git.Staged)+c.Git.Objects.Words > 0 || takesRefs(c) ||
		slices.ContainsFunc(c.Git.Revisions, func(word string) bool { return word != "HEAD" }) ||
		slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool { return strings.HasPrefix(spec, ":") }) { // it may ask for attributes
		return true
	}
	var options []string
	for _, entry := range c.Form {
		if entry.Name[0] == '-' && !slices.Contains(t.local["git"], entry.Name) {
			options = append(options, entry.Name)
		}
	}
	if len(options) == 0 {
		options = []string{""}
	}
	return slices.ContainsFunc(options, func(option string) bool { return !slices.Contains(t.local[c.Verb], option) })
}
