package reply_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/clients/reply"
)

// TestFailureAlwaysHasAReason: Codex runs a tool that was denied without a reason.
func TestFailureAlwaysHasAReason(t *testing.T) {
	for _, client := range append(reply.Clients(), "unknown", "") {
		got := reply.Failure(client, nil, "")
		assert.Contains(t, string(got.Body), "policyd refuses the call", client)
		assert.Equal(t, 2, got.Exit, client)
	}
}

// FuzzFailure checks that whatever a payload and a message are, the answer is one JSON object that denies or,
// where a session event was named, is empty.
func FuzzFailure(f *testing.F) {
	for _, client := range append(reply.Clients(), "unknown") {
		f.Add(client, []byte(`{"hook_event_name":"PermissionRequest"}`), "no")
		f.Add(client, []byte(`{"a":{"hook_event_name":"SessionStart"},"hookName":"permissionRequest"`), "no <b>")
		f.Add(client, []byte(`{"hook_event_name":"SessionStart","tool_name":"Bash"}`), "\xff\"\n")
	}
	f.Fuzz(func(t *testing.T, client string, payload []byte, message string) {
		got := reply.Failure(client, payload, message)
		assert.Equal(t, 2, got.Exit)
		assert.NotContains(t, string(got.Body), "\n")
		var output map[string]any
		require.NoErrorf(t, json.Unmarshal(got.Body, &output), "%q", got.Body)
		if len(output) == 0 {
			assert.Regexp(t, `hook`, string(payload), "only a payload that names its event turns the deny off")
			return
		}
		assert.True(t, denies(output), "%q", got.Body)
	})
}

// denies reports whether there is a deny anywhere in the answer: the word, or a false.
func denies(value any) bool {
	switch value := value.(type) {
	case bool:
		return !value
	case string:
		return value == "deny"
	case map[string]any:
		for key, inner := range value {
			if key != "reason" && key != "message" && denies(inner) {
				return true
			}
		}
	}
	return false
}
