package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/prompts"
)

// fixed is a policy and snapshot whose results a test writes down.
type fixed struct {
	absent  bool
	facts   v1.Facts
	result  v1.Judgement
	err     error
	extract func(*v1.Call)
	judge   func(context.Context, *v1.Input)
	// unread is why the facts can't be made, nil when they can.
	unread error
	// containment is what a duty means, uncontained why it can't be met.
	containment v1.Containment
	uncontained error
	// moves states that lines change the directory that their shell keeps.
	moves bool
}

func (f *fixed) Current() gate.Snapshot {
	if f.absent {
		return nil
	}
	return f
}
func (f *fixed) Revision() string { return "r1" }
func (f *fixed) Extract(_ context.Context, call *v1.Call, _ []v1.PathGrant) (v1.Facts, error) {
	if f.extract != nil {
		f.extract(call)
	}
	return f.facts, f.unread
}

func (f *fixed) Inert(*v1.Call) []string { return []string{"description"} }

func (f *fixed) Contain(context.Context, *v1.Call, []v1.PathGrant, v1.Duty) (v1.Containment, error) {
	return f.containment, f.uncontained
}

func (f *fixed) Moves(*v1.Call) bool { return f.moves }

func (f *fixed) Judge(ctx context.Context, in *v1.Input) (v1.Judgement, error) {
	if f.judge != nil {
		f.judge(ctx, in)
	}
	return f.result, f.err
}

// log keeps records, or fails.
type log struct {
	mu      sync.Mutex
	err     error
	records []v1.Record
	amended []v1.Record
	ctxErr  error
}

func (l *log) Write(ctx context.Context, record *v1.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	l.ctxErr = ctx.Err()
	l.records = append(l.records, *record)
	return nil
}

func (l *log) Amend(_ context.Context, _, record *v1.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.amended = append(l.amended, *record)
}

func (l *log) last(t *testing.T) v1.Record {
	t.Helper()
	require.NotEmpty(t, l.records)
	return l.records[len(l.records)-1]
}

// marking is a redactor that shows that it ran.
type marking struct{}

func (marking) MaskFacts(facts *v1.Facts) { facts.Names = append(facts.Names, "masked") }
func (marking) Shown(text string) string  { return text }
func (marking) Redact(call *v1.Call, kind string, _ *v1.Known) (*v1.RecordCall, []string, []string) {
	return &v1.RecordCall{Tool: call.Tool, Args: map[string]any{}, SessionID: call.Session.ID}, []string{kind}, []string{}
}

// house is a gate with its collaborators in a test's hands.
type house struct {
	*gate.Gate
	policy *fixed
	book   *prompts.Book
	asking prompts.Options
	log    *log
	now    time.Time
	faults []string
}

