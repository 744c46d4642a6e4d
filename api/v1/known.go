package v1

import "sync/atomic"

// Use is what something is kept for with an input.
type Use uint8

// Uses. Values of one use are of one type.
const (
	// UseInput is the input as JSON.
	UseInput Use = iota
	// UseCall is a call with this input, and its part of a record.
	UseCall
	// UseCallText is such a call as JSON.
	UseCallText
	// UseResult is a result for this input, as JSON.
	UseResult
	uses
)

// Known stores derived values with an input while its judgement is remembered, so that they need not be
// computed again. Its users bound the size of a value, and compare its source with the current one. It may be
// used concurrently; nil stores nothing.
type Known struct{ kept [uses]atomic.Value }

// Load is what was kept for a use, nil for nothing.
func (k *Known) Load(use Use) any {
	if k == nil {
		return nil
	}
	return k.kept[use].Load()
}

// Keep keeps a value in the place of the one before. It is only read from then on.
func (k *Known) Keep(use Use, value any) {
	if k != nil {
		k.kept[use].Store(value)
	}
}
