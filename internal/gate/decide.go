package gate

import (
	"context"
	"fmt"
	"slices"
	"time"

	v1 "policyd/api/v1"
)

// Codes of denials that come from the gate and not from a rule.
const (
	CodeInternal     = "internal_error"
	CodeNoPolicy     = "policy_not_ready"
	CodeEvaluation   = "evaluation_failed"
	CodeDeadline     = "evaluation_deadline"
	CodeCancelled    = "call_cancelled"
	CodeInconsistent = "judgement_inconsistent"
	CodePromptFailed = "prompt_failed"
	CodeRecordFailed = "record_failed"
	CodeDenied       = "denied_by_person"
	CodeUnanswered   = "prompt_unanswered"
)

// evaluation is one call on its way through the gate.
type evaluation struct {
	gate     *Gate
	options  DecideOptions
	call     *v1.Call
	id       string
	start    time.Time
	revision string
	input    v1.Input
	result   v1.Judgement
	decision v1.Decision
	// cwd is the call's directory as it is, for the host to run the call in;
	// the input's is masked.
	cwd string
	// original is the call as its caller sent it.
	original *v1.Call
	// given is the count of Options.Given before the call was judged.
	given uint64
	// awaits is the prompt that this evaluation opened or joined.
	awaits string
	// refused is the prompt that ended without a yes to this call.
	refused *v1.Prompt
	// admitted is the call with the session that is kept.
	admitted v1.Call
	snapshot Snapshot
	// terminal is the one that is used or released, as the agent names it.
	terminal string
	// answered is the prompt that decided, for the record.
	answered string
	// refusals are what containment refused of the same call before.
	refusals []v1.Refusal
	// rewritten is the decision whose rewritten line the call is, empty for none.
	rewritten string
	// recorded is the record that was handed on, nil for none.
	recorded *v1.Record
	// fault is the code of what went wrong, empty when nothing did.
	fault             string
	extract, evaluate time.Duration
}

// pass decides one call without waiting for a person. It never fails: any fault is a deny whose reason has a
// stable code. When it returns, the record is written, also for a caller whose context is cancelled. refused
// is the prompt that a person denied, nil for none. The call is not changed.
func (g *Gate) pass(ctx context.Context, call *v1.Call, options DecideOptions, refused *v1.Prompt) v1.Decision {
	options.Probe = options.Probe || options.Dry
	p := &evaluation{gate: g, options: options, call: call, original: call, input: emptyInput(), refused: refused}
	p.guard(func() { p.judge(ctx) })
	if !options.Dry {
		p.guard(func() { p.record(ctx) })
		p.guard(p.noteTerminal)
	}
	if call != nil && !options.Probe {
		p.guard(func() { g.options.Decided(p.call, &p.decision) })
	}
	p.guard(func() { p.amend(ctx) })
	if options.IncludeFacts {
		p.decision.Facts = &p.input.Facts
	}
	if options.Explain {
		p.decision.Explanation = p.explain(ctx)
	}
	return p.decision
}

// explain adds the explanation. A fault of it doesn't change the decision.
func (e *evaluation) explain(ctx context.Context) (told *v1.Explanation) {
	none := &v1.Explanation{
		Facts: []string{}, Items: []v1.ItemExplanation{}, Rules: []v1.SpokenRule{}, Near: []v1.NearMiss{}, Remedies: []string{},
		Fault: "there is nothing to explain: no policy judged this call",
	}
	if e.gate.options.Explain == nil || e.snapshot == nil {
		return none
	}
	defer func() {
		if cause := recover(); cause != nil {
			e.gate.options.Fault(CodeInternal, fmt.Errorf("explain: panic: %v", cause))
			none.Fault = "policyd failed while explaining; see its log"
			told = none
		}
	}()
	return e.gate.options.Explain(ctx, e.snapshot, &e.input, &e.decision, e.options.Caller)
}

// emptyInput is the input of a call that could not be extracted: total, and
// incomplete, so that nothing can allow it.
func emptyInput() v1.Input {
	return v1.Input{
		Facts: v1.Facts{
			Schema: v1.FactsSchema, About: []string{}, Verbs: []string{}, Names: []string{}, Doubts: []string{},
			Items: []v1.Item{}, Paths: []v1.Path{},
		},
		Approvals: []v1.Approval{},
	}
}

// guard runs a step and turns a panic into a deny: a bug in one extractor must neither end the process nor
// leave a partial answer.
func (e *evaluation) guard(step func()) {
	defer func() {
		if cause := recover(); cause != nil {
			e.deny(CodeInternal, "policyd failed while deciding; see its log", fmt.Errorf("panic: %v", cause))
		}
	}()
	step()
}

