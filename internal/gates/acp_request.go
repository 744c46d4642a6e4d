package gates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/coder/acp-go-sdk"

	v1 "policyd/api/v1"
	"policyd/internal/jsonrpc"
)

// Reasons of errors that come from the gate and not from the policy.
const (
	reasonUndecided = "undecided"         // the sidecar is away, or its answer isn't one
	reasonSession   = "session_unknown"   // the client asked for no such session
	reasonNotServed = "mode_not_served"   // the gate doesn't do what the mode asks for
	reasonPerson    = "approval_required" // nobody answered in time
)

// request is one request of the agent on its way through the gate.
type request struct {
	line, id []byte
	method   string
	params   []byte
	at       int // where params begin in line
	call     *v1.Call
}

// asksPerson reports whether the request is itself a question for a person.
func (r *request) asksPerson() bool { return r.method == acp.ClientMethodSessionRequestPermission }

// takeRequest decides a request of the agent. A request that has to wait for a person is set aside, so that
// it doesn't block those after it.
func (g *ACP) takeRequest(ctx context.Context, line []byte) error {
	// The line is only lent, and a request may outlive it.
	line = clone(line)
	m, fault := single(line)
	if fault != nil {
		return g.refuse(fault, g.toChild)
	}
	r := &request{line: line, id: m.ID, method: m.Method, params: m.Params, at: m.At}
	decision, err := g.decide(ctx, r)
	if err == nil && decision.Effect == v1.EffectPrompt && decision.Prompt.State == v1.PromptPending && g.options.Hold > 0 {
		g.held.start(ctx, string(r.id), func(ctx context.Context, waiting *waiting) {
			decision, err := g.sidecar.Await(ctx, r.call, decision, g.options.Hold)
			if err := g.held.finish(waiting, func() error { return g.conclude(r, decision, err) }); err != nil {
				g.note(fmt.Sprintf("a request could not be answered: %v", err))
			}
		})
		return nil
	}
	return g.conclude(r, decision, err)
}

// errUnknownSession is the fault of a request for a session that the client didn't request.
var errUnknownSession = errors.New("the client has no such session")

func (g *ACP) decide(ctx context.Context, r *request) (*v1.Decision, error) {
	if len(r.params) == 0 || r.params[0] != '{' {
		return nil, errors.New("params are no object")
	}
	session := g.sessionOf(r.params)
	if session == nil {
		return nil, errUnknownSession
	}
	registered, err := session.current(ctx)
	if err != nil {
		return nil, err
	}
	if r.method == acp.ClientMethodTerminalCreate && len(g.options.Launcher) > 0 {
		registered.Enforces = []string{v1.ObligationContain}
	}
	r.call = &v1.Call{Tool: r.method, Protocol: "acp", Args: json.RawMessage(r.params), Session: registered}
	return g.sidecar.Decide(ctx, r.call)
}

// conclude passes a request on, or answers it.
func (g *ACP) conclude(r *request, decision *v1.Decision, err error) error {
	if err != nil {
		reason := reasonUndecided
		if errors.Is(err, errUnknownSession) {
			reason = reasonSession
		}
		return g.deny(r, gateError(r, "", reason, because(err)))
	}
	switch decision.Effect {
	case v1.EffectAllow:
		return g.allow(r, decision)
	case v1.EffectPrompt:
		// The client asks the question for a person: it has one.
		if r.asksPerson() && decision.Prompt.State == v1.PromptDelegated && forwards(decision) {
			return g.toClient(r.line)
		}
		return g.deny(r, gateError(r, decision.Route.Mode, reasonPerson, explain(decision)))
	case v1.EffectDeny:
	}
	if decision.JSONRPCError != nil {
		return g.deny(r, decision.JSONRPCError)
	}
	return g.deny(r, gateError(r, decision.Route.Mode, decision.Reasons[0].Code, explain(decision)))
}

