package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "policyd/api/v1"
)

// CodeIneffective is the code of a fault: the policy offered to save what would not have
// allowed the call that was asked about (A13).
const CodeIneffective = "approval_ineffective"

// effective are the choices that allow the call again if they are answered. The policy
// offers no others; one that it does offer is left out, counted and reported as a bug.
func (p *passage) effective(ctx context.Context, scope *v1.PromptScope) []string {
	if !p.gate.options.VerifyChoices {
		return p.result.Choices
	}
	return slices.DeleteFunc(slices.Clone(p.result.Choices), func(choice string) bool {
		if choice == v1.ChoiceOnce || choice == v1.ChoiceDeny {
			return false
		}
		err := p.allowedBy(ctx, scope, choice)
		if err == nil {
			return false
		}
		p.gate.ineffective.Add(1)
		p.tell(CodeIneffective, fmt.Errorf("choice %s for %q: %w", choice, scope.Saves(choice), err))
		return true
	})
}

// allowedBy judges the call as it would be judged after an answer.
func (p *passage) allowedBy(ctx context.Context, scope *v1.PromptScope, choice string) error {
	saved, _ := scope.Remembered(choice)
	if len(saved) == 0 {
		return errors.New("it saves nothing")
	}
	in := p.input
	in.Approvals = slices.Clone(in.Approvals)
	for i := range saved {
		saved[i].ID, saved[i].Tool = fmt.Sprintf("offered-%d", i), scope.Tool
		in.Approvals = append(in.Approvals, saved[i].Approval())
	}
	result, err := p.snapshot.Judge(context.WithoutCancel(ctx), &in)
	if err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	left := func(index int) bool { return !p.input.Items[index].Caveats.Has("shallow") }
	if result.Effect == v1.EffectAllow || len(result.Uncovered) > 0 && !slices.ContainsFunc(result.Uncovered, left) {
		return nil // what is left out for its shallow directory is approved once, with the answer
	}
	return fmt.Errorf("the call is still answered with %s", result.Effect)
}

// Ineffective counts the choices that were left out since they would not have allowed the
// call. Each is a bug of the policy or of extraction.
func (g *Gate) Ineffective() uint64 { return g.ineffective.Load() }
