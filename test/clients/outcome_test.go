package clients_test

import (
	"encoding/json"
	"slices"
)

// What a client does on a reply.
const (
	runs   = "runs the tool"
	blocks = "blocks the tool"
	asks   = "asks its user"
	leaves = "goes by its own rules" // which may run the tool
)

// outcome is what a client does on a hook's reply, by what the real programs were
// seen to do (Cursor and Copilot's permissionRequest: by their documentation). It
// knows nothing of the code that makes replies.
func outcome(client, event string, got answer) string {
	if got.exit == "2" && client != "cursor" {
		return runs // Gemini and Codex: a hook that ends with 2 and writes nothing to standard error
	}
	var reply map[string]any
	if json.Unmarshal(got.body, &reply) != nil {
		return runs
	}
	switch client {
	case "claude", "codex":
		return hookSpecific(client, event, reply)
	case "gemini":
		return word(reply, "decision", "reason", runs)
	case "opencode":
		return word(reply, "decision", "reason", runs)
	case "copilot":
		if event == "permissionRequest" {
			return word(reply, "behavior", "message", leaves)
		}
		return word(reply, "permissionDecision", "permissionDecisionReason", leaves)
	case "cursor":
		if reply["permission"] == "deny" && got.exit != "2" {
			return runs // nobody has seen it refuse by the word alone
		}
		return word(reply, "permission", "", runs)
	}
	return runs
}

// word reads the reply of a client that takes one word.
func word(reply map[string]any, key, reason, otherwise string) string {
	if len(reply) == 0 {
		return otherwise
	}
	said, _ := reply[key].(string)
	why, _ := reply[reason].(string)
	switch {
	case said == "allow":
		return runs
	case said == "deny" && (why != "" || reason == ""):
		return blocks
	case said == "ask" && why != "":
		return asks
	}
	return runs
}

// hookSpecific reads the reply of Claude and Codex: both run the tool where the event's name is missing or
// another, Codex where the reason is missing or any other key is there.
func hookSpecific(client, event string, reply map[string]any) string {
	if len(reply) == 0 {
		return leaves
	}
	output, _ := reply["hookSpecificOutput"].(map[string]any)
	if len(reply) != 1 || output["hookEventName"] != event {
		return runs
	}
	if event == "PermissionRequest" {
		decision, _ := output["decision"].(map[string]any)
		if len(output) != 2 || !only(decision, "behavior", "message") {
			return runs
		}
		return word(decision, "behavior", "message", runs)
	}
	if !only(output, "hookEventName", "permissionDecision", "permissionDecisionReason") {
		return runs
	}
	said := word(output, "permissionDecision", "permissionDecisionReason", runs)
	if client == "codex" && said != blocks {
		return runs // its hook fails, and the call goes on
	}
	return said
}

func only(object map[string]any, keys ...string) bool {
	for key := range object {
		if !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}
