package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/shellquote"
	"policyd/internal/visible"
)

// Runs are the calls that may be run contained.
type Runs interface {
	// Profiles are those that can be enforced here, and ProfileMasks; empty if containment is off. It is
	// called concurrently.
	Profiles() v1.Set
	// Keep notes a call that was allowed with an obligation, until it is claimed.
	Keep(run *PendingRun) error
	// Refused is what containment refused when the same call was run before, nil for nothing.
	Refused(session string, call v1.Digester) []v1.Refusal
	// Handed reports whether a line is the rewritten line of a decision of this session and caller that can
	// still be claimed. It also returns the call's own line.
	Handed(id, session, line string, caller v1.Caller) (own string, handed bool)
	// Tried returns whether one of a session's rewritten lines was run, and how many there were before.
	Tried(session string) (ran bool, handed int)
}

// tries is the number of rewritten lines without a run after which a session counts as unable to run them.
const tries = 3

// Rewrite is set by an adapter that replaces the line of a call. It comes from the host, never from the
// agent.
type Rewrite struct {
	// Launcher is the absolute path of the program that claims a decision and runs its call, and Flags are
	// how it reaches the server.
	Launcher string
	Flags    []string
	// Line is the command line of the call, empty for a call without one.
	Line string
	// With returns the call's arguments with another command line. It is needed if there is a Line.
	With func(line string) (json.RawMessage, error)
}

// words are those of a line up to the decision's id.
func (r *Rewrite) words() []string {
	program, flags := launcher, []string(nil)
	if r != nil {
		program, flags = r.Launcher, r.Flags
	}
	return append(append([]string{program, "run"}, flags...), "--decision")
}

// unwrap replaces a rewritten line by the call that it runs. The rewritten line contains policyd's own paths;
// the judgement is about what the line does.
func (e *evaluation) unwrap() error {
	id, own := e.handed()
	if id == "" {
		return nil
	}
	args, err := e.options.Rewrite.With(own)
	if err != nil {
		return fmt.Errorf("read rewritten line: %w", err)
	}
	call := *e.call
	call.Args = args
	e.call, e.rewritten = &call, id
	return nil
}

// handed is the id of the decision whose rewritten line a call is, empty for none, and the call's own line.
// Program and server must be this adapter's own: another program could run the line without containment.
func (e *evaluation) handed() (id, own string) {
	rewrite, runs := e.options.Rewrite, e.gate.options.Runs
	if rewrite == nil || runs == nil || rewrite.Line == "" {
		return "", ""
	}
	line := rewrite.Line
	if first, behind, joined := strings.Cut(line, thenRun); joined && entersOnly(first) {
		line = behind
	}
	rest, ours := strings.CutPrefix(line, shellquote.Join(rewrite.words())+" ")
	id, _, whole := strings.Cut(rest, " ")
	if !ours || !whole {
		return "", ""
	}
	own, known := runs.Handed(id, e.call.Session.ID, rewrite.Line, e.options.Caller)
	if !known {
		return "", ""
	}
	return id, own
}

// enter and thenRun surround the directory that a lasting shell enters before a run.
const (
	enter   = "cd"
	thenRun = " && "
)

// Line is the command line that fulfils the obligations of a decision, empty without any.
func Line(decision *v1.Decision) string {
	line := shellquote.Join(decision.Run)
	if decision.Enter != "" {
		line = shellquote.Join([]string{enter, decision.Enter}) + thenRun + line
	}
	return line
}

// entersOnly reports whether a command enters a directory, as Line writes it.
func entersOnly(command string) bool {
	words := shellquote.Split(command)
	return len(words) == 2 && words[0] == enter && path.IsAbs(words[1]) && shellquote.Join(words) == command
}

// codeContainedRun is the code of why a rewritten line is allowed.
const codeContainedRun = "contained_run"

// coverHanded covers the rewritten line of a decision like a one-shot answer. The decision isn't spent: the
// launcher claims it.
func (e *evaluation) coverHanded(in *v1.Input) {
	if e.rewritten != "" {
		in.Approvals = []v1.Approval{{ID: e.rewritten, Tool: in.Tool.JudgedAs(), Once: true}}
	}
}

// handedReasons state which decision a rewritten line is of.
func (e *evaluation) handedReasons() []v1.Reason {
	return []v1.Reason{{
		Rule: "gate/" + codeContainedRun, Code: codeContainedRun, Effect: v1.EffectAllow, Item: -1,
		Message: "this line runs the call of decision " + e.rewritten + " contained",
	}}
}

// PendingRun is a call that was allowed with an obligation and not yet run.
type PendingRun struct {
	DecisionID string
	SessionID  string
	Caller     v1.Caller
	v1.Containment
	// Digest names the call, should the containment refuse something.
	Digest [32]byte
	// Line is the command line that was handed out to run the call, empty for none, and Own is the
	// call's own.
	Line, Own string
	// Renew makes the containment again: names may have moved since the decision, and secrets appeared. It may be
	// nil, and is called concurrently.
	Renew func(ctx context.Context) (v1.Containment, error)
}