func build(t *testing.T, policy *fixed, change ...func(*house, *gate.Options)) *house {
	t.Helper()
	h := &house{policy: policy, log: &log{}, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	var mu sync.Mutex
	next := 0
	options := gate.Options{
		Policy: policy, Redactor: marking{}, Recorder: h.log, RequireRecord: true, Labels: map[string]string{"host": "h"},
		Clock: func() time.Time { return h.now },
		NewID: func() string {
			mu.Lock()
			defer mu.Unlock()
			next++
			return "id-" + strconv.Itoa(next)
		},
		Fault: func(code string, err error) { h.faults = append(h.faults, code+": "+err.Error()) },
	}
	h.asking = prompts.Options{Clock: options.Clock, NewID: options.NewID}
	for _, apply := range change {
		apply(h, &options)
	}
	book, err := prompts.New(h.asking)
	require.NoError(t, err)
	h.book, options.Prompts = book, book
	made, err := gate.New(options)
	require.NoError(t, err)
	h.Gate = made
	return h
}

func command(verb, directory string) v1.Item {
	return v1.Item{Kind: v1.ItemCommand, Verb: verb, Directory: directory, Path: -1}
}

func facts(items ...v1.Item) v1.Facts {
	return v1.Facts{
		Schema: 1, Cwd: "/srv/proj", Complete: true, Items: append([]v1.Item{}, items...), Tool: v1.ToolFacts{Kind: v1.ToolShell},
		About: []string{}, Verbs: []string{}, Names: []string{}, Doubts: []string{}, Paths: []v1.Path{},
	}
}

// allowed covers every item.
func allowed(items ...v1.Item) *fixed {
	policy := &fixed{facts: facts(items...)}
	policy.result = v1.Judgement{Effect: v1.EffectAllow, Reasons: []v1.Reason{{Rule: "x", Code: "covered", Effect: v1.EffectAllow, Item: -1}}}
	for i := range items {
		policy.result.Covered = append(policy.result.Covered, v1.Cover{Item: i, Rule: "safe_verbs/read"})
	}
	return policy
}

func everyChoice() []string {
	return []string{v1.ChoiceOnce, v1.ChoiceSession, v1.ChoiceAlwaysHere, v1.ChoiceAlwaysAnywhere, v1.ChoiceDeny}
}

// asked covers nothing.
func asked(items ...v1.Item) *fixed {
	policy := &fixed{facts: facts(items...)}
	policy.result = v1.Judgement{
		Effect: v1.EffectPrompt, Choices: everyChoice(),
		Reasons: []v1.Reason{{Rule: "approvals/required", Code: "approval_required", Effect: v1.EffectPrompt, Item: -1}},
	}
	for i := range items {
		policy.result.Uncovered = append(policy.result.Uncovered, i)
	}
	return policy
}

func bash(command string) *v1.Call {
	args, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	return &v1.Call{Tool: "Bash", Args: args, Cwd: "/srv/proj", Session: v1.Session{ID: "s-1", Agent: "claude-code"}}
}

// assertFault holds a deny by the gate: decision, revision and record together.
func assertFault(t *testing.T, h *house, decision v1.Decision, code string, asked ...string) {
	t.Helper()
	assert.Equal(t, v1.EffectDeny, decision.Effect)
	require.Len(t, decision.Reasons, 1+len(asked), "the fault, and what would have been asked")
	for i, code := range asked {
		assert.Equal(t, code, decision.Reasons[1+i].Code)
	}
	assert.Equal(t, v1.Reason{
		Rule: "gate/" + code, Code: code, Effect: v1.EffectDeny, Message: decision.Reasons[0].Message, Item: -1,
	}, decision.Reasons[0])
	assert.NotEmpty(t, decision.Reasons[0].Message)
	assert.Nil(t, decision.Prompt)
	assert.NotNil(t, decision.Items)
	if h.log.err == nil {
		line := h.log.last(t)
		assert.Equal(t, code, line.Error)
		assert.Equal(t, v1.EffectDeny, line.Result.Decision)
		assert.Equal(t, decision.ID, line.DecisionID)
		assert.Empty(t, line.Result.PromptID)
	}
}

func TestDecideAllowsWhatIsCovered(t *testing.T) {
	policy := allowed(command("ls", "/srv/proj"))
	policy.result.Covered = append(policy.result.Covered, v1.Cover{Item: 0, Rule: "approvals/verb"})
	h := build(t, policy)
	decision := h.Decide(t.Context(), bash("ls"), gate.DecideOptions{})
	assert.Equal(t, v1.EffectAllow, decision.Effect)
	assert.Equal(t, []v1.DecisionItem{{Kind: "command", Verb: "ls", Directory: "/srv/proj", CoveredBy: "approvals/verb"}}, decision.Items)
	assert.Equal(t, "r1", decision.Policy.Revision)
	assert.Equal(t, "/srv/proj", decision.Cwd)
	assert.Nil(t, decision.Facts)
	line := h.log.last(t)
	assert.Equal(t, decision.ID, line.DecisionID)
	assert.Equal(t, v1.EffectAllow, line.Result.Decision)
	assert.Equal(t, "r1", line.Bundles["policyd"].Revision)
	assert.Equal(t, map[string]string{"host": "h"}, line.Labels)
	assert.Equal(t, []string{"masked"}, line.Input.Names, "the judged input is recorded")
	assert.NotNil(t, line.Input.Approvals)
	assert.Equal(t, []string{"shell"}, line.Erased)
	assert.Empty(t, line.Error)
	assert.Empty(t, h.faults)
}

func TestFactsAreMaskedBeforeJudgement(t *testing.T) {
	policy := allowed(command("ls", "/"))
	var seen []string
	policy.judge = func(_ context.Context, in *v1.Input) { seen = in.Names }
	build(t, policy).Decide(t.Context(), bash("ls"), gate.DecideOptions{})
	assert.Equal(t, []string{"masked"}, seen)
}

func TestDecideAddsFactsWhenAsked(t *testing.T) {
	decision := build(t, allowed(command("ls", "/"))).Decide(t.Context(), bash("ls"), gate.DecideOptions{IncludeFacts: true})
	require.NotNil(t, decision.Facts)
	assert.Equal(t, "ls", decision.Facts.Items[0].Verb)
}

func TestFaultsDeny(t *testing.T) {
	covered := func(change func(*fixed)) *fixed {
		policy := allowed(command("ls", "/srv"))
		change(policy)
		return policy
	}
	tests := []struct {
		name, code string
		policy     *fixed
	}{
		{"no policy", gate.CodeNoPolicy, &fixed{absent: true}},
		{"panic in extraction", gate.CodeInternal, covered(func(f *fixed) { f.extract = func(*v1.Call) { panic("boom") } })},
		{"panic in judgement", gate.CodeInternal, covered(func(f *fixed) { f.judge = func(context.Context, *v1.Input) { panic("boom") } })},
		{"coded error", "policy_undefined", covered(func(f *fixed) {
			f.err = fmt.Errorf("judge: %w", &v1.CodedError{Code: "policy_undefined", Err: errors.New("x")})
		})},
		{"error with a result", gate.CodeEvaluation, covered(func(f *fixed) { f.err = errors.New("x") })},
		{"deadline", gate.CodeDeadline, covered(func(f *fixed) { f.err = context.DeadlineExceeded })},
		{"no reason", gate.CodeInconsistent, func() *fixed {
			policy := asked(command("ls", "/"))
			policy.result.Reasons = nil
			return policy
		}()},
		{"zero judgement", gate.CodeInconsistent, covered(func(f *fixed) { f.result = v1.Judgement{} })},
		{"reason of no item", gate.CodeInconsistent, covered(func(f *fixed) { f.result.Reasons[0].Item = 1 })},
		{"cover of no item", gate.CodeInconsistent, covered(func(f *fixed) { f.result.Covered[0].Item = 7 })},
		{"uncovered no item", gate.CodeInconsistent, covered(func(f *fixed) { f.result.Uncovered = []int{-1} })},
		{"unknown effect", gate.CodeInconsistent, covered(func(f *fixed) { f.result.Effect = 9 })},
		{"allow of nothing", gate.CodeInconsistent, allowed()},
		{"allow of incomplete facts", gate.CodeInconsistent, covered(func(f *fixed) { f.facts.Complete = false })},
		{"allow with an uncovered item", gate.CodeInconsistent, covered(func(f *fixed) { f.result.Uncovered = []int{0} })},
		{"allow without a cover", gate.CodeInconsistent, covered(func(f *fixed) { f.result.Covered = nil })},
		{"unknown choice", gate.CodeInconsistent, func() *fixed {
			policy := asked(command("ls", "/"))
			policy.result.Choices = []string{"forever"}
			return policy
		}()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := build(t, test.policy)
			decision := h.Decide(t.Context(), bash("ls"), gate.DecideOptions{IncludeFacts: true})
			assertFault(t, h, decision, test.code)
			encoded, err := json.Marshal(decision)
			require.NoError(t, err)
			assert.NotContains(t, string(encoded), `"items":null`)
			assert.NotContains(t, string(encoded), `"about":null`)
		})
	}
}