// deny makes the decision a deny by the gate.
func (e *evaluation) deny(code, message string, err error) {
	if e.awaits != "" {
		e.gate.options.Prompts.Leave(context.Background(), e.awaits, e.options.Wait > 0)
		e.awaits = ""
	}
	e.fault = code
	e.decision = v1.Decision{
		ID: e.id, Effect: v1.EffectDeny, Items: e.items(), Cwd: e.cwd, Messy: e.input.Messy,
		Reasons:      []v1.Reason{{Rule: "gate/" + code, Code: code, Effect: v1.EffectDeny, Message: message, Item: -1}},
		Policy:       e.policyInfo(),
		JSONRPCError: e.methodError(code),
	}
	if e.decision.JSONRPCError != nil {
		e.decision.Route = e.refusedRoute()
	}
	if err != nil {
		e.report(code, err)
	}
}

// methodError is what a host answers to a method that was stopped by a fault.
func (e *evaluation) methodError(code string) *v1.JSONRPCError {
	if e.call == nil || e.call.Protocol != "acp" && e.input.Tool.Kind != v1.ToolACP {
		return nil
	}
	return &v1.JSONRPCError{
		Code: jsonRPCServerError, Message: "blocked by policy",
		Data: v1.JSONRPCErrorData{
			Namespace: e.input.Tool.Namespace, Mode: e.result.Route.Mode, Method: e.call.Tool, Reason: code,
		},
	}
}

// refusedRoute is the route of a method that was stopped: nowhere. A method that asks a person gets the
// answer no (N8).
func (e *evaluation) refusedRoute() v1.Route {
	route := v1.Route{Mode: "block"}
	if e.input.Method.Permission.Asks {
		route.Select = "reject_once"
	}
	return route
}

func (e *evaluation) policyInfo() v1.PolicyInfo {
	return v1.PolicyInfo{Revision: e.revision, UnsafeDebug: e.gate.options.UnsafeDebug}
}

// jsonRPCServerError is the first code that JSON-RPC leaves to servers.
const jsonRPCServerError = -32000

func (e *evaluation) judge(ctx context.Context) {
	options := &e.gate.options
	e.start = options.Clock()
	e.id = options.NewID()
	if e.call == nil {
		e.deny(CodeInternal, "there is no call", nil)
		return
	}
	snapshot := options.Policy.Current()
	if snapshot == nil {
		e.deny(CodeNoPolicy, "no policy is active; see /readyz", nil)
		return
	}
	e.revision, e.snapshot = snapshot.Revision(), snapshot
	if err := e.admit(ctx); err != nil {
		code, message := refusal(err, CodeInternal, "the session can't be looked up; see policyd's log")
		e.deny(code, message, nil)
		return
	}
	extracting, extracted := e.step(ctx, StepExtract)
	err := e.gather(extracting, snapshot)
	extracted()
	e.extract = options.Clock().Sub(e.start)
	if err != nil {
		code, message := refusal(err, CodeInternal, "the call can't be read; see policyd's log")
		e.deny(code, message, err)
		return
	}
	e.evaluateBy(ctx, snapshot)
}

// evaluateBy judges the input and concludes.
func (e *evaluation) evaluateBy(ctx context.Context, snapshot Snapshot) {
	options := &e.gate.options
	e.result.Known = nil // the input may be another than before
	extracted := options.Clock()
	judging, judged := e.step(ctx, StepJudge)
	result, err := snapshot.Judge(judging, &e.input)
	judged()
	e.evaluate += options.Clock().Sub(extracted)
	if err != nil {
		code, message := failure(ctx, err)
		e.deny(code, message, err)
		return
	}
	if flaw := inconsistency(&e.input, &result); flaw != "" {
		e.deny(CodeInconsistent, "the policy's result contradicts itself: "+flaw, fmt.Errorf("check judgement: %s", flaw))
		return
	}
	if len(result.Reasons) == 0 {
		result.Reasons = allowReasons(result.Covered)
	}
	e.result = result
	e.conclude(ctx, snapshot)
}

// admit replaces the session of the request by the registered one.
func (e *evaluation) admit(ctx context.Context) error {
	sessions := e.gate.options.Sessions
	if sessions == nil {
		return nil
	}
	admit := sessions.Admit
	if e.options.Dry {
		admit = sessions.Peek
	}
	e.admitted = *e.call
	asked := &e.admitted.Session
	asked.Enforces, asked.LastingShell = nil, false // it holds for this call alone
	session, err := admit(ctx, asked, e.options.Caller)
	if err != nil {
		return err
	}
	if e.call.Session.Enforces != nil {
		session.Enforces, session.LastingShell = e.call.Session.Enforces, e.call.Session.LastingShell
	}
	e.admitted.Session = session
	e.call = &e.admitted
	return nil
}

