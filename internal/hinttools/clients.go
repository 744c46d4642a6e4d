package hinttools

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

//go:embed clients.json
var clientsJSON []byte

// Client is what an agent program gives the MCP servers that it starts, seen with
// the programs themselves.
type Client struct {
	// Agent is the name of its sessions' agent.
	Agent string `json:"agent"`
	// Environment are variables that hold the session's id when the server starts.
	Environment []string `json:"environment"`
	// Meta are members of a call's _meta that hold it. The first that is there counts.
	Meta []string `json:"meta"`
	// Project are variables that hold the project's directory; without them it is
	// the directory that the server was started in.
	Project []string `json:"project"`
}

// Clients are the known agent programs, by the names that `policyd hook` gives them.
func Clients() (map[string]Client, error) {
	var clients map[string]Client
	if err := json.Unmarshal(clientsJSON, &clients); err != nil {
		return nil, fmt.Errorf("read clients: %w", err)
	}
	return clients, nil
}

// Names are the names of clients, in order.
func Names(clients map[string]Client) []string { return slices.Sorted(maps.Keys(clients)) }
