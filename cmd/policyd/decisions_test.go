package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// D3: a decision that a mask took away is not shown as a denial, which is the zero value.
func TestADecisionThatIsMaskedIsNoDenial(t *testing.T) {
	for _, lists := range []string{
		`"erased":["/result/decision"],"masked":[]`, `"erased":["/result"],"masked":[]`, `"erased":[],"masked":["/result/decision"]`,
	} {
		line := `{"decision_id":"d-1","input":{},"result":{"reasons":[]},` + lists + `}`
		require.Equal(t, "-", decisionRow(json.RawMessage(line))[1], lists)
		var record v1.Record
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		require.Equal(t, "a mask took away what was decided", unjudgeable(&record))
	}
	whole := `{"decision_id":"d-1","input":{},"result":{"decision":"allow","reasons":[]},"erased":["/result/items"],"masked":[]}`
	require.Equal(t, "allow", decisionRow(json.RawMessage(whole))[1])
}
