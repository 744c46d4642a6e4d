package render_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

// FuzzRendering checks that whatever an agent makes a prompt say, a message is valid, within its channel's
// limits, and no text of it is markup, link or mention (A11).
func FuzzRendering(f *testing.F) {
	for _, text := range []string{
		"git push", "```\n<!channel>", "a```", "``", "`", "\n\n\n", "<https://evil.example|x>", "@everyone", "&lt;", "\x1b[2J", "\u202e",
		strings.Repeat("<", 3000), strings.Repeat("漢🙂", 3000), strings.Repeat("`", 9000), strings.Repeat("\n", 5000), " ", "\xff",
	} {
		f.Add(text, text, text, "once", v1.PromptPending, true)
		f.Add("git push", text, "because", "deny", v1.PromptAnswered, false)
		f.Add("git push", "s-1", text, text, text, false)
	}
	f.Fuzz(func(t *testing.T, command, name, reason, key, state string, many bool) {
		prompt := asked(func(p *v1.Prompt) {
			p.Title, p.Call.Text, p.Call.Reason, p.State = "Approve "+name+"?", command, reason, state
			p.Call.Cwd, p.Call.Agent, p.Call.SessionID, p.Call.GrantRoot = name, name, name, name
			p.Choices = append(p.Choices, v1.Choice{Key: key, Label: name, Saves: command})
			if many {
				p.Verbs, p.Call.Paths = []string{name, command}, []string{name, command, reason}
			}
			if state != v1.PromptPending {
				p.Answer = &v1.PromptAnswer{By: name, Resolution: reason}
			}
		})
		holdsText(t, prompt)
		holdsSlack(t, prompt)
		holdsDiscord(t, prompt)
	})
}

// units is how Slack and Discord count, distinguished from the code under test.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

func choiceKeys(prompt *v1.Prompt) []string {
	var keys []string
	for _, choice := range prompt.Choices {
		keys = append(keys, choice.Key)
	}
	return keys
}

var control = regexp.MustCompile(`[\x00-\x09\x0b-\x1f\x7f\x{80}-\x{9f}\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

func holdsText(t *testing.T, prompt *v1.Prompt) {
	t.Helper()
	got := render.Text(prompt)
	if found := control.FindString(strings.ReplaceAll(got, "\t", " ")); found != "" {
		t.Errorf("a control character is left: %q", found)
	}
	for i, line := range strings.Split(strings.TrimSuffix(got, "\n"), "\n") {
		require.Truef(t, i == 0 || strings.HasPrefix(line, "  "), "a line of its own: %q", line)
	}
}

// decoded is a message as its receiver reads it.
func decoded[T any](t *testing.T, message any) T {
	t.Helper()
	var value T
	require.NoError(t, json.Unmarshal([]byte(indented(message)), &value))
	return value
}

var entity = regexp.MustCompile(`&(amp|lt|gt);`)

// inertSlack checks that a text can't hold Slack's markup.
func inertSlack(t *testing.T, text string, limit int) {
	t.Helper()
	assert.LessOrEqual(t, units(text), limit)
	assert.NotEmpty(t, text)
	assert.NotContains(t, text, "<")
	assert.NotContains(t, text, ">")
	assert.NotContains(t, entity.ReplaceAllString(text, ""), "&")
	assert.Empty(t, control.FindString(strings.NewReplacer("\n", "", "\t", "").Replace(text)))
}

func holdsSlack(t *testing.T, prompt *v1.Prompt) {
	t.Helper()
	type text struct {
		Type, Text string
		Verbatim   bool
		Emoji      *bool
	}
	message := decoded[struct {
		Blocks []struct {
			Type     string
			Text     *text
			Elements []struct {
				Type, Style, Value string
				ActionID           string `json:"action_id"`
				Text               json.RawMessage
			}
		}
	}](t, render.Slack(prompt))
	require.LessOrEqual(t, len(message.Blocks), 50)
	for _, block := range message.Blocks {
		if block.Text != nil {
			inertSlack(t, block.Text.Text, 3000)
			if block.Text.Type == "mrkdwn" {
				require.True(t, block.Text.Verbatim)
				inertFence(t, block.Text.Text)
			}
		}
		switch block.Type {
		case "section":
			require.NotNil(t, block.Text)
		case "context":
			require.LessOrEqual(t, len(block.Elements), 10)
			for _, element := range block.Elements {
				var shown string
				require.NoError(t, json.Unmarshal(element.Text, &shown))
				assert.Equal(t, "plain_text", element.Type)
				inertSlack(t, shown, 3000)
			}
		case "actions":
			require.Equal(t, v1.PromptPending, prompt.State)
			require.LessOrEqual(t, len(block.Elements), 25)
			for _, button := range block.Elements {
				var label text
				require.NoError(t, json.Unmarshal(button.Text, &label))
				assert.Equal(t, "plain_text", label.Type)
				inertSlack(t, label.Text, 75)
				assert.Contains(t, choiceKeys(prompt), button.ActionID)
				assert.LessOrEqual(t, len(button.ActionID), 255)
				assert.Equal(t, prompt.ID, button.Value)
				assert.Contains(t, []string{"", "primary", "danger"}, button.Style)
			}
		default:
			t.Errorf("a block of the type %q", block.Type)
		}
	}
}

// inertFence checks that a text is one code block and nothing else.
func inertFence(t *testing.T, text string) {
	t.Helper()
	inner, opened := strings.CutPrefix(text, "```\n")
	inner, closed := strings.CutSuffix(inner, "\n```")
	require.Truef(t, opened && closed, "no code block: %q", text)
	require.NotContains(t, inner, "```", "the code block ends early")
	require.NotEmpty(t, strings.TrimSpace(inner), "a blank code block is none")
}

func holdsDiscord(t *testing.T, prompt *v1.Prompt) {
	t.Helper()
	message := decoded[render.DiscordMessage](t, render.Discord(prompt))
	assert.Equal(t, []string{}, message.AllowedMentions.Parse)
	require.Len(t, message.Embeds, 1)
	embed := message.Embeds[0]
	total := units(embed.Title) + units(embed.Description)
	assert.LessOrEqual(t, units(embed.Title), 256)
	assert.LessOrEqual(t, units(embed.Description), 4096)
	if embed.Description != "" {
		inertFence(t, embed.Description)
	}
	require.LessOrEqual(t, len(embed.Fields), 25)
	for _, field := range embed.Fields {
		total += units(field.Name) + units(field.Value)
		assert.LessOrEqual(t, units(field.Value), 1024)
		assert.Regexp(t, `^[a-z]+$`, field.Name)
		if field.Name != "note" {
			inertFence(t, field.Value)
		}
	}
	assert.LessOrEqual(t, total, 6000)
	require.LessOrEqual(t, len(message.Components), 5)
	for _, row := range message.Components {
		require.Equal(t, v1.PromptPending, prompt.State)
		require.True(t, len(row.Components) > 0 && len(row.Components) <= 5)
		for _, button := range row.Components {
			assert.LessOrEqual(t, units(button.CustomID), 100)
			assert.LessOrEqual(t, units(button.Label), 80)
			assert.NotEmpty(t, button.Label)
			key, found := strings.CutPrefix(button.CustomID, "policyd:"+prompt.ID+":")
			assert.True(t, found && slices.Contains(choiceKeys(prompt), key))
			assert.Contains(t, []int{1, 2, 4}, button.Style)
		}
	}
}
