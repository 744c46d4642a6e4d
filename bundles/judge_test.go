package bundles

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

func TestJudgeReadsTheWholeJudgement(t *testing.T) {
	e := engineOf(t, deciding(`decision := {
	"effect": "deny",
	"reasons": [{"rule": "namespaces/block", "code": "blocked", "effect": "deny", "message": "no", "item": 2}],
	"covered": {[1, "b"], [0, "a"]}, "uncovered": {2}, "choices": ["once", "deny"], "hint": "ask",
	"refusal_hint": "go on", "route": {"mode": "block", "peer": "p1", "select": "reject_once"},
	"jsonrpc_error": {
		"code": -32000, "message": "blocked",
		"data": {"namespace": "fs", "mode": "block", "method": "fs/read", "reason": "r"},
	},
}`))
	judgement, err := e.Current().Judge(t.Context(), threeCommands())
	require.NoError(t, err)
	require.Equal(t, v1.Judgement{
		Effect: v1.EffectDeny,
		Reasons: []v1.Reason{{
			Rule: "namespaces/block", Code: "blocked", Effect: v1.EffectDeny, Message: "no", Item: 2,
		}},
		Covered:   []v1.Cover{{Item: 0, Rule: "a"}, {Item: 1, Rule: "b"}},
		Uncovered: []int{2},
		Choices:   []string{"once", "deny"},
		Hint:      "ask", RefusalHint: "go on",
		Route: v1.Route{Mode: "block", Peer: "p1", Select: "reject_once"},
		JSONRPCError: &v1.JSONRPCError{
			Code: -32000, Message: "blocked",
			Data: v1.JSONRPCErrorData{Namespace: "fs", Mode: "block", Method: "fs/read", Reason: "r"},
		},
	}, judgement)
}

func TestJudgeFollowsThePolicy(t *testing.T) {
	e := newEngine(t, Options{Source: "testdata/small", TestOnActivate: true})
	for name, test := range map[string]struct {
		change func(*v1.Input)
		effect v1.Effect
		open   []int
	}{
		"every item is covered": {func(*v1.Input) {}, v1.EffectAllow, []int{}},
		"an unknown option":     {func(in *v1.Input) { in.Items[2].Form.Put("-x", "none") }, v1.EffectPrompt, []int{2}},
		"a place outside":       {func(in *v1.Input) { in.Items[0].Touches.Add("read.outside") }, v1.EffectPrompt, []int{0}},
		"approved": {func(in *v1.Input) {
			in.Items[2].Verb = "git push"
		}, v1.EffectAllow, []int{}},
		"incomplete": {func(in *v1.Input) { in.Complete = false }, v1.EffectPrompt, []int{}},
		"a deny finding": {func(in *v1.Input) {
			in.Items[1].Caveats.Add("privileged")
		}, v1.EffectDeny, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			in := threeCommands()
			test.change(in)
			judgement, err := e.Current().Judge(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, test.effect, judgement.Effect)
			require.Equal(t, test.open, judgement.Uncovered)
			require.NotEmpty(t, judgement.Reasons)
		})
	}
}

// Every way in which policy can fail to decide denies with its own code (D2).
func TestJudgeDeniesWithACode(t *testing.T) {
	for name, test := range map[string]struct{ code, body string }{
		"undefined":              {CodePolicyUndefined, `decision := {} if input.session.id == "nobody"`},
		"two values of one rule": {CodePolicyConflict, "decision := {\"effect\": \"allow\"}\n\ndecision := {\"effect\": \"deny\"}"},
		"two values of a helper": {
			CodePolicyConflict,
			"decision := {\"effect\": name}\n\nname := n if some n in [\"allow\", \"deny\"]",
		},
		"division by zero":    {CodePolicyError, "decision := {\"effect\": 1 / count(input.items)}"},
		"a malformed pattern": {CodePolicyError, `decision := {"effect": regex.match(concat("", ["(", input.cwd]), "a")}`},
		"not an object":       {CodeResultMalformed, "decision := true"},
	} {
		t.Run(name, func(t *testing.T) {
			judgement, err := engineOf(t, deciding(test.body)).Current().Judge(t.Context(), nothing())
			requireCode(t, err, test.code)
			require.Equal(t, v1.Judgement{}, judgement)
			require.Equal(t, v1.EffectDeny, judgement.Effect)
		})
	}
}

