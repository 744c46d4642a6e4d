package gate

import (
	"context"

	v1 "policyd/api/v1"
)

// Covered reports whether a call that somebody asked about is allowed by now,
// without an answer that is for a single call. It leaves no trace: whoever makes
// the call is decided, and recorded, on its own.
func (g *Gate) Covered(ctx context.Context, call *v1.Call, caller v1.Caller) bool {
	decision := g.pass(ctx, call, DecideOptions{Caller: caller, Dry: true, lasting: true}, nil)
	return decision.Effect == v1.EffectAllow
}