// gather makes the policy input.
func (e *evaluation) gather(ctx context.Context, snapshot Snapshot) (err error) {
	e.given = e.gate.options.Given()
	if err := e.unwrap(); err != nil {
		return err
	}
	if e.input.Facts, err = snapshot.Extract(ctx, e.call, e.grants()); err != nil {
		e.gate.options.Redactor.MaskFacts(&e.input.Facts)
		return err
	}
	e.cwd = e.input.Cwd
	e.enforces(snapshot)
	e.claimTerminal()
	e.remember(&e.input)
	return nil
}

// grants are what the session may read or write outside of its own directories.
func (e *evaluation) grants() []v1.PathGrant {
	options := &e.gate.options
	var grants []v1.PathGrant
	if options.Sessions != nil {
		grants = options.Sessions.Grants(&e.call.Session)
	}
	if options.Approvals == nil {
		return grants
	}
	if opened := options.Approvals.Opened(&e.call.Session); len(opened) > 0 {
		grants = slices.Concat(grants, opened)
	}
	return grants
}

// remember masks the facts and adds the approvals that could apply to them.
func (e *evaluation) remember(in *v1.Input) {
	options := &e.gate.options
	options.Redactor.MaskFacts(&in.Facts)
	if options.Approvals != nil {
		in.Approvals = options.Approvals.Matching(&in.Facts, e)
	}
	if e.options.lasting {
		in.Approvals = slices.DeleteFunc(in.Approvals, func(approval v1.Approval) bool { return approval.Once })
	}
	e.coverHanded(in)
	if in.Approvals == nil {
		in.Approvals = []v1.Approval{}
	}
}

// conclude turns a consistent judgement into the decision.
func (e *evaluation) conclude(ctx context.Context, snapshot Snapshot) {
	e.decision = v1.Decision{
		ID: e.id, Effect: e.result.Effect, Reasons: e.result.Reasons, Items: e.items(), Hint: e.result.Hint,
		Cwd: e.cwd, Messy: e.input.Messy, Route: e.result.Route, JSONRPCError: e.result.JSONRPCError,
		Policy: e.policyInfo(),
	}
	switch e.result.Effect {
	case v1.EffectAllow:
		if e.rewritten != "" {
			e.decision.Reasons = e.handedReasons()
			return
		}
		if len(e.result.Obliges) > 0 {
			if err := e.oblige(ctx, snapshot); err != nil {
				e.uncontained(ctx, snapshot, err)
				return
			}
		}
		if !e.spend(ctx, snapshot) && !e.options.Probe {
			e.gate.options.Prompts.ReleaseSame(ctx, e.call.Session.ID, e)
		}
	case v1.EffectDeny:
		e.noteReadOnly()
	case v1.EffectPrompt:
		e.decision.Reasons = append(e.refusedBefore(), e.decision.Reasons...)
		if e.refused != nil {
			e.denyAsAsked()
			return
		}
		e.ask(ctx, snapshot)
	}
}

// noteReadOnly reports changes that a read-only grant prevented.
func (e *evaluation) noteReadOnly() {
	for _, reason := range e.result.Reasons {
		if reason.Code != codeReadOnly {
			continue
		}
		for i := range e.input.Paths {
			if path := &e.input.Paths[i]; path.Item == reason.Item && path.Space == v1.SpaceGrantRead {
				e.gate.options.ReadOnly(e.id, &e.call.Session, path)
			}
		}
	}
}

// codeReadOnly is the code of the rule scope/read_only.
const codeReadOnly = "path_read_only"

// items are the items for the caller. Of several covers the first by rule id applies, so that the answer
// doesn't depend on evaluation order.
func (e *evaluation) items() []v1.DecisionItem {
	items := make([]v1.DecisionItem, len(e.input.Items))
	for i := range e.input.Items {
		item := &e.input.Items[i]
		items[i] = v1.DecisionItem{Kind: item.Kind, Verb: item.Verb, Directory: item.Directory}
	}
	for _, cover := range e.result.Covered {
		if covered := &items[cover.Item].CoveredBy; *covered == "" || cover.Rule < *covered {
			*covered = cover.Rule
		}
	}
	return items
}
