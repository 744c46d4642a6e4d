package gate

import (
	"context"
	"slices"

	v1 "policyd/api/v1"
)

// Decide decides one call, and holds a prompt for its answer as long as the options allow. It never fails:
// any fault is a deny whose reason has a stable code. When it returns, the record is written, also for a
// caller whose context is cancelled. The call is not changed.
func (g *Gate) Decide(ctx context.Context, call *v1.Call, options DecideOptions) v1.Decision {
	decision := g.pass(ctx, call, options, nil)
	if options.Wait <= 0 || options.Probe || options.Dry || delegated(&decision) {
		return decision
	}
	waiting, cancel := context.WithTimeout(ctx, options.Wait)
	defer cancel()
	if options.Release != nil {
		defer context.AfterFunc(options.Release, cancel)()
	}
	for decision.Effect == v1.EffectPrompt {
		id := decision.Prompt.ID
		prompt, err := g.options.Prompts.Wait(waiting, id)
		if err != nil {
			g.options.Prompts.Unhold(id)
			return decision
		}
		if prompt.State == v1.PromptPending {
			if ctx.Err() != nil {
				g.options.Prompts.Leave(context.WithoutCancel(ctx), id, true)
			} else {
				g.options.Prompts.Unhold(id)
			}
			decision.Prompt = &prompt
			return decision
		}
		if prompt.Answer == nil || prompt.Answer.Decision != v1.EffectAllow {
			return g.pass(ctx, call, options, &prompt)
		}
		// The answer is among the remembered answers. A one-shot answer releases one of several waiting
		// calls; the others prompt again.
		if decision = g.pass(ctx, call, options, nil); delegated(&decision) {
			return decision
		}
	}
	return decision
}

// delegated reports whether the question is asked elsewhere: there is no answer to wait for.
func delegated(decision *v1.Decision) bool {
	return decision.Prompt != nil && decision.Prompt.State == v1.PromptDelegated
}

// ask opens the prompt of this call.
func (e *evaluation) ask(ctx context.Context, snapshot Snapshot) {
	question := e.question(ctx)
	if e.options.Probe {
		if e.delegates() {
			question.Prompt.State = v1.PromptDelegated
		}
		e.decision.Prompt = &question.Prompt
		return
	}
	question.Key, question.Held = e.key(snapshot), e.options.Wait > 0
	question.Call, question.Caller = e.original, e.options.Caller
	if e.delegates() {
		e.delegate(ctx, question)
		return
	}
	prompt, _, err := e.gate.options.Prompts.Open(ctx, question)
	if err != nil {
		code, message := refusal(err, CodePromptFailed, "nobody could be asked; see policyd's log")
		asked := e.decision.Reasons
		e.deny(code, message, err)
		e.decision.Reasons = append(e.decision.Reasons, asked...)
		return
	}
	e.awaits = prompt.ID
	if e.gate.options.Given() != e.given {
		e.gate.options.Again()
	}
	e.decision.Prompt = &prompt
}

// spend uses up the one-shot answer of the decision. If another call was quicker, or the store failed, the
// call is judged without it. It reports whether there was such an answer.
func (e *evaluation) spend(ctx context.Context, snapshot Snapshot) bool {
	once := func(approval v1.Approval) bool { return approval.Once }
	at := slices.IndexFunc(e.input.Approvals, once)
	if at < 0 {
		return false
	}
	if e.options.Probe {
		return true // a probe doesn't run
	}
	if err := e.gate.options.Approvals.Spend(ctx, e.input.Approvals[at].ID); err != nil {
		e.input.Approvals = slices.DeleteFunc(slices.Clone(e.input.Approvals), once)
		e.evaluateBy(ctx, snapshot)
	}
	return true
}

// denyAsAsked turns a prompt into a deny if the held call has its answer: a person denied it, or nobody can
// answer any more (A9).
func (e *evaluation) denyAsAsked() {
	code, message := CodeUnanswered, "nobody answered in time"
	e.decision.Hint = ""
	switch e.refused.State {
	case v1.PromptAnswered:
		code, message = CodeDenied, "a person said no to this call"
		if e.refused.Answer != nil && e.refused.Answer.By != "" {
			message = e.refused.Answer.By + " said no to this call"
		}
		// A host may end its task on a person's no, and not on a policy's.
		e.decision.Abort, e.decision.Hint = true, e.result.RefusalHint
	case v1.PromptWithdrawn:
		message = "the question was withdrawn before anybody answered"
	}
	e.decision.Effect = v1.EffectDeny
	if e.decision.JSONRPCError = e.methodError(code); e.decision.JSONRPCError != nil {
		e.decision.Route = e.refusedRoute()
	}
	e.decision.Reasons = []v1.Reason{{Rule: "gate/" + code, Code: code, Effect: v1.EffectDeny, Message: message, Item: -1}}
	e.answered = e.refused.ID
}
