package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// TestReadersPass measures how many of the read-only lines that agents write
// in a project ask, and that none gets what it must not get (V5, V7, S3). The least
// share that passes only ever rises. Of lookups, walks and suites2, lines that are labelled unclear may ask.
func TestReadersPass(t *testing.T) {
	for name, least := range map[string]float64{"readers": 0.95, "daily": 0.935, "habits": 0.96, "unseen": 0.97, "tail": 0.85, "tail2": 0.91, "lookups": 0.88, "walks": 0.93, "weeks": 0.98, "suites": 0.99, "suites2": 0.97} {
		t.Run(name, func(t *testing.T) { readersPass(t, name, name, least) })
	}
}

// TestReadersPassOnMac does the same for lines of zsh on macOS (V5, V7, S3).
func TestReadersPassOnMac(t *testing.T) {
	for _, set := range []struct {
		name, script string
		least        float64
	}{{"macos", "suites", 0.94}, {"macos2", "suites2", 0.94}} {
		t.Run(set.name, func(t *testing.T) { readersPass(t, set.name, set.script, set.least) })
	}
}

// readersPass decides the lines of one corpus in the project that the script of another builds.
func readersPass(t *testing.T, name, script string, least float64) {
	t.Helper()
	tree := project.Tree{Home: t.TempDir()}
	tree.Project = filepath.Join(tree.Home, "proj")
	output, err := exec.Command("bash", "../testdata/corpus/"+script+".sh", tree.Project).CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	lines := readCorpus(t, name)
	decisions := decideAll(t, tree, lines)
	allowed, mayPass := 0, 0
	var asked strings.Builder
	for i, decision := range decisions {
		effect := decision.Effect.String()
		passes := slices.Contains(lines[i].Accept, "allow")
		if passes {
			mayPass++
		}
		switch {
		case passes && decision.Effect == v1.EffectAllow:
			allowed++
		case passes && decision.Effect == v1.EffectPrompt:
			fmt.Fprintf(&asked, "\n%s %q", lines[i].ID, lines[i].Command)
		default:
			assert.Containsf(t, lines[i].Accept, effect, "%s %q: %+v", lines[i].ID, lines[i].Command, decision.Reasons)
		}
	}
	require.Positive(t, mayPass)
	share := float64(allowed) / float64(mayPass)
	t.Logf("%d of %d read-only lines allowed (%.1f %%)", allowed, mayPass, 100*share)
	assert.GreaterOrEqualf(t, share, least, "asked:%s", asked.String())
}

// decideAll decides lines in batches.
func decideAll(t *testing.T, tree project.Tree, lines []line) []v1.Decision {
	t.Helper()
	calls := make([]v1.Call, len(lines))
	for i, line := range lines {
		calls[i] = line.call(t, tree)
		calls[i].Session.ID = fmt.Sprintf("readers-%d", i/50) // a session has few open prompts
	}
	return startServer(t).decideAll(t, calls)
}

// decideAll sends calls in batches, whose records are written together.
func (s *server) decideAll(t *testing.T, calls []v1.Call) []v1.Decision {
	t.Helper()
	var all []v1.Decision
	for batch := range slices.Chunk(calls, 50) {
		body, err := json.Marshal(v1.BatchRequest{Calls: batch})
		require.NoError(t, err)
		status, _, answer := s.post(t, "/v1/decide/batch", string(body))
		require.Equalf(t, http.StatusOK, status, "%s", answer)
		var decided v1.BatchResponse
		require.NoError(t, json.Unmarshal(answer, &decided))
		require.Len(t, decided.Decisions, len(batch))
		for i := range decided.Decisions {
			requireWellFormed(t, &decided.Decisions[i])
		}
		all = append(all, decided.Decisions...)
	}
	return all
}
