package extract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract"
)

// manyOf are calls that name n things, by what they name.
func manyOf(t *testing.T, n int) map[string]*v1.Call {
	t.Helper()
	names, secrets := make([]string, n), make([]string, n)
	members := map[string]any{}
	for i := range names {
		names[i] = fmt.Sprintf("f%d", i)
		members[names[i]] = 0
		secrets[i] = names[i] + "/.env"
	}
	calls := map[string]*v1.Call{}
	for name, call := range map[string]struct {
		tool string
		args map[string]any
	}{
		"arguments": {"Read", members},
		"paths":     {"Grep", map[string]any{"path": names, "pattern": "x"}},
		"words":     {"Bash", map[string]any{"command": "cat " + strings.Join(names, " ")}},
		"commands":  {"Bash", map[string]any{"command": strings.Join(names, ";")}},
		"mcp":       {"mcp__s__t", map[string]any{"paths": names}},
		"secrets":   {"mcp__s__t", map[string]any{"x": secrets}}, // paths of one item
	} {
		args, err := json.Marshal(call.args)
		require.NoError(t, err)
		calls[name] = &v1.Call{Tool: call.tool, Args: args, Cwd: t.TempDir(), Session: v1.Session{Agent: "claude-code"}}
	}
	return calls
}

// What a call holds is bounded, however it names it: more than that has no facts that
// anything could allow.
func TestFactsAreBounded(t *testing.T) {
	x := newPlace(t).extractor
	for name, call := range manyOf(t, 20_000) {
		t.Run(name, func(t *testing.T) {
			facts, err := x.ExtractContext(t.Context(), call, nil, 0)
			assert.Equal(t, facts, x.Extract(call, nil))
			assert.False(t, facts.Complete && len(facts.Items)+len(facts.Paths) > 2*4000)
			if err == nil {
				assert.LessOrEqual(t, len(facts.Items)+len(facts.Paths), 2*4000, "it was read whole")
				return
			}
			var coded *v1.CodedError
			require.ErrorAs(t, err, &coded)
			assert.Contains(t, []string{extract.CodeTooManyPaths, extract.CodeTooManyItems}, coded.Code)
			assert.False(t, facts.Complete)
			assert.Empty(t, facts.Items)
		})
	}
}

// An extraction ends with its caller and its time.
func TestAnExtractionEnds(t *testing.T) {
	x := newPlace(t).extractor
	gone, leave := context.WithCancel(t.Context())
	leave()
	ended := 0
	for name, call := range manyOf(t, 1000) { // within the limits
		t.Run(name, func(t *testing.T) {
			for code, run := range map[string]func() (v1.Facts, error){
				extract.CodeCancelled: func() (v1.Facts, error) { return x.ExtractContext(gone, call, nil, 0) },
				extract.CodeTimeout:   func() (v1.Facts, error) { return x.ExtractContext(t.Context(), call, nil, time.Nanosecond) },
			} {
				facts, err := run()
				if err == nil {
					assert.Less(t, len(facts.Items)+len(facts.Paths), 100, "it was cheap")
					continue
				}
				ended++
				var coded *v1.CodedError
				require.ErrorAs(t, err, &coded)
				assert.Equal(t, code, coded.Code)
				assert.False(t, facts.Complete)
			}
			facts, err := x.ExtractContext(t.Context(), call, nil, time.Hour)
			require.NoError(t, err, "what was ended leaves nothing behind")
			assert.Equal(t, facts, x.Extract(call, nil))
		})
	}
	assert.NotZero(t, ended)
}
