package test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// Lines that reach beyond a project's own tools are never allowed without an answer.
func TestLinesBeyondAProjectAreNotAllowed(t *testing.T) {
	p := newPlace(t)
	file, err := os.Open("testdata/project_tools/must_not_allow.jsonl")
	require.NoError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	count := 0
	for ; lines.Scan(); count++ {
		var line struct{ ID, Command string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		effect, codes := p.judge(t, p.call("Bash", map[string]any{"command": line.Command}), nil)
		assert.NotEqualf(t, v1.EffectAllow, effect, "%s %s: %s", line.ID, line.Command, codes)
	}
	require.NoError(t, lines.Err())
	require.Greater(t, count, 400)
}
