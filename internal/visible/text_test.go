package visible_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/internal/visible"
)

// TestWhatIsHiddenIsWritten checks A11.
func TestWhatIsHiddenIsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"git push":         "git push",
		"a\nb\tc":          "a\nb\tc",
		"über ☃ 漢字":        "über ☃ 漢字",
		"\x1b[2Jgone":      `\x1b[2Jgone`,
		"a\rb":             `a\rb`,
		"a\u202eb":         `a\u202eb`,
		"a\u200bb":         `a\u200bb`,
		"a\u00a0b":         `a\u00a0b`,
		"a\u3164b":         `a\u3164b`,
		"a\ufe0fb":         `a\ufe0fb`,
		"a\xffb":           `a\ufffdb`,
		"tag \U000e0041 x": `tag \U000e0041 x`,
	} {
		for name, of := range map[string]func(string) (string, bool){"text": visible.Text, "whole": visible.Whole} {
			shown, altered := of(text)
			assert.Equal(t, want, shown, name)
			assert.Equal(t, want != text, altered, "%s of %q", name, text)
		}
	}
}

// TestEmojiAreSeen: a symbol drawn as an emoji is what it seems in a text. In a name it could represent the
// symbol without a selector.
func TestEmojiAreSeen(t *testing.T) {
	for _, text := range []string{"\u26a0\ufe0f x", "\u2194\ufe0f", "a \u2714\ufe0f b"} {
		shown, altered := visible.Text(text)
		assert.Equal(t, text, shown)
		assert.False(t, altered)
		shown, altered = visible.Line(text)
		assert.Contains(t, shown, `\ufe0f`)
		assert.True(t, altered)
	}
	for _, text := range []string{"\u26a0\ufe0e", "=\ufe0f", "1\ufe0f", "\ufe0f", "\u26a0\ufe0f\ufe0f", "\u26a0\u200d"} {
		_, altered := visible.Text(text)
		assert.True(t, altered, "%q", text)
	}
}

func TestALineIsOneLine(t *testing.T) {
	shown, altered := visible.Line("agent\nsession s-2\tx\x1b")
	assert.Equal(t, `agent\nsession s-2\tx\x1b`, shown)
	assert.True(t, altered)
	shown, altered = visible.Line("claude-code")
	assert.Equal(t, "claude-code", shown)
	assert.False(t, altered)
}

func TestOnlyTextIsCut(t *testing.T) {
	long := strings.Repeat("x", visible.MaxShown)
	shown, altered := visible.Text(long)
	assert.Equal(t, long, shown)
	assert.False(t, altered)
	shown, altered = visible.Text(long + "y")
	assert.Equal(t, long+"…", shown)
	assert.True(t, altered)
	shown, altered = visible.Text(strings.Repeat("x", visible.MaxShown-1) + "漢")
	assert.Equal(t, strings.Repeat("x", visible.MaxShown-1)+"…", shown, "no character is cut in two")
	assert.True(t, altered)
	shown, altered = visible.Whole(long + long)
	assert.Equal(t, long+long, shown)
	assert.False(t, altered)
}
