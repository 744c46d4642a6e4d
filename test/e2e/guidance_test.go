package e2e

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestGuidanceIsTrue checks the advice in docs/agent-guidance.md: the recommended calls are allowed, and the
// ones that they replace aren't (D5).
func TestGuidanceIsTrue(t *testing.T) {
	text, err := os.ReadFile("../../docs/agent-guidance.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `(.+?)` \\| `(.+?)` \\|").FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, rows)
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	for _, row := range rows {
		assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", row[1]).Effect, row[1])
		assert.Equal(t, v1.EffectAllow, s.shell(t, "s", row[2]).Effect, row[2])
	}
}
