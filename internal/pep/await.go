package pep

import (
	"context"
	"net/http"
	"net/url"
	"time"

	v1 "policyd/api/v1"
)

// Await waits for a person's answer to the prompt of a decision, no longer than hold, and returns the
// resulting decision. After a yes the call is decided again, which may prompt again. A prompt without an
// answer stays open; the prompt of a cancelled call is withdrawn.
func (s *Sidecar) Await(ctx context.Context, call *v1.Call, decision *v1.Decision, hold time.Duration) (*v1.Decision, error) {
	deadline := time.Now().Add(hold)
	for decision.Effect == v1.EffectPrompt {
		left := time.Until(deadline).Round(time.Millisecond)
		if left <= 0 {
			return decision, nil
		}
		prompt, err := s.Prompt(ctx, decision.Prompt.ID, left)
		if ctx.Err() != nil {
			leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			_ = s.Withdraw(leaving, decision.Prompt.ID) // it expires at the latest
			return nil, ctx.Err()
		}
		switch {
		case err != nil:
			return nil, err
		case prompt.State == v1.PromptPending:
			return decision, nil
		case prompt.State != v1.PromptAnswered || prompt.Answer == nil || prompt.Answer.Decision != v1.EffectAllow:
			return refusedByPerson(decision, prompt), nil
		}
		if decision, err = s.Decide(ctx, call); err != nil {
			return nil, err
		}
	}
	return decision, nil
}

// Prompt reads a prompt when it has ended, or as it is after wait.
func (s *Sidecar) Prompt(ctx context.Context, id string, wait time.Duration) (*v1.Prompt, error) {
	var prompt v1.Prompt
	query := url.Values{"wait": {wait.String()}}
	err := s.send(ctx, http.MethodGet, "/v1/prompts/"+url.PathEscape(id), query, nil, wait, &prompt)
	return &prompt, err
}

// refusedByPerson is the denial of a call whose prompt ended without a yes.
func refusedByPerson(asked *v1.Decision, prompt *v1.Prompt) *v1.Decision {
	code, message := "prompt_unanswered", "the question is "+prompt.State
	if prompt.Answer != nil {
		code, message = "denied_by_person", "a person said no to this call"
		if prompt.Answer.By != "" {
			message = prompt.Answer.By + " said no to this call"
		}
	}
	out := *asked
	out.Effect, out.Prompt, out.Hint, out.Abort = v1.EffectDeny, nil, "", prompt.Answer != nil
	out.Reasons = []v1.Reason{{Rule: "gate/" + code, Code: code, Effect: v1.EffectDeny, Message: message, Item: -1}}
	return &out
}
