package bundles

import (
	"errors"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	v1 "policyd/api/v1"
)

// judgement parses the result of the entrypoint. It is strict: objects have exactly their keys, and the parts
// must agree.
func (w *vocabulary) judgement(result *ast.Term, in *v1.Input) (v1.Judgement, error) {
	facts := &in.Facts
	var (
		read v1.Judgement
		m    [10]*ast.Term
		err  error
	)
	keys, none := w.decision, len(w.decision)-1
	if object, isObject := result.Value.(ast.Object); isObject && object.Get(keys[none]) == nil {
		keys, m[none] = keys[:none], ast.InternedEmptyArray // a copy of the policy from before there were obligations
	}
	if err = members("decision", result, keys, m[:]); err != nil {
		return v1.Judgement{}, err
	}
	if read.Effect, err = effect("effect", m[0]); err != nil {
		return v1.Judgement{}, err
	}
	if read.Reasons, err = w.reasons(m[1], len(facts.Items)); err != nil {
		return v1.Judgement{}, err
	}
	if read.Covered, err = covers(m[2], len(facts.Items)); err != nil {
		return v1.Judgement{}, err
	}
	if read.Uncovered, err = indices(m[3], len(facts.Items)); err != nil {
		return v1.Judgement{}, err
	}
	if read.Choices, err = choices(m[4]); err != nil {
		return v1.Judgement{}, err
	}
	if read.Hint, err = text("hint", m[5]); err != nil {
		return v1.Judgement{}, err
	}
	if read.RefusalHint, err = text("refusal_hint", m[6]); err != nil {
		return v1.Judgement{}, err
	}
	if read.Route, err = w.readRoute(m[7]); err != nil {
		return v1.Judgement{}, err
	}
	if read.JSONRPCError, err = w.readRPCError(m[8]); err != nil {
		return v1.Judgement{}, err
	}
	if read.Obliges, err = w.duties(m[9]); err != nil {
		return v1.Judgement{}, err
	}
	if err = checkJudgement(&read, in); err != nil {
		return v1.Judgement{}, err
	}
	return read, nil
}

// checkJudgement refuses a judgement whose effect is laxer than its parts.
func checkJudgement(read *v1.Judgement, in *v1.Input) error {
	if err := checkReasons(read); err != nil {
		return err
	}
	if err := checkDuties(read, &in.Session); err != nil {
		return err
	}
	if read.Effect != v1.EffectAllow {
		return nil
	}
	return checkAllowed(read, in)
}

// checkReasons returns an error unless the reasons fit the effect.
func checkReasons(read *v1.Judgement) error {
	if len(read.Reasons) == 0 && read.Effect != v1.EffectAllow {
		return fmt.Errorf("effect is %s without a reason", read.Effect)
	}
	if read.Effect == v1.EffectDeny {
		return nil
	}
	for i := range read.Reasons {
		if read.Reasons[i].Effect == v1.EffectDeny {
			return fmt.Errorf("effect is %s, but reason %d denies", read.Effect, i)
		}
	}
	return nil
}

// checkAllowed returns an error unless the facts are complete and every item is covered.
func checkAllowed(read *v1.Judgement, in *v1.Input) error {
	facts := &in.Facts
	// A one-shot answer covers the call whole: a person saw all of it (A10).
	once := slices.ContainsFunc(in.Approvals, func(approval v1.Approval) bool { return approval.Once })
	switch {
	case !facts.Complete && !once:
		return errors.New("effect is allow, but the facts are incomplete")
	case len(facts.Items) == 0 && !idle(facts) && !once:
		return errors.New("effect is allow, but there are no items")
	case len(read.Uncovered) > 0:
		return fmt.Errorf("effect is allow, but item %d is uncovered", read.Uncovered[0])
	}
	for i := range facts.Items {
		if !covered(read.Covered, i) {
			return fmt.Errorf("effect is allow, but nothing covers item %d", i)
		}
	}
	return nil
}

func covered(covers []v1.Cover, item int) bool {
	for _, cover := range covers {
		if cover.Item == item {
			return true
		}
	}
	return false
}

func (w *vocabulary) reasons(t *ast.Term, items int) ([]v1.Reason, error) {
	return elementsOf("reasons", t, func(t *ast.Term) (v1.Reason, error) { return w.readReason(t, items) })
}

func (w *vocabulary) readReason(t *ast.Term, items int) (v1.Reason, error) {
	var (
		read v1.Reason
		m    [5]*ast.Term
		err  error
	)
	if err = members("reason", t, w.reason, m[:]); err != nil {
		return v1.Reason{}, err
	}
	if read.Rule, err = name("rule", m[0]); err != nil {
		return v1.Reason{}, err
	}
	if read.Code, err = name("code", m[1]); err != nil {
		return v1.Reason{}, err
	}
	if read.Effect, err = effect("effect of a reason", m[2]); err != nil {
		return v1.Reason{}, err
	}
	if read.Message, err = text("message", m[3]); err != nil {
		return v1.Reason{}, err
	}
	read.Item, err = index("item of a reason", m[4], -1, items)
	return read, err
}

func covers(t *ast.Term, items int) ([]v1.Cover, error) {
	return elementsOf("covered", t, func(t *ast.Term) (v1.Cover, error) {
		pair, isArray := t.Value.(*ast.Array)
		if !isArray || pair.Len() != 2 {
			return v1.Cover{}, fmt.Errorf("covered holds %v, not a pair", t)
		}
		item, err := index("covered", pair.Elem(0), 0, items)
		if err != nil {
			return v1.Cover{}, err
		}
		rule, err := name("rule of a cover", pair.Elem(1))
		return v1.Cover{Item: item, Rule: rule}, err
	})
}

func indices(t *ast.Term, items int) ([]int, error) {
	last := -1
	return elementsOf("uncovered", t, func(t *ast.Term) (int, error) {
		item, err := index("uncovered", t, 0, items)
		if err == nil && last >= item {
			err = fmt.Errorf("uncovered: %d does not ascend", item)
		}
		last = item
		return item, err
	})
}

// choices are offered in order, which a set would lose.
func choices(t *ast.Term) ([]string, error) {
	if _, isSet := t.Value.(ast.Set); isSet {
		return nil, errors.New("choices is a set, not an array")
	}
	return elementsOf("choices", t, func(t *ast.Term) (string, error) { return name("choice", t) })
}

func (w *vocabulary) readRoute(t *ast.Term) (v1.Route, error) {
	var (
		read v1.Route
		m    [3]*ast.Term
	)
	if err := members("route", t, w.route, m[:]); err != nil {
		return v1.Route{}, err
	}
	err := texts(w.route, m[:], &read.Mode, &read.Peer, &read.Select)
	return read, err
}

func (w *vocabulary) readRPCError(t *ast.Term) (*v1.JSONRPCError, error) {
	if _, isNull := t.Value.(ast.Null); isNull {
		return nil, nil // null is a value of this field
	}
	var (
		read v1.JSONRPCError
		m    [3]*ast.Term
		data [4]*ast.Term
		err  error
	)
	if err = members("jsonrpc_error", t, w.rpcError, m[:]); err != nil {
		return nil, err
	}
	if read.Code, err = number("code of jsonrpc_error", m[0]); err != nil {
		return nil, err
	}
	if read.Message, err = text("message of jsonrpc_error", m[1]); err != nil {
		return nil, err
	}
	if err = members("data of jsonrpc_error", m[2], w.rpcData, data[:]); err != nil {
		return nil, err
	}
	err = texts(w.rpcData, data[:], &read.Data.Namespace, &read.Data.Mode, &read.Data.Method, &read.Data.Reason)
	return &read, err
}
