package gate

import (
	"context"

	v1 "policyd/api/v1"
)

// Covered reports whether an earlier call would be allowed now, without a one-shot answer. It leaves no
// trace: a repeated call is decided, and recorded, on its own.
func (g *Gate) Covered(ctx context.Context, call *v1.Call, caller v1.Caller) bool {
	decision := g.pass(ctx, call, DecideOptions{Caller: caller, Dry: true, lasting: true}, nil)
	return decision.Effect == v1.EffectAllow
}
