package v1

import "sync/atomic"

// Use is what something is kept for with an input.
type Use uint8

// Uses. Values of one use are of one type.
const (
	// UseInput is the input as JSON.
	UseInput Use = iota
	// UseCall is a call that had this input, and what a record keeps of it.
	UseCall
	// UseCallText is such a call as JSON.
	UseCallText
	// UseResult is a result for this input, as JSON.
	UseResult
	uses
)

// Known is kept with an input for as long as its judgement is remembered, so that what is
// made of the same input each time need not be made again. Who keeps something bounds its
// size, and holds what it was made of against what is at hand. It may be used
// concurrently; nil keeps nothing.
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
