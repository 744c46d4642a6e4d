package record_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/record"
)

// rules are made up for a test.
type rules struct {
	mask             []any
	drop             bool
	dropped          string // the decision whose records are dropped
	maskErr, dropErr error
	seen             map[string]any
}

var _ record.Rules = (*rules)(nil)

func (r *rules) Any() bool { return true }

func (r *rules) Mask(_ context.Context, event map[string]any) ([]any, error) {
	r.seen = event
	return r.mask, r.maskErr
}

func (r *rules) Drop(_ context.Context, event map[string]any) (bool, error) {
	result, _ := event["result"].(map[string]any)
	return r.drop || r.dropped != "" && result["decision"] == r.dropped, r.dropErr
}

// ruled is the line that is written under rules, empty for none.
func ruled(t *testing.T, options record.Options, by *rules, entry *v1.Record) (string, record.Status) {
	t.Helper()
	var out bytes.Buffer
	writer := record.NewWith(options, &out)
	writer.SetRules(by)
	require.NoError(t, writer.Write(t.Context(), entry))
	return out.String(), writer.Status()
}

func upsert(path string, value any) map[string]any {
	return map[string]any{"op": "upsert", "path": path, "value": value}
}

func TestAMaskErasesAndReplaces(t *testing.T) {
	line, status := ruled(t, record.Options{}, &rules{mask: []any{
		"/input/cwd",
		"/call/args/command",
		map[string]any{"op": "remove", "path": "/input/items/1"},
		"/input/items/0/touches/read.project",
		"/input/nothing/there",
		"/input/items/99",
		upsert("/call/agent", "somebody"),
		upsert("/result/reasons/0/message", map[string]any{"any": "thing"}),
		upsert("/input/new/deep/member", json.Number("7")),
		upsert("/input/cwd/below/text", "x"),
		upsert("/input/items/99", "x"),
	}}, sample("1"))
	require.True(t, strings.HasPrefix(line, `{"decision_id":"1"`))
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(line), &got))
	input, call := got["input"].(map[string]any), got["call"].(map[string]any)
	assert.NotContains(t, call["args"], "command")
	assert.Equal(t, "somebody", call["agent"])
	items := input["items"].([]any)
	require.Len(t, items, 2)
	assert.Equal(t, "git status", items[1].(map[string]any)["verb"])
	assert.Empty(t, items[0].(map[string]any)["touches"])
	assert.Equal(t, map[string]any{"any": "thing"}, got["result"].(map[string]any)["reasons"].([]any)[0].(map[string]any)["message"])
	assert.InDelta(t, 7, input["new"].(map[string]any)["deep"].(map[string]any)["member"], 0)
	assert.Equal(t, []any{"/input/cwd", "/call/args/command", "/input/items/1", "/input/items/0/touches/read.project"}, got["erased"])
	assert.Equal(t, []any{
		"/call/args/command", "/call/agent", "/result/reasons/0/message", "/input/new/deep/member", "/input/cwd/below/text",
	}, got["masked"], "what redaction had masked before stays named")
	assert.NotContains(t, got, "mask_error")
	assert.Zero(t, status.RuleFailed)
}

// TestAMaskedRecordHasTheFieldsOfOthers checks that nothing but what was masked differs, its order included.
func TestAMaskedRecordHasTheFieldsOfOthers(t *testing.T) {
	by := &rules{mask: []any{"/input/nothing"}}
	line, _ := ruled(t, record.Options{}, by, sample("1"))
	assert.JSONEq(t, string(encoded(t, "1")), line)
	assert.Equal(t, "1", by.seen["decision_id"])
	by.mask = nil
	line, _ = ruled(t, record.Options{}, by, sample("1"))
	assert.Equal(t, string(encoded(t, "1")), line, "without a mask it is written as it is")
}

func TestWholePartsCanGo(t *testing.T) {
	line, _ := ruled(t, record.Options{}, &rules{mask: []any{"/input", upsert("/call", nil), upsert("/result", "gone")}}, sample("1"))
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(line), &got))
	for name, want := range map[string]any{"input": nil, "call": nil, "result": "gone"} {
		assert.Contains(t, got, name)
		assert.Equal(t, want, got[name])
	}
}

func TestPointersAreEscaped(t *testing.T) {
	entry := sample("1")
	entry.Call.Args = map[string]any{"a/b": "x", "c~d": "x", "~1": "x", "": "x", "keep": "y"}
	line, _ := ruled(t, record.Options{}, &rules{mask: []any{"/call/args/a~1b", "/call/args/c~0d", "/call/args/~01", "/call/args/"}}, entry)
	var got v1.Record
	require.NoError(t, json.Unmarshal([]byte(line), &got))
	assert.Equal(t, map[string]any{"keep": "y"}, got.Call.Args)
}