func TestDecideDeniesNoCall(t *testing.T) {
	h := build(t, allowed())
	assertFault(t, h, h.Decide(t.Context(), nil, gate.DecideOptions{}), gate.CodeInternal)
}

func TestFaultOnAMethodAnswersJSONRPC(t *testing.T) {
	call := &v1.Call{Tool: "fs/read_text_file", Protocol: "acp", Args: json.RawMessage(`{}`)}
	decision := build(t, &fixed{absent: true}).Decide(t.Context(), call, gate.DecideOptions{})
	require.NotNil(t, decision.JSONRPCError)
	assert.Equal(t, gate.CodeNoPolicy, decision.JSONRPCError.Data.Reason)
	assert.Equal(t, "fs/read_text_file", decision.JSONRPCError.Data.Method)
}

func TestRecordIsWrittenForACallerWhoWentAway(t *testing.T) {
	policy := allowed(command("ls", "/"))
	policy.judge = func(ctx context.Context, _ *v1.Input) { policy.err = ctx.Err() }
	h := build(t, policy)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assertFault(t, h, h.Decide(ctx, bash("ls"), gate.DecideOptions{}), gate.CodeCancelled)
	assert.NoError(t, h.log.ctxErr)
}

func TestUnrecordedDecisionIsDenied(t *testing.T) {
	for name, policy := range map[string]*fixed{"allow": allowed(command("ls", "/a")), "prompt": asked(command("ls", "/a"))} {
		t.Run(name, func(t *testing.T) {
			h := build(t, policy)
			h.log.err = errors.New("disk full")
			decision := h.Decide(t.Context(), bash("ls"), gate.DecideOptions{})
			assertFault(t, h, decision, gate.CodeRecordFailed)
			assert.Equal(t, []string{"record_failed: disk full"}, h.faults)
			require.Len(t, h.log.amended, 1, "the record that failed may be in the log all the same")
			assertAnswered(t, decision, &h.log.amended[0])
			if kept, err := h.book.Get(t.Context(), "id-2"); err == nil {
				assert.Equal(t, v1.PromptWithdrawn, kept.State, "nobody is asked about it any more")
			}
		})
	}
}

