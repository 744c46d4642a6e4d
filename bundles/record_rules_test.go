package bundles

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// recordRules are those of an operator's bundle beside the built-in one.
func recordRules(t *testing.T, options Options, body string) *RecordRules {
	t.Helper()
	root := t.TempDir()
	writeTree(t, root, map[string]string{
		".manifest":            `{"roots": ["system/log"], "rego_version": 1}`,
		"system/log/log.rego":  "package system.log\n\n" + body,
		"system/log/data.json": `{"listed": ["/input/listed"]}`,
	})
	options.FS, options.Source = policies.FS, root
	rules, err := newEngine(t, options).Current().RecordRules()
	require.NoError(t, err)
	return rules
}

// event is a record as JSON gives it.
func event(t *testing.T) map[string]any {
	t.Helper()
	var read map[string]any
	require.NoError(t, json.Unmarshal([]byte(
		`{"decision_id": "1", "input": {"cwd": "/srv", "verbs": ["git push"]}, "result": {"decision": "allow"}, "metrics": {"n": 12}}`), &read))
	return read
}

func TestWithoutRulesForRecordsThereIsNothingToAsk(t *testing.T) {
	rules, err := newEngine(t, Options{FS: policies.FS}).Current().RecordRules()
	require.NoError(t, err)
	require.False(t, rules.Any())
	mask, err := rules.Mask(t.Context(), event(t))
	require.NoError(t, err)
	require.Empty(t, mask)
	drop, err := rules.Drop(t.Context(), event(t))
	require.NoError(t, err)
	require.False(t, drop)
}

func TestAMaskIsASetOrAnArray(t *testing.T) {
	for name, test := range map[string]struct {
		body string
		want []any
	}{
		"a set": {
			`mask contains "/input/cwd" if input.input.cwd == "/srv"

mask contains "/input/other" if input.input.cwd == "/other"

mask contains {"op": "upsert", "path": "/input/n", "value": input.metrics.n}`,
			[]any{"/input/cwd", map[string]any{"op": "upsert", "path": "/input/n", "value": json.Number("12")}},
		},
		"an array":  {`mask := ["/input/b", "/input/a"]`, []any{"/input/b", "/input/a"}},
		"data":      {`mask := data.system.log.listed`, []any{"/input/listed"}},
		"undefined": {`mask := ["/input/a"] if input.result.decision == "deny"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rules := recordRules(t, Options{}, test.body)
			require.True(t, rules.Any())
			mask, err := rules.Mask(t.Context(), event(t))
			require.NoError(t, err)
			require.Equal(t, test.want, mask)
		})
	}
}

func TestDropIsTrueOrFalse(t *testing.T) {
	rules := recordRules(t, Options{}, `drop if input.result.decision == "allow"`)
	require.True(t, rules.Any())
	drop, err := rules.Drop(t.Context(), event(t))
	require.NoError(t, err)
	require.True(t, drop)
	denied := event(t)
	denied["result"].(map[string]any)["decision"] = "deny"
	drop, err = rules.Drop(t.Context(), denied)
	require.NoError(t, err)
	require.False(t, drop)
}

// TestFailingRulesForRecordsAreErrors checks that a failing mask is an error and not an empty mask, and that a
// rule ends at its deadline.
func TestFailingRulesForRecordsAreErrors(t *testing.T) {
	for name, body := range map[string]string{
		"a builtin fails":     `mask contains p if p := sprintf("/input/%d", [to_number(input.input.cwd)])`,
		"a conflict":          "mask := [\"/input/a\"] if input.result\n\nmask := [\"/input/b\"] if input.result",
		"another type":        `mask := "/input"`,
		"an object":           `mask := {"/input": true}`,
		"longer than allowed": `mask contains p if { n := count([1 | some a in numbers.range(1, 50000); some b in numbers.range(1, 50000); a == b + 9999]); p := sprintf("/input/%d", [n]) }`,
	} {
		t.Run(name, func(t *testing.T) {
			rules := recordRules(t, Options{Deadline: time.Second}, body)
			mask, err := rules.Mask(t.Context(), event(t))
			require.Error(t, err)
			require.Empty(t, mask)
		})
	}
	_, err := recordRules(t, Options{}, `drop := "yes"`).Drop(t.Context(), event(t))
	require.ErrorContains(t, err, "not true or false")
	_, err = recordRules(t, Options{}, `drop := 1 / 0`).Drop(t.Context(), event(t))
	require.Error(t, err)
}
