package extract

import (
	"context"
	"errors"
	"time"

	v1 "policyd/api/v1"
	"policyd/extract/lists"
)

// Codes of errors with which an extraction ends early. A call that has one is denied: its
// facts would be a part of what it does.
const (
	CodeTooManyPaths = "too_many_paths"
	CodeTooManyItems = "too_many_items"
	CodeTimeout      = "extraction_timeout"
	CodeCancelled    = "call_cancelled"
)

// mostFacts bounds the paths of one call, and its items. Every later step costs time for
// each of them.
const mostFacts = 4000

// stepsPerLook is how many steps an extraction takes between two looks at the clock.
const stepsPerLook = 32

// bounds end the work on one call.
type bounds struct {
	ctx   context.Context //nolint:containedctx // it lives as long as the extraction, within one call
	until time.Time       // zero is never
	steps int
}

// stopped ends an extraction from any depth. ExtractContext and Contain recover it.
type stopped struct{ err error }

// stoppedBy is the error of an extraction that ended early, given what was recovered; nil if it did not. Any other
// panic goes on.
func stoppedBy(cause any) error {
	if cause == nil {
		return nil
	}
	early, ours := cause.(stopped)
	if !ours {
		panic(cause)
	}
	return early.err
}

func (*bounds) stop(code, message string) {
	panic(stopped{&v1.CodedError{Code: code, Err: errors.New(message)}})
}

// ExtractContext is Extract within bounds: it ends with ctx, when limit is over (0 is no
// limit), and when a call holds more than can be judged. The error is then a
// *v1.CodedError, and the facts are incomplete and empty.
func (x *Extractor) ExtractContext(
	ctx context.Context, call *v1.Call, grants []v1.PathGrant, limit time.Duration,
) (facts v1.Facts, err error) {
	e := x.begin(call)
	defer e.end()
	defer func() {
		if early := stoppedBy(recover()); early != nil {
			facts, err = e.facts.abandoned(), early
		}
	}()
	e.facts.bounds.ctx = ctx
	if limit > 0 {
		e.facts.bounds.until = time.Now().Add(limit)
	}
	return e.extract(grants), nil
}

// distinct gathers texts once each, in order.
type distinct struct {
	list []string
	// seen is made once there are many.
	seen map[string]struct{}
}

// manyTexts is from how many on a map is quicker than a search.
const manyTexts = 32

func (d *distinct) add(text string) {
	if d.seen == nil {
		if d.list = lists.AppendNew(d.list, text); len(d.list) >= manyTexts {
			d.seen = make(map[string]struct{}, 2*manyTexts)
			for _, known := range d.list {
				d.seen[known] = struct{}{}
			}
		}
		return
	}
	if _, known := d.seen[text]; !known {
		d.seen[text] = struct{}{}
		d.list = append(d.list, text)
	}
}
