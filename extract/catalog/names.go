package catalog

import (
	"maps"
	"slices"
	"strings"
	"sync"

	v1 "policyd/api/v1"
)

// builtInCatalog is the catalog for questions about names alone.
var builtInCatalog = sync.OnceValues(Load)

// AgentNames are the names by which the catalog knows agent programs, sorted.
func AgentNames() ([]string, error) {
	known, err := builtInCatalog()
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(known.Aliases)), nil
}

// ToolNames are the kinds of tools, and the names of the tools that an agent has, sorted.
// An agent that the catalog doesn't know may have the tools of every client.
func ToolNames(agent string) ([]string, error) {
	known, err := builtInCatalog()
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, kind := range v1.ToolKinds() {
		names[kind] = true
	}
	add := func(entry *client) {
		for name := range entry.Tools {
			names[name] = true
		}
	}
	if key, is := known.Aliases[strings.ToLower(agent)]; is {
		for entry := known.Clients[key]; entry != nil; entry = known.Clients[entry.Inherits] {
			add(entry)
		}
	} else {
		for _, entry := range known.Clients {
			add(entry)
		}
	}
	for method := range known.ACP {
		names[method] = true
	}
	return slices.Sorted(maps.Keys(names)), nil
}