// assertAnswered checks that a record states what was answered.
func assertAnswered(t *testing.T, decision v1.Decision, amended *v1.Record) {
	t.Helper()
	assert.Equal(t, decision.ID, amended.DecisionID)
	assert.Equal(t, decision.Effect, amended.Result.Decision)
	assert.Equal(t, decision.Reasons, amended.Result.Reasons)
	assert.Equal(t, decision.Reasons[0].Code, amended.Error)
}

// What fails behind the record denies, and the log states that, too.
func TestACallThatIsDeniedAfterItsRecordHasAnotherOne(t *testing.T) {
	h := build(t, allowed(command("ls", "/a")), func(_ *house, o *gate.Options) {
		o.Decided = func(*v1.Call, *v1.Decision) { panic("no room") }
	})
	decision := h.Decide(t.Context(), bash("ls"), gate.DecideOptions{})
	assert.Equal(t, v1.EffectDeny, decision.Effect)
	assert.Equal(t, v1.EffectAllow, h.log.last(t).Result.Decision)
	require.Len(t, h.log.amended, 1)
	assertAnswered(t, decision, &h.log.amended[0])

	h = build(t, allowed(command("ls", "/a")))
	h.Decide(t.Context(), bash("ls"), gate.DecideOptions{})
	assert.Empty(t, h.log.amended, "a record that says what was answered is enough")
}

func TestUnrecordedDecisionIsValidIfRecordsAreOptional(t *testing.T) {
	h := build(t, allowed(command("ls", "/a")), func(_ *house, o *gate.Options) { o.RequireRecord = false })
	h.log.err = errors.New("disk full")
	assert.Equal(t, v1.EffectAllow, h.Decide(t.Context(), bash("ls"), gate.DecideOptions{}).Effect)
	assert.Equal(t, []string{"record_failed: disk full"}, h.faults, "but it is told")
}

func TestNewRefusesMissingCollaborators(t *testing.T) {
	book, err := prompts.New(prompts.Options{Clock: time.Now, NewID: func() string { return "" }})
	require.NoError(t, err)
	_, err = gate.New(gate.Options{Prompts: book, Redactor: marking{}})
	require.ErrorContains(t, err, "no policy")
	_, err = gate.New(gate.Options{Prompts: book, Policy: &fixed{}})
	require.ErrorContains(t, err, "no redactor")
	_, err = gate.New(gate.Options{Policy: &fixed{}, Redactor: marking{}})
	require.ErrorContains(t, err, "no prompts")
	_, err = gate.New(gate.Options{Prompts: book, Policy: &fixed{}, Redactor: marking{}, RequireRecord: true})
	require.ErrorContains(t, err, "no recorder")
	_, err = gate.New(gate.Options{Prompts: book, Policy: &fixed{}, Redactor: marking{}})
	require.NoError(t, err)
}

