package record

import (
	"context"
	"fmt"

	"github.com/goccy/go-json"

	v1 "policyd/api/v1"
)

// Rules are the operators' policy for records: data.system.log.mask and data.system.log.drop. They may be
// used concurrently, and bound their own time.
type Rules interface {
	// Any reports whether there is any rule. Without one no record is looked at.
	Any() bool
	// Mask returns what to erase and to replace: JSON pointers, and objects with op, path and value. event is
	// the record as decoded JSON; it isn't changed.
	Mask(ctx context.Context, event map[string]any) ([]any, error)
	// Drop reports whether the record is to be left out.
	Drop(ctx context.Context, event map[string]any) (bool, error)
}

// maskFailed is the code of a record whose mask could not be applied.
const maskFailed = "mask_failed"

// document is a record whose parts a mask can replace by anything. It has the fields of v1.Record in their
// order, so that every line begins with its id.
type document struct {
	v1.Record
	Input  any `json:"input"`
	Call   any `json:"call"`
	Result any `json:"result"`
}

// masked writes the record into the entry as the rules require, or reports that it is dropped. An amendment
// is never dropped. A mask that fails removes the record's input and everything else that a mask could have
// erased, and never the record itself.
func (w *Writer) masked(ctx context.Context, rules Rules, before, record *v1.Record, e *entry) (dropped bool, err error) {
	event, err := eventOf(record)
	if err != nil {
		return false, err
	}
	drop, err := rules.Drop(ctx, event)
	if drop && err == nil && before != nil {
		drop, err = drops(ctx, rules, before)
	}
	switch {
	case err != nil: // a record more than was wanted
		w.countRule(&w.counters.ruleFailed)
	case drop && w.options.Required:
		w.countRule(&w.counters.dropRefused)
	case drop:
		w.countRule(&w.counters.ruleDropped)
		return true, nil
	}
	operations, err := rules.Mask(ctx, event)
	if err == nil && len(operations) == 0 {
		return false, e.encode(record)
	}
	kept := &document{Record: *record, Input: event["input"], Call: event["call"], Result: event["result"]}
	if err == nil {
		err = kept.apply(operations)
	}
	if err != nil {
		w.countRule(&w.counters.ruleFailed)
		return false, e.encode(withoutInput(record))
	}
	return false, e.encodeDocument(kept)
}

// drops reports whether rules drop a record.
func drops(ctx context.Context, rules Rules, record *v1.Record) (bool, error) {
	event, err := eventOf(record)
	if err != nil {
		return false, err
	}
	return rules.Drop(ctx, event)
}

// eventOf is the record as decoded JSON.
func eventOf(record *v1.Record) (map[string]any, error) {
	line, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	var event map[string]any
	if err := unmarshalNumbers(line, &event); err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	return event, nil
}

// withoutInput is the record after its mask failed: the decision and its rules, and nothing from the call.
func withoutInput(record *v1.Record) *v1.Record {
	kept := *record
	kept.Input, kept.Call = nil, nil
	kept.MaskError = maskFailed
	kept.Result.Items = []v1.DecisionItem{}
	kept.Result.Reasons = make([]v1.Reason, len(record.Result.Reasons))
	for i, reason := range record.Result.Reasons {
		reason.Message = ""
		kept.Result.Reasons[i] = reason
	}
	kept.Erased = []string{"/call", "/input", "/result/items", "/result/reasons"}
	kept.Masked = []string{}
	return &kept
}
