package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/jsonl"
)

// TestWindowsReadersPass measures how many of the read-only lines that were written without a look at the
// rules ask, and that none gets what it must not get (V7, V11). Sixteen of windows2 and five of windows3 are beyond the
// plain form, which V11 leaves to a person whatever they do. The least share only ever rises.
func TestWindowsReadersPass(t *testing.T) {
	for name, least := range map[string]float64{"windows2": 0.71, "windows3": 0.86} {
		t.Run(name, func(t *testing.T) { windowsReadersPass(t, name, least) })
	}
}

func windowsReadersPass(t *testing.T, name string, least float64) {
	t.Helper()
	allowed, mayPass := 0, 0
	var asked strings.Builder
	windowsLines(t, name, func(line windowsLine, decision v1.Decision) {
		passes := slices.Contains(line.Accept, "allow")
		if passes {
			mayPass++
		}
		switch {
		case passes && decision.Effect == v1.EffectAllow:
			allowed++
		case passes && decision.Effect == v1.EffectPrompt:
			fmt.Fprintf(&asked, "\n%s %q", line.ID, line.Command)
		default:
			assert.Containsf(t, line.Accept, decision.Effect.String(), "%s: %q\n%+v", line.Shell, line.Command, decision)
		}
	})
	require.Positive(t, mayPass)
	share := float64(allowed) / float64(mayPass)
	t.Logf("%d of %d read-only lines allowed (%.1f %%)", allowed, mayPass, 100*share)
	assert.GreaterOrEqualf(t, share, least, "asked:%s", asked.String())
}

// TestWindowsLines checks the decisions about lines of PowerShell and cmd in a session on Windows whose disk
// the sidecar doesn't have (V11).
func TestWindowsLines(t *testing.T) {
	effects := map[string]int{}
	windowsLines(t, "windows", func(line windowsLine, decision v1.Decision) {
		assert.Containsf(t, line.Accept, decision.Effect.String(), "%s %s: %q\n%+v", line.ID, line.Shell, line.Command, decision)
		effects[decision.Effect.String()]++
	})
	assert.GreaterOrEqual(t, effects["allow"], 60)
	assert.GreaterOrEqual(t, effects["deny"], 30)
	assert.GreaterOrEqual(t, effects["prompt"], 60)
}

type windowsLine struct {
	ID, Shell, Command string
	Accept             []string
}

// windowsLines decides the lines of one corpus.
func windowsLines(t *testing.T, name string, judge func(windowsLine, v1.Decision)) {
	t.Helper()
	s := startServer(t)
	lines, err := jsonl.Read[windowsLine]("../testdata/corpus/" + name + ".jsonl")
	require.NoError(t, err)
	for _, line := range lines {
		require.NotEmpty(t, line.Accept)
		args, err := json.Marshal(map[string]string{"command": line.Command})
		require.NoError(t, err)
		judge(line, s.decide(t, v1.Call{Tool: "shell", Args: args, Session: v1.Session{
			ID: "windows-" + line.ID, Agent: "other", Audience: v1.AudiencePersonal, Interactive: new(true), Platform: "windows",
			Shell: line.Shell, ProjectDir: `C:\proj`, Home: `C:\Users\dev`,
		}}))
	}
}