// remembering is a memory of fixed answers.
type remembering struct{}

func (remembering) Matching(*v1.Facts, v1.Digester) []v1.Approval {
	return []v1.Approval{{ID: "a"}}
}
func (remembering) Spend(context.Context, string) error    { return nil }
func (remembering) ReadingRoot(*v1.Session, string) string { return "" }

func (remembering) ChangingRoot(*v1.Session, string) string { return "" }

func (remembering) Opened(*v1.Session) []v1.PathGrant { return nil }

func (remembering) InMain(string) (string, bool) { return "", false }

func (remembering) Grants(s *v1.Session) []v1.PathGrant { return []v1.PathGrant{{ID: "g-" + s.ID}} }
func (remembering) Admit(_ context.Context, asked *v1.Session, _ v1.Caller) (v1.Session, error) {
	return *asked, nil
}

func (r remembering) Peek(ctx context.Context, asked *v1.Session, caller v1.Caller) (v1.Session, error) {
	return r.Admit(ctx, asked, caller)
}

func TestMemoryReachesThePolicy(t *testing.T) {
	policy := allowed(command("ls", "/"))
	var seen []v1.Approval
	policy.judge = func(_ context.Context, in *v1.Input) { seen = in.Approvals }
	h := build(t, policy, func(_ *house, o *gate.Options) { o.Sessions, o.Approvals = remembering{}, remembering{} })
	h.Decide(t.Context(), bash("ls"), gate.DecideOptions{})
	assert.Equal(t, []v1.Approval{{ID: "a"}}, seen)
	assert.Equal(t, seen, h.log.last(t).Input.Approvals)
}

func BenchmarkDecide(b *testing.B) {
	policy := allowed(command("ls", "/srv"), command("cat", "/srv"), command("git status", "/srv"))
	book, err := prompts.New(prompts.Options{Clock: time.Now, NewID: func() string { return "" }})
	require.NoError(b, err)
	made, err := gate.New(gate.Options{Policy: policy, Prompts: book, Redactor: marking{}, Recorder: discard{}})
	require.NoError(b, err)
	call := bash("ls && cat a; git status")
	b.ReportAllocs()
	for b.Loop() {
		made.Decide(b.Context(), call, gate.DecideOptions{})
	}
}

type discard struct{}

func (discard) Write(context.Context, *v1.Record) error       { return nil }
func (discard) Amend(context.Context, *v1.Record, *v1.Record) {}

func long(n int) string { return strings.Repeat("a", n) }

// Reasons are never empty, also where the policy leaves them to the gate.
func TestAllowNamesItsCovers(t *testing.T) {
	policy := allowed(command("ls", "/srv/proj"), command("cat", "/srv/proj"))
	policy.result.Reasons = nil
	h := build(t, policy)
	decision := h.Decide(t.Context(), bash("ls; cat"), gate.DecideOptions{})
	require.Equal(t, v1.EffectAllow, decision.Effect)
	assert.Equal(t, []v1.Reason{
		{Rule: "safe_verbs/read", Code: "covered", Effect: v1.EffectAllow, Message: "covered", Item: 0},
		{Rule: "safe_verbs/read", Code: "covered", Effect: v1.EffectAllow, Message: "covered", Item: 1},
	}, decision.Reasons)
	assert.Equal(t, decision.Reasons, h.log.last(t).Result.Reasons)
}

func TestNothingIsAllowedAgainstTheFacts(t *testing.T) {
	policy := allowed()
	policy.result.Reasons = nil
	policy.facts.About = append(policy.facts.About, "shell", "nothing")
	h := build(t, policy)
	decision := h.Decide(t.Context(), bash("# later"), gate.DecideOptions{})
	require.Equal(t, v1.EffectAllow, decision.Effect)
	require.Len(t, decision.Reasons, 1)
	assert.Equal(t, "nothing_to_do", decision.Reasons[0].Code)
	assert.Equal(t, decision.Reasons, h.log.last(t).Result.Reasons)
}