// allow passes a request on, or answers a question for a person that policy is
// certain about (N8).
func (g *ACP) allow(r *request, decision *v1.Decision) error {
	if !forwards(decision) {
		text := fmt.Sprintf("this gate does not serve mode %q", decision.Route.Mode)
		return g.deny(r, gateError(r, decision.Route.Mode, reasonNotServed, text))
	}
	if r.asksPerson() && decision.Route.Select == string(acp.PermissionOptionKindAllowOnce) {
		if option, found := optionOf(r.params, acp.PermissionOptionKindAllowOnce); found {
			return g.answer(r, selected(option))
		}
	}
	line, err := g.oblige(r, decision)
	if err != nil {
		return g.deny(r, gateError(r, decision.Route.Mode, reasonUndecided, because(err)))
	}
	if r.method == acp.ClientMethodTerminalCreate {
		g.mu.Lock()
		_, taken := g.creating[string(r.id)]
		if !taken {
			g.creating[string(r.id)] = creation{session: r.call.Session.ID, decision: decision.ID}
		}
		g.mu.Unlock()
		if taken {
			return g.deny(r, gateError(r, decision.Route.Mode, reasonUndecided, "another request has the same id"))
		}
	}
	return g.toClient(line)
}

// forwards reports whether a mode sends a method to the one client that there is.
// What the gate would have to do itself, it doesn't do (N6, N7).
func forwards(decision *v1.Decision) bool {
	switch decision.Route.Mode {
	case "collaborative", "unsafe_debug", "pass":
		return decision.Route.Peer == "" || decision.Route.Peer == clientPeer
	case "single_pass_through":
		return decision.Route.Peer == clientPeer
	}
	return false
}

// deny answers a request that isn't forwarded. A question for a person gets the answer no.
func (g *ACP) deny(r *request, refusal *v1.JSONRPCError) error {
	if r.asksPerson() {
		if option, found := optionOf(r.params, acp.PermissionOptionKindRejectOnce); found {
			return g.answer(r, selected(option))
		}
		return g.answer(r, outcome("cancelled", ""))
	}
	answer, err := jsonrpc.Failure(r.id, refusal)
	if err != nil {
		return err
	}
	return g.toChild.Put(answer)
}

func (g *ACP) answer(r *request, result any) error {
	answer, err := jsonrpc.Result(r.id, result)
	if err != nil {
		return err
	}
	return g.toChild.Put(answer)
}

// permission is the result of a session/request_permission.
type permission struct {
	Outcome permissionOutcome `json:"outcome"`
}

type permissionOutcome struct {
	Outcome  string `json:"outcome"`
	OptionID string `json:"optionId,omitempty"`
}

func selected(option string) permission { return outcome("selected", option) }

func outcome(outcome, option string) permission {
	return permission{permissionOutcome{Outcome: outcome, OptionID: option}}
}

// optionOf finds the option of a kind. Options that apply more than once are never used: policyd itself
// remembers answers.
func optionOf(params []byte, kind acp.PermissionOptionKind) (string, bool) {
	members, err := jsonrpc.Object(params)
	if err != nil {
		return "", false
	}
	for _, member := range members {
		if member.Name != "options" {
			continue
		}
		var list []json.RawMessage
		if json.Unmarshal(member.Value, &list) != nil {
			return "", false
		}
		for _, entry := range list {
			if option := texts(entry); option["kind"] == string(kind) && option["optionId"] != "" {
				return option["optionId"], true
			}
		}
	}
	return "", false
}

// gateError is the error of a request that the gate refuses.
func gateError(r *request, mode, reason, text string) *v1.JSONRPCError {
	namespace, _, _ := strings.Cut(r.method, "/")
	return &v1.JSONRPCError{
		Code: jsonrpc.CodeRefused, Message: "policyd: " + text,
		Data: v1.JSONRPCErrorData{Namespace: namespace, Mode: mode, Method: r.method, Reason: reason},
	}
}
