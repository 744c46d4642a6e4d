package bundles

import (
	"context"
	"time"

	"github.com/open-policy-agent/opa/v1/topdown"
)

// stepsPerLook is how many steps an evaluation makes between two looks at the clock. A step takes about 0.1
// µs, a look half as much.
const stepsPerLook = 64

var _ topdown.Cancel = (*deadline)(nil)

// deadline ends one evaluation. The evaluator calls it before each step, in the goroutine that judges, so a
// counter and the clock replace a timer and a goroutine per call. A deadline belongs to one evaluation.
type deadline struct {
	ctx   context.Context // lives as long as one call, like this
	end   time.Time
	steps int
	over  bool
}

func (d *deadline) start(ctx context.Context, limit time.Duration) {
	*d = deadline{ctx: ctx, end: time.Now().Add(limit)}
}

// Cancel implements topdown.Cancel.
func (d *deadline) Cancel() { d.over = true }

// Cancelled implements topdown.Cancel.
func (d *deadline) Cancelled() bool {
	d.steps++
	if !d.over && d.steps%stepsPerLook == 0 {
		d.over = d.ctx.Err() != nil || time.Now().After(d.end)
	}
	return d.over
}
