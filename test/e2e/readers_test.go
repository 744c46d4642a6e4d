package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// readersAllowed is the least share of read-only lines that pass without a
// question. It only ever rises.
const readersAllowed = 0.95

// TestReadersPass measures how many of the read-only lines that agents write
// in a project ask, and that none is denied (V5, V7, S3).
func TestReadersPass(t *testing.T) {
	tree := project.Tree{Home: t.TempDir()}
	tree.Project = filepath.Join(tree.Home, "proj")
	output, err := exec.Command("bash", "../testdata/corpus/readers.sh", tree.Project).CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	s := startServer(t)
	lines := readCorpus(t, "readers")
	allowed := 0
	var asked strings.Builder
	for start := 0; start < len(lines); start += 50 {
		batch := lines[start:min(start+50, len(lines))]
		request := v1.BatchRequest{}
		for _, line := range batch {
			call := line.call(t, tree)
			call.Session.ID = fmt.Sprintf("readers-%d", start) // a session has few open prompts
			request.Calls = append(request.Calls, call)
		}
		body, err := json.Marshal(request)
		require.NoError(t, err)
		status, _, answer := s.post(t, "/v1/decide/batch", string(body))
		require.Equalf(t, http.StatusOK, status, "%s", answer)
		var decided v1.BatchResponse
		require.NoError(t, json.Unmarshal(answer, &decided))
		require.Len(t, decided.Decisions, len(batch))
		for i, decision := range decided.Decisions {
			if decision.Effect == v1.EffectAllow {
				allowed++
				continue
			}
			assert.NotEqualf(t, v1.EffectDeny, decision.Effect, "%q: %+v", batch[i].Command, decision.Reasons)
			fmt.Fprintf(&asked, "\n%s %q", batch[i].ID, batch[i].Command)
		}
	}
	share := float64(allowed) / float64(len(lines))
	t.Logf("%d of %d read-only lines allowed (%.1f %%)", allowed, len(lines), 100*share)
	assert.GreaterOrEqualf(t, share, readersAllowed, "asked:%s", asked.String())
}
