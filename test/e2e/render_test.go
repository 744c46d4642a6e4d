package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestPromptsInOtherForms checks format: text, slack and discord, before and after the answer.
func TestPromptsInOtherForms(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	prompt := s.shell(t, "s", "git push origin main # <!channel>").Prompt
	require.NotNil(t, prompt)
	path := "/v1/prompts/" + prompt.ID
	get := func(role, format string) answer { return s.as(t, role, http.MethodGet, path+"?format="+format, nil) }

	text := get("operator", "text")
	assert.Equal(t, http.StatusOK, text.status)
	assert.Equal(t, "text/plain; charset=utf-8", text.media)
	assert.Contains(t, string(text.body), "> git push origin main # <!channel>\n")
	assert.Contains(t, string(text.body), "  choices  once, session, always_here, always_anywhere, deny\n")
	assert.Contains(t, string(text.body), "  answers  Always anywhere: saves \"git push anywhere\"\n")
	assert.Equal(t, text, get("agent", "text"), "the agent that asked may see it")

	slack := get("operator", "slack")
	assert.Equal(t, "application/json", slack.media)
	assert.Equal(t, []string{"section", "context", "section", "context", "context", "actions"}, slackBlocks(t, slack))
	assert.Contains(t, string(slack.body), "&lt;!channel&gt;")

	discord := must[map[string]json.RawMessage](t, http.StatusOK, get("operator", "discord"))
	assert.JSONEq(t, `{"parse":[]}`, string(discord["allowed_mentions"]))
	assert.Contains(t, string(discord["components"]), `"custom_id":"policyd:`+prompt.ID+`:always_anywhere"`)

	assert.Equal(t, prompt.ID, must[v1.Prompt](t, http.StatusOK, get("operator", "json")).ID)
	refuses(t, get("operator", "html"), http.StatusBadRequest, "invalid_parameter")

	// A held request answers in its form, and an ended prompt has no buttons.
	held := s.hold(t, http.MethodGet, path+"?wait=5m&format=slack", nil)
	s.reply(t, prompt, "once")
	ended := held()
	assert.Equal(t, []string{"section", "context", "section", "context", "section"}, slackBlocks(t, ended))
	assert.Contains(t, string(ended.body), "Approved (no save) (by ada, ")
	assert.Contains(t, string(get("operator", "text").body), "Approved (no save) (by ada, ")
	discord = must[map[string]json.RawMessage](t, http.StatusOK, get("operator", "discord"))
	assert.JSONEq(t, `[]`, string(discord["components"]))
}

// slackBlocks are the types of a message's blocks.
func slackBlocks(t *testing.T, got answer) []string {
	t.Helper()
	message := must[struct{ Blocks []struct{ Type string } }](t, http.StatusOK, got)
	var types []string
	for _, block := range message.Blocks {
		types = append(types, block.Type)
	}
	return types
}