// codeUncontained is the code of why a call that could be run contained is not.
const codeUncontained = "containment_failed"

// launcher is the command that claims a decision and runs its call.
const launcher = "policyd"

// enforces notes in the facts what the caller can enforce for this call.
func (e *evaluation) enforces(snapshot Snapshot) {
	session, runs := &e.input.Session, e.gate.options.Runs
	session.Enforces, session.Profiles = v1.Set{}, v1.Set{}
	declared := e.call.Session.Enforces
	if e.rewritten != "" {
		return // it is contained already
	}
	if runs == nil || !slices.Contains(declared, v1.ObligationContain) {
		return
	}
	session.Enforces = v1.Set{v1.ObligationContain}
	if e.call.Session.LastingShell && e.input.Tool.Act == v1.ToolShell && snapshot.Moves(e.call) {
		return // its next call starts in the directory where this one leaves the shell
	}
	if e.refusals = runs.Refused(e.call.Session.ID, e); e.call.Escalate || len(e.refusals) > 0 {
		return
	}
	session.Profiles = e.offered(runs)
}

// offered are the profiles that the call can be run in. A client that passes a rewritten line by
// runs the call's own, uncontained. So until a session is seen to run a line that was handed out,
// nothing is allowed for being contained: it is handed what is allowed anyhow, and that not
// without end, since a client's own sandbox may keep the line from reaching the server.
func (e *evaluation) offered(runs Runs) v1.Set {
	profiles := slices.Clone(runs.Profiles())
	if e.options.Rewrite == nil {
		return profiles
	}
	ran, handed := runs.Tried(e.call.Session.ID)
	switch {
	case ran:
		return profiles
	case handed < tries && profiles.Has(v1.ProfileReadOnly):
		return v1.Set{v1.ProfileReadOnly}
	}
	return v1.Set{}
}

// oblige makes the obligation of an allow that needs one, and keeps the call to be run.
func (e *evaluation) oblige(ctx context.Context, snapshot Snapshot) error {
	run := PendingRun{DecisionID: e.id, SessionID: e.call.Session.ID, Caller: e.options.Caller, Digest: e.key(snapshot)}
	run.Renew = e.containment(snapshot)
	var err error
	if run.Containment, err = run.Renew(ctx); err != nil {
		return fmt.Errorf("contain: %w", err)
	}
	if run.Cwd == "" || run.Cwd != e.cwd && run.Cwd != run.Enter {
		return errors.New("contain: the directory isn't known")
	}
	e.decision.Obligations = []v1.Obligation{run.Obligation}
	e.decision.Run = append(append(e.options.Rewrite.words(), e.id, "--"), run.Argv...)
	e.decision.Enter = run.Enter
	if e.options.Rewrite != nil {
		run.Line, run.Own = Line(&e.decision), e.options.Rewrite.Line
	}
	if e.options.Probe {
		return nil
	}
	return e.gate.options.Runs.Keep(&run)
}

// containment returns what makes the containment of the call, whenever it is called.
func (e *evaluation) containment(snapshot Snapshot) func(context.Context) (v1.Containment, error) {
	call, duty, gate := *e.call, e.result.Obliges[0], e.gate
	call.Args = slices.Clone(call.Args)
	return func(ctx context.Context) (v1.Containment, error) {
		later := evaluation{gate: gate, call: &call}
		return snapshot.Contain(ctx, &call, later.grants(), duty)
	}
}

// uncontained judges the call again as if its caller could enforce nothing.
func (e *evaluation) uncontained(ctx context.Context, snapshot Snapshot, err error) {
	e.report(codeUncontained, err)
	e.input.Session.Profiles = v1.Set{}
	e.evaluateBy(ctx, snapshot)
}

// maxRefusals bounds the refusals that a person is shown, and longestTold the bytes of each target: the program
// chose them.
const maxRefusals, maxTargetBytes = 5, 200

// refusedBefore describes an earlier contained run of the same call to the person.
func (e *evaluation) refusedBefore() []v1.Reason {
	if len(e.refusals) == 0 {
		return nil
	}
	told := make([]string, 0, maxRefusals)
	for _, refusal := range e.refusals[:min(len(e.refusals), maxRefusals)] {
		target, _ := visible.Line(e.gate.options.Redactor.Shown(refusal.Target))
		if len(target) > maxTargetBytes {
			target = strings.ToValidUTF8(target[:maxTargetBytes], "") + "…"
		}
		told = append(told, refusal.Operation+" "+target)
	}
	if more := len(e.refusals) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	return []v1.Reason{{
		Rule: "gate/contained_run_refused", Code: "contained_run_refused", Effect: v1.EffectPrompt, Item: -1,
		Message: "run contained, it was refused: " + strings.Join(told, ", "),
	}}
}
