package console

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestKeysAreDocumented checks that the page and the documentation name every key.
func TestKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/console.md")
	require.NoError(t, err)
	page, err := files.ReadFile("pages/waiting.html")
	require.NoError(t, err)
	require.NotEmpty(t, choiceKeys)
	for choice, key := range choiceKeys {
		assert.Contains(t, string(text), "`"+key+"`", choice)
		assert.Contains(t, string(page), "<kbd>"+key+"</kbd>", choice)
	}
	assert.Contains(t, string(text), "after 12 hours without use, after 7 days")
	assert.InDelta(t, 12, idleLife.Hours(), 0)
	assert.InDelta(t, 7*24, sessionLife.Hours(), 0)
}
