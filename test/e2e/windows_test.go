package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestWindowsLines holds the decisions about lines of PowerShell and cmd in a
// session on Windows whose disk the sidecar doesn't have (V11).
func TestWindowsLines(t *testing.T) {
	s := startServer(t)
	file, err := os.Open("../testdata/corpus/windows.jsonl")
	require.NoError(t, err)
	defer file.Close()
	effects := map[string]int{}
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var line struct {
			ID, Shell, Command string
			Accept             []string
		}
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &line))
		require.NotEmpty(t, line.Accept)
		t.Run(line.ID, func(t *testing.T) {
			args, err := json.Marshal(map[string]string{"command": line.Command})
			require.NoError(t, err)
			decision := s.decide(t, v1.Call{Tool: "shell", Args: args, Session: v1.Session{
				ID: "windows-" + line.ID, Agent: "other", Audience: v1.AudiencePersonal, Interactive: new(true), Platform: "windows",
				Shell: line.Shell, ProjectDir: `C:\proj`, Home: `C:\Users\dev`,
			}})
			assert.Containsf(t, line.Accept, decision.Effect.String(), "%s: %q\n%+v", line.Shell, line.Command, decision)
			effects[decision.Effect.String()]++
		})
	}
	require.NoError(t, scanner.Err())
	assert.GreaterOrEqual(t, effects["allow"], 60)
	assert.GreaterOrEqual(t, effects["deny"], 30)
	assert.GreaterOrEqual(t, effects["prompt"], 60)
}
