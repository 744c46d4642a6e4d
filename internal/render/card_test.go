package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

// TestCardMarksWhatDeservesALook checks A11 for pages: nothing is left out of a text, and what looks like
// something else is marked.
func TestCardMarksWhatDeservesALook(t *testing.T) {
	for text, want := range map[string][]render.Segment{
		"git push":             {{Text: "git push"}},
		"git рush":             {{Text: "git "}, {Text: "рush", Mark: render.MarkMixed}},
		`a\x1b[2J`:             {{Text: "a"}, {Text: `\x1b`, Mark: render.MarkEscape}, {Text: "[2J"}},
		`a\u202eb\U000e0041\r`: {{Text: "a"}, {Text: `\u202e`, Mark: render.MarkEscape}, {Text: "b"}, {Text: `\U000e0041\r`, Mark: render.MarkEscape}},
		"⏎ ×300\nmake ␠ ×90 x": {{Text: "⏎ ×300", Mark: render.MarkFold}, {Text: "\nmake "}, {Text: "␠ ×90", Mark: render.MarkFold}, {Text: " x"}},
		"ab…":                  {{Text: "ab"}, {Text: "…", Mark: render.MarkCut}},
		`\q \x1 \u12`:          {{Text: `\q \x1 \u12`}},
	} {
		got := render.Segments(text, true)
		assert.Equal(t, want, got, text)
		var whole strings.Builder
		for _, part := range got {
			whole.WriteString(part.Text)
		}
		assert.Equal(t, text, whole.String())
	}
	assert.Equal(t, []render.Segment{{Text: `printf \x1b…`}}, render.Segments(`printf \x1b…`, false), "the agent's own characters")
}

// TestCardOffersWhatTheTextAllows checks that a card gives no answer that other forms don't.
func TestCardOffersWhatTheTextAllows(t *testing.T) {
	prompt := v1.Prompt{
		ID: "p-1", State: v1.PromptPending, Title: "Approve git push?", Verbs: []string{"git push"},
		Call:    v1.PromptCall{Text: "git push\x1b[2J", Paths: []string{"/a\nb"}},
		Choices: []v1.Choice{{Key: "once", Label: "Once"}, {Key: "always_anywhere", Label: "Always\x1b", Saves: "git push anywhere"}, {Key: "deny", Label: "Deny"}},
	}
	card := render.NewCard(&prompt)
	keys := []string{}
	for _, choice := range card.Choices {
		keys = append(keys, choice.Key)
	}
	assert.Equal(t, []string{"once", "deny"}, keys)
	assert.NotEmpty(t, card.Note)
	assert.Equal(t, []string{`/a\nb`}, card.Paths)
	prompt.Call = v1.PromptCall{Text: "git push"}
	card = render.NewCard(&prompt)
	assert.Len(t, card.Choices, 3)
	assert.Equal(t, "danger", card.Choices[1].Style)
	assert.Equal(t, `Always\x1b`, card.Choices[1].Label)
}
