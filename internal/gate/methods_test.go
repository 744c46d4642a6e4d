package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/terminals"
)

func method(name string) *v1.Call {
	return &v1.Call{Tool: name, Args: json.RawMessage(`{}`), Session: v1.Session{ID: "s-1", Agent: "claude-code"}}
}

func aboutMethod(policy *fixed, mode string) *fixed {
	policy.facts.Tool = v1.ToolFacts{Kind: v1.ToolACP, Namespace: "terminal"}
	policy.result.Route = v1.Route{Mode: mode, Peer: "p1"}
	return policy
}

// TestAMethodThatAsksIsDelegated checks N8 and A9: the client's own dialog asks.
func TestAMethodThatAsksIsDelegated(t *testing.T) {
	policy := aboutMethod(asked(command("make", "/srv/proj")), "collaborative")
	policy.facts.Method.Permission.Asks = true
	h := build(t, policy)
	decision := h.Decide(t.Context(), method("session/request_permission"), gate.DecideOptions{})
	require.Equal(t, v1.EffectPrompt, decision.Effect)
	assert.Equal(t, v1.PromptDelegated, decision.Prompt.State)
	policy.result.Route = v1.Route{}
	decision = h.Decide(t.Context(), method("session/request_permission"), gate.DecideOptions{})
	assert.Equal(t, v1.PromptPending, decision.Prompt.State, "nobody is said to forward it")
}

// TestAStoppedMethodGoesNowhere checks N3: a fault or a person's no is answered with an error, with or
// without the protocol, and what asks a person with a no.
func TestAStoppedMethodGoesNowhere(t *testing.T) {
	policy := aboutMethod(asked(command("make", "/srv/proj")), "self_handle")
	opened := make(chan string, 8)
	h := build(t, policy, func(h *house, _ *gate.Options) {
		h.asking.Notify = func(prompt v1.Prompt) { opened <- prompt.ID }
	})
	go func() {
		prompt := <-opened
		_, err := h.book.Answer(context.WithoutCancel(t.Context()), prompt, v1.AnswerRequest{Choice: v1.ChoiceDeny})
		assert.NoError(t, err)
	}()
	held := h.Decide(t.Context(), method("terminal/create"), gate.DecideOptions{Wait: time.Minute})
	assert.Equal(t, v1.EffectDeny, held.Effect)
	assert.True(t, held.Abort)
	assert.Equal(t, v1.Route{Mode: "block"}, held.Route)
	require.NotNil(t, held.JSONRPCError)
	assert.Equal(t, v1.JSONRPCErrorData{
		Namespace: "terminal", Mode: "self_handle", Method: "terminal/create", Reason: gate.CodeDenied,
	}, held.JSONRPCError.Data)
	policy.facts.Method.Permission.Asks = true
	policy.err = errors.New("broken")
	fault := h.Decide(t.Context(), method("session/request_permission"), gate.DecideOptions{})
	assert.Equal(t, v1.EffectDeny, fault.Effect)
	assert.Equal(t, v1.Route{Mode: "block", Select: "reject_once"}, fault.Route)
	require.NotNil(t, fault.JSONRPCError)
	assert.Equal(t, gate.CodeEvaluation, fault.JSONRPCError.Data.Reason)
}

// TestTerminalsAreNotedOnceTheDecisionStands checks N5.
func TestTerminalsAreNotedOnceTheDecisionStands(t *testing.T) {
	registry := terminals.New()
	policy := aboutMethod(allowed(command("make", "/srv/proj")), "single_pass_through")
	h := build(t, policy, func(_ *house, options *gate.Options) { options.Terminals = registry })
	step := func(step, id string) v1.Decision {
		policy.facts.Method.Terminal = v1.TerminalFacts{Step: step, ID: id}
		return h.Decide(t.Context(), method("terminal/x"), gate.DecideOptions{})
	}
	seen := v1.TerminalFacts{}
	policy.judge = func(_ context.Context, in *v1.Input) { seen = in.Method.Terminal }
	step(v1.StepUse, "t1")
	assert.Equal(t, v1.TerminalFacts{Step: "use", ID: "t1"}, seen)
	h.log.err = errors.New("the disk is full")
	assert.Equal(t, v1.EffectDeny, step(v1.StepCreate, "").Effect)
	h.log.err = nil
	step(v1.StepUse, "t1")
	assert.False(t, seen.Known, "what can't be recorded made nothing")
	step(v1.StepCreate, "")
	step(v1.StepUse, "t1")
	assert.Equal(t, v1.TerminalFacts{Step: "use", ID: "t1", Known: true, Peer: "p1"}, seen)
	assert.Equal(t, seen, h.log.last(t).Input.Method.Terminal)
	step(v1.StepRelease, "t1")
	assert.True(t, seen.Known)
	step(v1.StepUse, "t1")
	assert.False(t, seen.Known)
}

// TestCapabilitiesOfAPolicyThatFails checks N3: what can't be judged is not advertised.
func TestCapabilitiesOfAPolicyThatFails(t *testing.T) {
	h := build(t, allowed(command("ls", "/")))
	assert.Equal(t, v1.Capabilities{}, h.Capabilities(t.Context(), &v1.Session{ID: "s"}), "a policy that knows no methods")
	h.policy.absent = true
	assert.Equal(t, v1.Capabilities{}, h.Capabilities(t.Context(), &v1.Session{ID: "s"}))
}