// TestAMaskThatFailsCostsTheInputAndNotTheRecord checks that nothing that the mask could have erased is
// written, and that the record has the error.
func TestAMaskThatFailsCostsTheInputAndNotTheRecord(t *testing.T) {
	secret := func() *v1.Record {
		entry := sample("1")
		entry.Input.Cwd, entry.Call.Cwd = "/hushhush", "/hushhush"
		entry.Result.Items[0].Verb, entry.Result.Reasons[0].Message = "hushhush", "hushhush"
		return entry
	}
	for name, by := range map[string]*rules{
		"an error":               {maskErr: errors.New("timeout")},
		"a number":               {mask: []any{"/call", json.Number("5")}},
		"no pointer":             {mask: []any{"input"}},
		"another part":           {mask: []any{"/decision_id"}},
		"the root":               {mask: []any{"/"}},
		"an unknown operation":   {mask: []any{map[string]any{"op": "move", "path": "/input"}}},
		"no operation":           {mask: []any{map[string]any{"path": "/input"}}},
		"no path":                {mask: []any{map[string]any{"op": "remove"}}},
		"a path of another type": {mask: []any{map[string]any{"op": "remove", "path": true}}},
		"no value":               {mask: []any{map[string]any{"op": "upsert", "path": "/input/cwd"}}},
	} {
		line, status := ruled(t, record.Options{}, by, secret())
		assert.NotContains(t, line, "hushhush", name)
		var got v1.Record
		require.NoError(t, json.Unmarshal([]byte(line), &got), name)
		assert.Equal(t, "mask_failed", got.MaskError, name)
		assert.Equal(t, "1", got.DecisionID)
		assert.Nil(t, got.Input)
		assert.Nil(t, got.Call)
		assert.Contains(t, line, `"input":null`)
		assert.Equal(t, v1.EffectPrompt, got.Result.Decision)
		assert.Equal(t, "approval_required", got.Result.Reasons[0].Code, "why it was decided so stays")
		assert.Contains(t, got.Erased, "/input")
		assert.Equal(t, uint64(1), status.RuleFailed, name)
		assert.Equal(t, uint64(1), status.Written)
	}
	entry := secret()
	ruled(t, record.Options{}, &rules{maskErr: errors.New("x")}, entry)
	assert.Equal(t, "hushhush", entry.Result.Reasons[0].Message, "the answer isn't masked")
}

func TestADropRuleLeavesRecordsOutUnlessTheyAreRequired(t *testing.T) {
	line, status := ruled(t, record.Options{}, &rules{drop: true}, sample("1"))
	assert.Empty(t, line)
	assert.Equal(t, uint64(1), status.RuleDropped)

	line, status = ruled(t, record.Options{Required: true}, &rules{drop: true, mask: []any{"/call"}}, sample("1"))
	assert.Equal(t, []string{"1"}, ids(t, line))
	assert.Contains(t, line, `"call":null`, "what is kept is masked")
	assert.Equal(t, uint64(1), status.DropRefused)

	line, status = ruled(t, record.Options{}, &rules{drop: true, dropErr: errors.New("x")}, sample("1"))
	assert.Equal(t, []string{"1"}, ids(t, line), "a rule that fails drops nothing")
	assert.Equal(t, uint64(1), status.RuleFailed)
}

// FuzzMask checks that any mask leaves one whole line that begins with its id, and that a mask which can't be
// applied leaves nothing of the call.
func FuzzMaskRules(f *testing.F) {
	f.Add(`["/input/cwd"]`)
	f.Add(`[{"op":"upsert","path":"/call/args/command","value":[1]}]`)
	f.Add(`["/input/items/0", "/input/items/0/verb/x", "/result/reasons/-1"]`)
	f.Add(`[{"op":"remove","path":"/input/paths/0/~2"}, 7]`)
	f.Fuzz(func(t *testing.T, text string) {
		var operations []any
		if json.Unmarshal([]byte(text), &operations) != nil {
			return
		}
		line, status := ruled(t, record.Options{}, &rules{mask: operations}, sample("1"))
		require.Equal(t, 1, strings.Count(line, "\n"))
		require.True(t, strings.HasPrefix(line, `{"decision_id":"1",`))
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &got))
		require.Equal(t, status.RuleFailed == 1, got["mask_error"] == "mask_failed")
		if status.RuleFailed == 1 {
			require.NotContains(t, line, "/srv/proj")
			require.NotContains(t, line, "git status")
		}
	})
}

// TestWhatSetsALoggedRecordRightIsNotDropped checks that the log doesn't go on saying what was not answered:
// rules drop the later record of a decision with the first alone.
func TestWhatSetsALoggedRecordRightIsNotDropped(t *testing.T) {
	denied := sample("late")
	denied.Result.Decision, denied.Error = v1.EffectDeny, "record_failed"
	for name, c := range map[string]struct {
		by   rules
		want []string
	}{
		"denials":             {rules{dropped: "deny"}, []string{"late", "late"}},
		"the first one alone": {rules{dropped: sample("late").Result.Decision.String()}, []string{"late"}},
		"both":                {rules{drop: true}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			out := newGated()
			close(out.pass)
			writer := record.NewTo(out)
			writer.SetRules(&c.by)
			require.NoError(t, writer.Write(t.Context(), sample("late")))
			writer.Amend(t.Context(), sample("late"), denied)
			if len(c.want) > 0 {
				eventually(t, "it is there", func() bool { return len(ids(t, out.text())) == len(c.want) })
			}
			require.NoError(t, writer.Check())
			assert.Equal(t, c.want, ids(t, out.text()))
			assert.Zero(t, writer.Status().Failed)
		})
	}
}
