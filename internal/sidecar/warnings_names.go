package sidecar

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"policyd/extract/catalog"
	"policyd/internal/clients"
	"policyd/internal/config"
)

// nameWarnings are agents and tools in the settings that nothing is called by: what a
// misspelt name should deny is not denied.
func (s *Settings) nameWarnings() []string {
	agents, _ := s.Settings()["agents"].(map[string]any)
	known, err := catalog.AgentNames()
	if err != nil {
		return []string{fmt.Sprintf("names in agents can't be checked: %v", err)}
	}
	var found []string
	added := s.addedTools()
	known = append(known, slices.Collect(maps.Keys(added))...)
	for _, agent := range slices.Sorted(maps.Keys(agents)) {
		if !slices.Contains(known, strings.ToLower(agent)) {
			found = append(found, fmt.Sprintf("agents.%s: no agent program that policyd knows has this name%s; it counts only for a host that calls its agent so",
				agent, meant(agent, known)))
		}
		if hooked := hookedName(agent); hooked != "" && hooked != agent {
			found = append(found, fmt.Sprintf("agents.%s: hooks that policyd installs call this agent %s, so this entry doesn't count for them", agent, hooked))
		}
		its, _ := agents[agent].(map[string]any)
		denied, _ := its["deny_tools"].([]any)
		tools, err := catalog.ToolNames(agent)
		if err != nil {
			return append(found, fmt.Sprintf("names in agents can't be checked: %v", err))
		}
		tools = slices.Concat(tools, added[strings.ToLower(agent)], added["generic"])
		for _, entry := range denied {
			tool := fmt.Sprint(entry)
			// Only the client knows the tools of MCP servers.
			if slices.Contains(tools, tool) || strings.HasPrefix(tool, "mcp") {
				continue
			}
			found = append(found, fmt.Sprintf("agents.%s.deny_tools: %s is neither a kind of tool nor a tool that policyd knows of this agent%s; it denies only a tool of exactly this name",
				agent, tool, meant(tool, tools)))
		}
	}
	return found
}

// addedTools are the tools of the file that adds to the catalog, by client in lower case. It is empty if the
// file can't be used; another check warns of that.
func (s *Settings) addedTools() map[string][]string {
	added := map[string][]string{}
	if s.CatalogFile == "" {
		return added
	}
	content, err := config.ReadOperatorFile(s.CatalogFile)
	if err != nil {
		return added
	}
	file, err := config.ParseCatalog(s.CatalogFile, content, s.Env)
	if err != nil {
		return added
	}
	clients, _ := file.Values["clients"].(map[string]any)
	for name, value := range clients {
		client, _ := value.(map[string]any)
		tools, _ := client["tools"].(map[string]any)
		added[strings.ToLower(name)] = slices.Collect(maps.Keys(tools))
	}
	return added
}

// meant suggests the nearest name, if one is near.
func meant(name string, known []string) string {
	best, least := "", 3
	for _, other := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(other), least); d < least && d < len(name) {
			best, least = other, d
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// distance is the edit distance of two names (Levenshtein), or most if it is larger.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], most)
}

// hookedName is the agent's name in hooks of a client, empty for an unknown client.
func hookedName(name string) string {
	client, known := clients.ByName(name)
	if !known {
		return ""
	}
	return client.Agent
}
