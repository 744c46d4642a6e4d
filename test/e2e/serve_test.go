package e2e

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func TestTheSocketNeedsNoToken(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	body, err := json.Marshal(v1.Call{
		Tool: "Read", Args: json.RawMessage(`{"file_path":"README.md"}`), Cwd: tree.Project, Session: session(tree, "claude-code"),
	})
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/v1/decide", strings.NewReader(string(body)))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	status, _, answer := do(t, s.socketClient(), request)
	require.Equalf(t, http.StatusOK, status, "%s", answer)
	assert.Equal(t, v1.EffectAllow, wellFormed(t, answer).Effect)
}

func TestBatchAnswersInOrder(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	read := func(name string) v1.Call {
		args, err := json.Marshal(map[string]string{"file_path": name})
		require.NoError(t, err)
		return v1.Call{Tool: "Read", Args: args, Cwd: tree.Project, Session: session(tree, "claude-code")}
	}
	body, err := json.Marshal(v1.BatchRequest{Calls: []v1.Call{
		read("README.md"), read(".env"), read(filepath.Join(tree.Other, "secret.txt")),
	}})
	require.NoError(t, err)
	status, _, answer := s.post(t, "/v1/decide/batch", string(body))
	require.Equalf(t, http.StatusOK, status, "%s", answer)
	var batch v1.BatchResponse
	require.NoError(t, json.Unmarshal(answer, &batch))
	require.Len(t, batch.Decisions, 3)
	var effects []string
	for _, decision := range batch.Decisions {
		effects = append(effects, decision.Effect.String())
	}
	assert.Equal(t, []string{"allow", "deny", "prompt"}, effects)
}

// TestDecisionAndRecordAgree checks that every decision leaves a record with the whole policy input, the same
// id and the same revision (D3).
func TestDecisionAndRecordAgree(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	decision := s.decide(t, v1.Call{
		Tool: "Read", Args: json.RawMessage(`{"file_path":"README.md"}`), Cwd: tree.Project, Session: session(tree, "claude-code"),
	})
	s.stop(t)
	logs, err := filepath.Glob(filepath.Join(s.stateDir, "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, logs, "no decision log in the state directory")
	file, err := os.Open(logs[0])
	require.NoError(t, err)
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	require.True(t, scanner.Scan(), "the decision log is empty")
	var record v1.Record
	require.NoError(t, json.Unmarshal(scanner.Bytes(), &record))
	assert.Equal(t, decision.ID, record.DecisionID)
	assert.Equal(t, decision.Effect, record.Result.Decision)
	require.NotNil(t, record.Input)
	assert.True(t, record.Input.Complete)
	require.NotEmpty(t, record.Bundles)
	for _, bundle := range record.Bundles {
		assert.Equal(t, decision.Policy.Revision, bundle.Revision)
	}
}

func TestHealthAndDescriptionNeedNoToken(t *testing.T) {
	s := startServer(t)
	for _, path := range []string{"/livez", "/healthz", "/readyz", "/openapi.json"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
		require.NoError(t, err)
		status, _, answer := do(t, http.DefaultClient, request)
		assert.Equalf(t, http.StatusOK, status, "%s: %s", path, answer)
	}
}
