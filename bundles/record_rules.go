package bundles

import (
	"context"
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// Rules for decision records, at the paths of OPA's own decision log.
const (
	maskPath = "data.system.log.mask"
	dropPath = "data.system.log.drop"
)

// RecordRules are a snapshot's rules for decision records. They are immutable and safe for concurrent use,
// and keep their snapshot.
type RecordRules struct {
	snapshot   *Snapshot
	mask, drop ast.Body
}

// RecordRules prepares the rules of the snapshot for decision records.
func (s *Snapshot) RecordRules() (*RecordRules, error) {
	mask, err := s.recordQuery(maskPath)
	if err != nil {
		return nil, err
	}
	drop, err := s.recordQuery(dropPath)
	if err != nil {
		return nil, err
	}
	return &RecordRules{snapshot: s, mask: mask, drop: drop}, nil
}

// recordQuery returns a nil query if neither a rule nor data is at the path.
func (s *Snapshot) recordQuery(path string) (ast.Body, error) {
	ref := ast.MustParseRef(path)
	if len(s.compiler.GetRules(ref)) == 0 && s.data.Get(ref) == nil {
		return nil, nil
	}
	query, err := s.compiler.QueryCompiler().Compile(ast.MustParseBody(string(resultVar) + " = " + path))
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", path, err)
	}
	return query, nil
}

// Any reports whether there is any rule.
func (r *RecordRules) Any() bool { return r.mask != nil || r.drop != nil }

// Mask returns the elements of data.system.log.mask for a record, as decoded JSON; none if it is undefined.
// It returns an error if a rule fails, if the result isn't an array or set, or if it exceeds the time of a
// judgement.
func (r *RecordRules) Mask(ctx context.Context, event map[string]any) ([]any, error) {
	result, err := r.evaluate(ctx, r.mask, event)
	if err != nil || result == nil {
		return nil, err
	}
	operations, err := elementsOf(maskPath, result, func(element *ast.Term) (any, error) { return ast.JSON(element.Value) })
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", maskPath, err)
	}
	return operations, nil
}

// Drop reports whether data.system.log.drop is true for a record. It returns an error if the result isn't a
// boolean, or if a rule fails.
func (r *RecordRules) Drop(ctx context.Context, event map[string]any) (bool, error) {
	result, err := r.evaluate(ctx, r.drop, event)
	if err != nil || result == nil {
		return false, err
	}
	drop, isBoolean := result.Value.(ast.Boolean)
	if !isBoolean {
		return false, fmt.Errorf("read %s: it is %s, not true or false", dropPath, kind(result))
	}
	return bool(drop), nil
}

// evaluate returns the result of a query, nil if it is undefined or there is no rule. Rules for records run
// like those that judge: strictly, and with the same deadline.
func (r *RecordRules) evaluate(ctx context.Context, query ast.Body, event map[string]any) (result *ast.Term, err error) {
	if query == nil {
		return nil, nil
	}
	defer func() {
		if fault := recover(); fault != nil {
			result, err = nil, fmt.Errorf("evaluate rule for records: panic: %v", fault)
		}
	}()
	input, err := ast.InterfaceToValue(event)
	if err != nil {
		return nil, fmt.Errorf("convert record: %w", err)
	}
	s, results := r.snapshot, 0
	var limit deadline
	limit.start(ctx, s.deadline)
	err = topdown.NewQuery(query).
		WithCompiler(s.compiler).WithStore(s.store).WithTransaction(s.txn).WithBaseCache(s.data).
		WithInput(ast.NewTerm(input)).WithCancel(&limit).WithMetrics(metrics.NoOp()).
		WithInterQueryBuiltinValueCache(s.values).WithStrictBuiltinErrors(true).
		Iter(ctx, func(found topdown.QueryResult) error {
			result, results = found[resultVar], results+1
			return nil
		})
	switch {
	case err != nil:
		return nil, fmt.Errorf("evaluate rule for records: %w", err)
	case results > 1:
		return nil, errors.New("evaluate rule for records: it has several results")
	}
	return result, nil
}
