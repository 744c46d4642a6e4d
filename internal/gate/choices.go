package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	v1 "policyd/api/v1"
)

// CodeIneffective is the code of a fault: the policy offered to save something that would not have allowed
// the call (A13).
const CodeIneffective = "approval_ineffective"

// effective returns the choices that allow the call if it is repeated after the answer. The policy offers no
// others as far as the facts show. If it does, the choice is left out, counted and reported as a bug. The
// effect of reading a directory is known only from the facts of a session that may read it, so such a choice
// is a proposal.
func (e *evaluation) effective(ctx context.Context, scope *v1.PromptScope, opened *v1.Input) []string {
	if !e.gate.options.VerifyChoices {
		return e.result.Choices
	}
	ctx = context.WithoutCancel(ctx)
	// Both choices to read let the same directories be read.
	readable := sync.OnceValue(func() error { return e.allowedReading(ctx, scope.Roots) })
	return slices.DeleteFunc(slices.Clone(e.result.Choices), func(choice string) bool {
		if !v1.Remembers(choice) {
			return false
		}
		saved, left := scope.Remembered(choice)
		switch choice {
		case v1.ChoiceReadChat, v1.ChoiceReadHere:
			return len(saved) == 0 || readable() != nil
		case v1.ChoiceProject:
			if len(saved) == 0 {
				return true // the policy doesn't know of shallow projects
			}
		case v1.ChoiceSession, v1.ChoiceAlwaysHere:
			if e.changesOutside() {
				// The effect of opening directories is known only from the facts of a session that may change
				// them.
				return opened == nil || len(left) > 0 || choice == v1.ChoiceAlwaysHere && scope.Project == "" || e.savedAllow(ctx, *opened, scope.Here(saved), false) != nil
			}
		}
		err := e.allowedBy(ctx, scope.Here(saved), len(left) > 0)
		if err == nil {
			return false
		}
		e.gate.ineffective.Add(1)
		e.report(CodeIneffective, fmt.Errorf("choice %s for %q: %w", choice, v1.ApprovalWords(saved), err))
		return true
	})
}

// allowedReading judges the call as it would be judged if directories could be read.
func (e *evaluation) allowedReading(ctx context.Context, roots []string) error {
	grants := slices.Clip(e.grants())
	for _, root := range roots {
		grants = append(grants, v1.PathGrant{ID: "offered", Root: root, Mode: v1.GrantReading})
	}
	in := e.input
	var err error
	if in.Facts, err = e.snapshot.Extract(ctx, e.call, grants); err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	e.remember(&in)
	return e.allows(ctx, &in, false)
}

// allowedBy judges the call as it would be judged after an answer that saves some approvals.
func (e *evaluation) allowedBy(ctx context.Context, saved []v1.ApprovalEntry, leaves bool) error {
	if len(saved) == 0 {
		return errors.New("it saves nothing")
	}
	return e.savedAllow(ctx, e.input, saved, leaves)
}

// savedAllow judges an input with some approvals.
func (e *evaluation) savedAllow(ctx context.Context, in v1.Input, saved []v1.ApprovalEntry, leaves bool) error {
	withSaved(&in, saved)
	return e.allows(ctx, &in, leaves)
}

// withSaved adds approvals to an input.
func withSaved(in *v1.Input, saved []v1.ApprovalEntry) {
	in.Approvals = slices.Clone(in.Approvals)
	for i := range saved {
		saved[i].ID = fmt.Sprintf("offered-%d", i)
		in.Approvals = append(in.Approvals, saved[i].Approval())
	}
}

// allows judges an input. What an answer leaves out for its shallow directory is approved
// once, with the answer.
func (e *evaluation) allows(ctx context.Context, in *v1.Input, leaves bool) error {
	result, err := e.snapshot.Judge(ctx, in)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	placed := func(index int) bool { return !in.Items[index].Caveats.Has("shallow") }
	if result.Effect == v1.EffectAllow || leaves && len(result.Uncovered) > 0 && !slices.ContainsFunc(result.Uncovered, placed) {
		return nil
	}
	return fmt.Errorf("the call is still answered with %s", result.Effect)
}

// Ineffective counts the choices that were left out because they would not have allowed the call. Each is a
// bug of the policy or of extraction.
func (g *Gate) Ineffective() uint64 { return g.ineffective.Load() }
