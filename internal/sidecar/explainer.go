package sidecar

import (
	"context"
	"slices"

	v1 "policyd/api/v1"
	"policyd/internal/explain"
	"policyd/internal/gate"
)

// Explain explains a decision in words, with remembered answers if there is a memory. An agent sees only
// answers that could apply to it: answers for another audience contain places that this audience need not
// know.
func (s *Sidecar) Explain(
	ctx context.Context, current gate.Snapshot, in *v1.Input, decision *v1.Decision, caller v1.Caller,
) *v1.Explanation {
	question := explain.Question{Input: in, Decision: decision}
	fault := ""
	if taken, ok := current.(*Snapshot); ok {
		account, err := taken.Account(ctx, in)
		if err != nil {
			fault = "what the rules said is not known: " + err.Error()
		}
		question.Account = account
	}
	if s.Memory != nil {
		session := v1.Session{ID: in.Session.ID, Agent: in.Session.Agent}
		question.Grants = s.Memory.Sessions.Grants(&session)
		question.Remembered = s.Memory.Approvals.Named(in.Verbs)
		if !caller.Operator {
			question.Remembered = slices.DeleteFunc(question.Remembered, func(entry v1.ApprovalEntry) bool {
				return entry.Agent != "*" && entry.Agent != session.Agent || entry.Session != "" && entry.Session != session.ID ||
					entry.Audience != in.Session.Audience
			})
		}
	}
	told := explain.Explain(&question)
	told.Fault = fault
	return told
}
