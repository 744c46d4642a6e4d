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
type passage struct {
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
	// asked is the call as its caller sent it.
	asked *v1.Call
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
	p := &passage{gate: g, options: options, call: call, asked: call, input: emptyInput(), refused: refused}
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
func (p *passage) explain(ctx context.Context) (told *v1.Explanation) {
	none := &v1.Explanation{
		Facts: []string{}, Items: []v1.ItemExplanation{}, Rules: []v1.SpokenRule{}, Near: []v1.NearMiss{}, Remedies: []string{},
		Fault: "there is nothing to explain: no policy judged this call",
	}
	if p.gate.options.Explain == nil || p.snapshot == nil {
		return none
	}
	defer func() {
		if cause := recover(); cause != nil {
			p.gate.options.Fault(CodeInternal, fmt.Errorf("explain: panic: %v", cause))
			none.Fault = "policyd failed while explaining; see its log"
			told = none
		}
	}()
	return p.gate.options.Explain(ctx, p.snapshot, &p.input, &p.decision, p.options.Caller)
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
func (p *passage) guard(step func()) {
	defer func() {
		if cause := recover(); cause != nil {
			p.deny(CodeInternal, "policyd failed while deciding; see its log", fmt.Errorf("panic: %v", cause))
		}
	}()
	step()
}

// deny makes the decision a deny by the gate.
func (p *passage) deny(code, message string, err error) {
	if p.awaits != "" {
		p.gate.options.Prompts.Leave(context.Background(), p.awaits, p.options.Wait > 0)
		p.awaits = ""
	}
	p.fault = code
	p.decision = v1.Decision{
		ID: p.id, Effect: v1.EffectDeny, Items: p.items(), Cwd: p.cwd, Messy: p.input.Messy,
		Reasons:      []v1.Reason{{Rule: "gate/" + code, Code: code, Effect: v1.EffectDeny, Message: message, Item: -1}},
		Policy:       p.policyInfo(),
		JSONRPCError: p.methodError(code),
	}
	if p.decision.JSONRPCError != nil {
		p.decision.Route = p.refusedRoute()
	}
	if err != nil {
		p.tell(code, err)
	}
}

// methodError is what a host answers to a method that was stopped by a fault.
func (p *passage) methodError(code string) *v1.JSONRPCError {
	if p.call == nil || p.call.Protocol != "acp" && p.input.Tool.Kind != v1.ToolACP {
		return nil
	}
	return &v1.JSONRPCError{
		Code: jsonRPCServerError, Message: "blocked by policy",
		Data: v1.JSONRPCErrorData{
			Namespace: p.input.Tool.Namespace, Mode: p.result.Route.Mode, Method: p.call.Tool, Reason: code,
		},
	}
}

// refusedRoute is the route of a method that was stopped: nowhere. A method that asks a person gets the
// answer no (N8).
func (p *passage) refusedRoute() v1.Route {
	route := v1.Route{Mode: "block"}
	if p.input.Method.Permission.Asks {
		route.Select = "reject_once"
	}
	return route
}

func (p *passage) policyInfo() v1.PolicyInfo {
	return v1.PolicyInfo{Revision: p.revision, UnsafeDebug: p.gate.options.UnsafeDebug}
}

// jsonRPCServerError is the first code that JSON-RPC leaves to servers.
const jsonRPCServerError = -32000

func (p *passage) judge(ctx context.Context) {
	options := &p.gate.options
	p.start = options.Clock()
	p.id = options.NewID()
	if p.call == nil {
		p.deny(CodeInternal, "there is no call", nil)
		return
	}
	snapshot := options.Policy.Current()
	if snapshot == nil {
		p.deny(CodeNoPolicy, "no policy is active; see /readyz", nil)
		return
	}
	p.revision, p.snapshot = snapshot.Revision(), snapshot
	if err := p.admit(ctx); err != nil {
		code, message := refusal(err, CodeInternal, "the session can't be looked up; see policyd's log")
		p.deny(code, message, nil)
		return
	}
	extracting, extracted := p.step(ctx, StepExtract)
	err := p.gather(extracting, snapshot)
	extracted()
	p.extract = options.Clock().Sub(p.start)
	if err != nil {
		code, message := refusal(err, CodeInternal, "the call can't be read; see policyd's log")
		p.deny(code, message, err)
		return
	}
	p.evaluateBy(ctx, snapshot)
}

// evaluateBy judges the input and concludes.
func (p *passage) evaluateBy(ctx context.Context, snapshot Snapshot) {
	options := &p.gate.options
	p.result.Known = nil // the input may be another than before
	extracted := options.Clock()
	judging, judged := p.step(ctx, StepJudge)
	result, err := snapshot.Judge(judging, &p.input)
	judged()
	p.evaluate += options.Clock().Sub(extracted)
	if err != nil {
		code, message := failure(ctx, err)
		p.deny(code, message, err)
		return
	}
	if flaw := inconsistency(&p.input, &result); flaw != "" {
		p.deny(CodeInconsistent, "the policy's result contradicts itself: "+flaw, fmt.Errorf("check judgement: %s", flaw))
		return
	}
	if len(result.Reasons) == 0 {
		result.Reasons = allowReasons(result.Covered)
	}
	p.result = result
	p.conclude(ctx, snapshot)
}

// admit replaces the session of the request by the registered one.
func (p *passage) admit(ctx context.Context) error {
	sessions := p.gate.options.Sessions
	if sessions == nil {
		return nil
	}
	admit := sessions.Admit
	if p.options.Dry {
		admit = sessions.Peek
	}
	p.admitted = *p.call
	asked := &p.admitted.Session
	asked.Enforces, asked.LastingShell = nil, false // it holds for this call alone
	session, err := admit(ctx, asked, p.options.Caller)
	if err != nil {
		return err
	}
	if p.call.Session.Enforces != nil {
		session.Enforces, session.LastingShell = p.call.Session.Enforces, p.call.Session.LastingShell
	}
	p.admitted.Session = session
	p.call = &p.admitted
	return nil
}

// gather makes the policy input.
func (p *passage) gather(ctx context.Context, snapshot Snapshot) (err error) {
	p.given = p.gate.options.Given()
	if err := p.unwrap(); err != nil {
		return err
	}
	if p.input.Facts, err = snapshot.Extract(ctx, p.call, p.grants()); err != nil {
		p.gate.options.Redactor.MaskFacts(&p.input.Facts)
		return err
	}
	p.cwd = p.input.Cwd
	p.enforces(snapshot)
	p.claimTerminal()
	p.remember(&p.input)
	return nil
}

// grants are what the session may read or write outside of its own directories.
func (p *passage) grants() []v1.PathGrant {
	options := &p.gate.options
	var grants []v1.PathGrant
	if options.Sessions != nil {
		grants = options.Sessions.Grants(&p.call.Session)
	}
	if options.Approvals == nil {
		return grants
	}
	if opened := options.Approvals.Opened(&p.call.Session); len(opened) > 0 {
		grants = slices.Concat(grants, opened)
	}
	return grants
}

// remember masks the facts and adds the approvals that could apply to them.
func (p *passage) remember(in *v1.Input) {
	options := &p.gate.options
	options.Redactor.MaskFacts(&in.Facts)
	if options.Approvals != nil {
		in.Approvals = options.Approvals.Matching(&in.Facts, p)
	}
	if p.options.lasting {
		in.Approvals = slices.DeleteFunc(in.Approvals, func(approval v1.Approval) bool { return approval.Once })
	}
	p.coverHanded(in)
	if in.Approvals == nil {
		in.Approvals = []v1.Approval{}
	}
}

// conclude turns a consistent judgement into the decision.
func (p *passage) conclude(ctx context.Context, snapshot Snapshot) {
	p.decision = v1.Decision{
		ID: p.id, Effect: p.result.Effect, Reasons: p.result.Reasons, Items: p.items(), Hint: p.result.Hint,
		Cwd: p.cwd, Messy: p.input.Messy, Route: p.result.Route, JSONRPCError: p.result.JSONRPCError,
		Policy: p.policyInfo(),
	}
	switch p.result.Effect {
	case v1.EffectAllow:
		if p.rewritten != "" {
			p.decision.Reasons = p.handedReasons()
			return
		}
		if len(p.result.Obliges) > 0 {
			if err := p.oblige(ctx, snapshot); err != nil {
				p.uncontained(ctx, snapshot, err)
				return
			}
		}
		if !p.spend(ctx, snapshot) && !p.options.Probe {
			p.gate.options.Prompts.ReleaseSame(ctx, p.call.Session.ID, p)
		}
	case v1.EffectDeny:
		p.noteReadOnly()
	case v1.EffectPrompt:
		p.decision.Reasons = append(p.refusedBefore(), p.decision.Reasons...)
		if p.refused != nil {
			p.denyAsAsked()
			return
		}
		p.ask(ctx, snapshot)
	}
}

// noteReadOnly reports changes that a read-only grant prevented.
func (p *passage) noteReadOnly() {
	for _, reason := range p.result.Reasons {
		if reason.Code != codeReadOnly {
			continue
		}
		for i := range p.input.Paths {
			if path := &p.input.Paths[i]; path.Item == reason.Item && path.Space == v1.SpaceGrantRead {
				p.gate.options.ReadOnly(p.id, &p.call.Session, path)
			}
		}
	}
}

// codeReadOnly is the code of the rule scope/read_only.
const codeReadOnly = "path_read_only"

// items are the items for the caller. Of several covers the first by rule id applies, so that the answer
// doesn't depend on evaluation order.
func (p *passage) items() []v1.DecisionItem {
	items := make([]v1.DecisionItem, len(p.input.Items))
	for i := range p.input.Items {
		item := &p.input.Items[i]
		items[i] = v1.DecisionItem{Kind: item.Kind, Verb: item.Verb, Directory: item.Directory}
	}
	for _, cover := range p.result.Covered {
		if covered := &items[cover.Item].CoveredBy; *covered == "" || cover.Rule < *covered {
			*covered = cover.Rule
		}
	}
	return items
}
