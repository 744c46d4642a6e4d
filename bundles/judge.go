package bundles

import (
	"context"
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/topdown"

	v1 "policyd/api/v1"
)

// resultVar is the variable that the query binds.
const resultVar = ast.Var("x")

// Judge evaluates the policy over an input, or returns the remembered judgement of an equal one. Any error is
// a *v1.CodedError and comes with the zero judgement, which denies. It ends at the deadline of Options, or
// when ctx does; both are CodePolicyTimeout. The input isn't changed, and may be reused at once.
func (s *Snapshot) Judge(ctx context.Context, in *v1.Input) (judgement v1.Judgement, err error) {
	defer func() {
		// A bug in the evaluator denies this call, and must not end the others.
		if fault := recover(); fault != nil {
			judgement, err = v1.Judgement{}, coded(CodePolicyError, "evaluate policy: panic: %v", fault)
		}
	}()
	if err := ctx.Err(); err != nil {
		return v1.Judgement{}, coded(CodePolicyTimeout, "evaluate policy: %w", err)
	}
	if s.repeats == nil {
		return s.judge(ctx, in)
	}
	key := s.repeats.key(in)
	if judgement, known := s.repeats.find(key); known {
		return judgement, nil
	}
	if judgement, err = s.judge(ctx, in); err == nil {
		s.repeats.keep(key, &judgement)
	}
	return judgement, err
}

// judge evaluates, without remembered judgements.
func (s *Snapshot) judge(ctx context.Context, in *v1.Input) (v1.Judgement, error) {
	if err := checkFacts(in); err != nil {
		return v1.Judgement{}, coded(CodeFactsInvalid, "check facts: %w", err)
	}
	if err := checkAbout(&in.Facts, s.ruled[in.Session.Agent]); err != nil {
		return v1.Judgement{}, coded(CodeFactsInvalid, "check index keys: %w", err)
	}
	input, err := s.words.inputTerm(in)
	if err != nil {
		return v1.Judgement{}, coded(CodeFactsInvalid, "write input: %w", err)
	}
	result, err := s.evaluate(ctx, input)
	if err != nil {
		return v1.Judgement{}, err
	}
	judgement, err := s.words.judgement(result, in)
	if err != nil {
		return v1.Judgement{}, coded(CodeResultMalformed, "read result: %w", err)
	}
	return judgement, nil
}

// evaluation is what one judgement needs of memory. It is used again after it.
type evaluation struct {
	memo          *memo
	deadline      deadline
	result        *ast.Term
	results       int
	collectResult func(topdown.QueryResult) error // take, bound once
}

func newEvaluation() *evaluation {
	e := &evaluation{memo: newMemo()}
	e.collectResult = e.collect
	return e
}

func (e *evaluation) collect(found topdown.QueryResult) error {
	e.results++
	e.result = found[resultVar]
	return nil
}

// evaluate returns the one result of the query.
func (s *Snapshot) evaluate(ctx context.Context, input *ast.Term) (*ast.Term, error) {
	e := s.evaluations.Get().(*evaluation)
	e.deadline.start(ctx, s.deadline)
	err := topdown.NewQuery(s.query).
		WithCompiler(s.compiler).
		WithStore(s.store).
		WithTransaction(s.txn).
		WithInput(input).
		WithCancel(&e.deadline).
		WithMetrics(metrics.NoOp()).
		WithInterQueryBuiltinValueCache(s.values).
		WithBaseCache(s.data).
		WithVirtualCache(e.memo).
		WithRequestMetadata(s.metadata).
		WithStrictBuiltinErrors(true).
		Iter(ctx, e.collectResult)
	result, results := e.result, e.results
	// Not deferred: after a panic the state is unknown, and is dropped.
	e.memo.reset()
	e.deadline, e.result, e.results = deadline{}, nil, 0
	s.evaluations.Put(e)
	switch {
	case err != nil:
		return nil, s.codedEvaluation(ctx, err)
	case results == 0 || result == nil:
		return nil, coded(CodePolicyUndefined, "evaluate policy: %s is undefined", entrypointPath)
	case results > 1:
		return nil, coded(CodePolicyConflict, "evaluate policy: %s has %d results", entrypointPath, results)
	}
	return result, nil
}

// codedEvaluation maps an error of the evaluator to its code.
func (s *Snapshot) codedEvaluation(ctx context.Context, err error) error {
	wrapped := fmt.Errorf("evaluate policy: %w", err)
	var fault *topdown.Error
	if errors.As(err, &fault) {
		switch fault.Code {
		case topdown.CancelErr:
			if ended := ctx.Err(); ended != nil {
				return coded(CodePolicyTimeout, "evaluate policy: %w", ended)
			}
			return coded(CodePolicyTimeout,
				"no result within %s, the limit policy_timeout; try again, and raise policy_timeout in the settings if this machine is slow", s.deadline)
		case topdown.ConflictErr:
			return &v1.CodedError{Code: CodePolicyConflict, Err: wrapped}
		}
	}
	return &v1.CodedError{Code: CodePolicyError, Err: wrapped}
}
