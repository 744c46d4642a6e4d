package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestDeniedToolsOfAnAgent checks C1.
func TestDeniedToolsOfAnAgent(t *testing.T) {
	tree := newTree(t)
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("agents: {coordinator: {deny_tools: [shell, Write]}}\n"), 0o600))
	s := startServer(t, "--config", settings)
	s.register(t, tree, "c", func(session *v1.Session) { session.Agent = "coordinator" })
	s.register(t, tree, "d")
	readme := filepath.Join(tree.Project, "README.md")
	assert.Equal(t, v1.EffectAllow, s.file(t, "c", "Read", readme).Effect)
	for _, decision := range []v1.Decision{s.file(t, "c", "Write", readme), s.shell(t, "c", "ls")} {
		assert.Equal(t, v1.EffectDeny, decision.Effect)
		assert.Equal(t, []string{"tool_denied"}, codes(decision))
		assert.Contains(t, decision.Reasons[0].Message, "coordinator may not use")
	}
	assert.Equal(t, v1.EffectAllow, s.shell(t, "d", "ls").Effect, "another agent")
}

// TestAgentsAskTheirPeers checks C2: a question to another agent is a call like any other, and many at once
// are all answered.
func TestAgentsAskTheirPeers(t *testing.T) {
	tree := newTree(t)
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("agents: {ada: {peers: [coordinator]}, eve: {peers: []}}\n"), 0o600))
	s := startServer(t, "--config", settings)
	ask := func(id, callee string) v1.Decision {
		args, err := json.Marshal(map[string]string{"agent": callee, "question": "what is open?"})
		require.NoError(t, err)
		return s.decide(t, v1.Call{Tool: "ask_agent", Args: args, Session: v1.Session{ID: id}})
	}
	for _, agent := range []string{"ada", "eve", "claude-code"} {
		s.register(t, tree, agent, func(session *v1.Session) { session.Agent = agent })
	}
	allowed := ask("ada", "coordinator")
	assert.Equal(t, v1.EffectAllow, allowed.Effect)
	assert.Equal(t, "ask_agent coordinator", allowed.Items[0].Verb)
	assert.Equal(t, []string{"peer_denied"}, codes(ask("ada", "eve")))
	assert.Equal(t, []string{"peer_denied"}, codes(ask("eve", "coordinator")))
	assert.Equal(t, v1.EffectPrompt, ask("claude-code", "coordinator").Effect, "settings say nothing of it")

	token := s.token(t, "agent")
	var group sync.WaitGroup
	for worker := range 4 {
		id := fmt.Sprintf("ada-%d", worker)
		s.register(t, tree, id, func(session *v1.Session) { session.Agent = "ada" })
		group.Go(func() {
			for range 50 {
				got, err := s.send(t.Context(), token, http.MethodPost, "/v1/decide",
					`{"tool":"ask_agent","args":{"agent":"coordinator","question":"x"},"session":{"id":"`+id+`"}}`)
				if assert.NoError(t, err) {
					assert.Contains(t, string(got.body), `"decision":"allow"`)
				}
			}
		})
	}
	group.Wait()
	record := s.lastRecord(t)
	assert.Equal(t, "ada", record.Call.Agent)
	assert.Equal(t, "coordinator", record.Call.Args["agent"])
}

// lastRecord is the newest line of the decision log.
func (s *server) lastRecord(t *testing.T) v1.Record {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.stateDir, "decisions.jsonl"))
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	var record v1.Record
	require.NoError(t, json.Unmarshal(lines[len(lines)-1], &record))
	return record
}
