package clients_test

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/internal/clients/reply"
)

// events are those in which a client waits for an answer.
var events = map[string][]string{
	"claude": {"PreToolUse", "PermissionRequest"}, "codex": {"PreToolUse", "PermissionRequest"}, "gemini": {"BeforeTool"},
	"opencode": {"tool.execute.before", "permission.asked"}, "copilot": {"preToolUse", "permissionRequest"},
	"cursor": {"preToolUse", "beforeShellExecution", "beforeReadFile", "beforeMCPExecution"},
}

// TestNoVerdictButAllowRunsATool checks, for every client, event and verdict, and also without a reason, that
// only an allow lets the client run the tool, and that a deny blocks it. Codex and Cursor never get an ask.
func TestNoVerdictButAllowRunsATool(t *testing.T) {
	assert.Len(t, events, len(reply.Clients()))
	for client, names := range events {
		for _, event := range append(names, "", "an event that nobody knows") {
			for _, reason := range []string{"", "why", "\x00\"\u202e</script>"} {
				for verdict, allowed := range map[reply.Verdict][]string{
					reply.Deny: {blocks}, reply.Ask: {asks, blocks}, reply.Nothing: {leaves, asks, blocks}, 200: {blocks},
				} {
					made := reply.For(client, event, verdict, reason)
					shape := event
					if event != names[0] && event != names[len(names)-1] {
						shape = names[0] // it counts as a tool call
					}
					got := answer{body: bytes.TrimSpace(made.Body), exit: strconv.Itoa(made.Exit)}
					does := outcome(client, shape, got)
					if client == "cursor" {
						assert.Equal(t, blocks, does)
					}
					if client == "codex" {
						assert.NotEqual(t, asks, does)
					}
					assert.Containsf(t, allowed, does, "%s %q %d: %s", client, event, verdict, got.body)
				}
			}
		}
	}
}

// TestAllowHasTheClientsForm checks what an allow looks like.
func TestAllowHasTheClientsForm(t *testing.T) {
	for client, names := range events {
		for _, event := range names {
			made := reply.For(client, event, reply.Allow, "why")
			does := outcome(client, event, answer{body: bytes.TrimSpace(made.Body), exit: strconv.Itoa(made.Exit)})
			if client == "codex" && event == "PreToolUse" {
				assert.Equal(t, leaves, does, "it can't be said")
				continue
			}
			assert.Equalf(t, runs, does, "%s %s", client, event)
			assert.Contains(t, string(made.Body), "allow")
		}
	}
	for _, event := range []string{"SessionStart", "sessionEnd"} {
		for client := range events {
			assert.Equal(t, "{}", string(bytes.TrimSpace(reply.For(client, event, reply.Deny, "x").Body)))
		}
	}
}