// slow multiplies two billion pairs.
const slow = `decision := {"effect": n} if {
	n := count({[a, b, c] |
		some a in numbers.range(1, 1000)
		some b in numbers.range(1, 1000)
		some c in numbers.range(1, 1000)
	})
}`

func TestJudgeEndsAtTheDeadline(t *testing.T) {
	e := newEngine(t, Options{FS: mapFS(deciding(slow)), Deadline: time.Millisecond})
	start := time.Now()
	_, err := e.Current().Judge(t.Context(), nothing())
	requireCode(t, err, CodePolicyTimeout)
	require.Less(t, time.Since(start), patience)
}

func TestJudgeEndsWhenTheCallerDoes(t *testing.T) {
	e := newEngine(t, Options{FS: mapFS(deciding(slow)), Deadline: time.Hour})
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err := e.Current().Judge(gone, nothing())
	requireCode(t, err, CodePolicyTimeout)
	require.ErrorIs(t, err, context.Canceled)

	hurried, release := context.WithTimeout(t.Context(), time.Millisecond)
	defer release()
	_, err = e.Current().Judge(hurried, nothing())
	requireCode(t, err, CodePolicyTimeout)
}

func TestJudgeIsNeverEndedByTheDeadlineOfAnother(t *testing.T) {
	e := newEngine(t, Options{Source: "testdata/small"})
	for range 100 {
		_, err := e.Current().Judge(t.Context(), threeCommands())
		require.NoError(t, err)
	}
}

func TestJudgeSurvivesAPanic(t *testing.T) {
	e := newEngine(t, Options{Source: "testdata/small"})
	broken := *e.Current()
	broken.words = nil
	judgement, err := broken.Judge(t.Context(), threeCommands())
	requireCode(t, err, CodePolicyError)
	require.Equal(t, v1.Judgement{}, judgement)
}

// A judgement belongs to one revision, also while the policy changes under it.
func TestJudgeDuringReload(t *testing.T) {
	dir := t.TempDir()
	version := func(i int) string {
		return prompting(fmt.Sprintf("version %d", i))
	}
	writeTree(t, dir, deciding(version(0)))
	e := newEngine(t, Options{Source: dir})
	hints := map[string]string{}
	var mu sync.Mutex
	stop := make(chan struct{})
	var judges sync.WaitGroup
	for range 4 {
		judges.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				snapshot := e.Current()
				judgement, err := snapshot.Judge(t.Context(), threeCommands())
				mu.Lock()
				if err != nil || judgement.Hint == "" {
					hints[snapshot.Revision()] = fmt.Sprint("failed: ", err)
				} else if before, known := hints[snapshot.Revision()]; known && before != judgement.Hint {
					hints[snapshot.Revision()] = "mixed: " + before + " and " + judgement.Hint
				} else {
					hints[snapshot.Revision()] = judgement.Hint
				}
				mu.Unlock()
			}
		})
	}
	for i := range 20 {
		writeTree(t, dir, deciding(version(i)))
		require.NoError(t, e.Reload(t.Context()))
		_ = e.Status()
	}
	close(stop)
	judges.Wait()
	require.NotEmpty(t, hints)
	for revision, hint := range hints {
		require.Regexp(t, `^version \d+$`, hint, revision)
	}
}

// TestRulesForAnAgentCantBeSwitchedOff checks that facts without the key of an agent's rules are refused.
func TestRulesForAnAgentCantBeSwitchedOff(t *testing.T) {
	e := newEngine(t, Options{FS: policies.FS, Settings: map[string]any{
		"agents": map[string]any{"claude-code": map[string]any{"deny_tools": []any{"Bash"}}},
	}})
	in := threeCommands()
	_, err := e.Current().Judge(t.Context(), in)
	var coded *v1.CodedError
	require.ErrorAs(t, err, &coded)
	require.Equal(t, CodeFactsInvalid, coded.Code)
	in.About = append(in.About, "ruled")
	judgement, err := e.Current().Judge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, v1.EffectDeny, judgement.Effect)
	require.Equal(t, "tool_denied", judgement.Reasons[0].Code)
}
