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
func (p *passage) effective(ctx context.Context, scope *v1.PromptScope, opened *v1.Input) []string {
	if !p.gate.options.VerifyChoices {
		return p.result.Choices
	}
	ctx = context.WithoutCancel(ctx)
	// Both choices to read let the same directories be read.
	readable := sync.OnceValue(func() error { return p.allowedReading(ctx, scope.Roots) })
	return slices.DeleteFunc(slices.Clone(p.result.Choices), func(choice string) bool {
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
			if p.changesOutside() {
				// The effect of opening directories is known only from the facts of a session that may change
				// them.
				return opened == nil || len(left) > 0 || p.savedAllow(ctx, *opened, scope.Here(saved), false) != nil
			}
		}
		err := p.allowedBy(ctx, scope.Here(saved), len(left) > 0)
		if err == nil {
			return false
		}
		p.gate.ineffective.Add(1)
		p.tell(CodeIneffective, fmt.Errorf("choice %s for %q: %w", choice, v1.ApprovalWords(saved), err))
		return true
	})
}

// allowedReading judges the call as it would be judged if directories could be read.
func (p *passage) allowedReading(ctx context.Context, roots []string) error {
	grants := slices.Clip(p.grants())
	for _, root := range roots {
		grants = append(grants, v1.PathGrant{ID: "offered", Root: root, Mode: v1.GrantReading})
	}
	in := p.input
	var err error
	if in.Facts, err = p.snapshot.Extract(ctx, p.call, grants); err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	p.remember(&in)
	return p.allows(ctx, &in, false)
}

// allowedBy judges the call as it would be judged after an answer that saves some approvals.
func (p *passage) allowedBy(ctx context.Context, saved []v1.ApprovalEntry, leaves bool) error {
	if len(saved) == 0 {
		return errors.New("it saves nothing")
	}
	return p.savedAllow(ctx, p.input, saved, leaves)
}

// savedAllow judges an input with some approvals.
func (p *passage) savedAllow(ctx context.Context, in v1.Input, saved []v1.ApprovalEntry, leaves bool) error {
	withSaved(&in, saved)
	return p.allows(ctx, &in, leaves)
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
func (p *passage) allows(ctx context.Context, in *v1.Input, leaves bool) error {
	result, err := p.snapshot.Judge(ctx, in)
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
