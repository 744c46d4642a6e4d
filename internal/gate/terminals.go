package gate

import (
	"context"

	v1 "policyd/api/v1"
)

// Terminals know the owner of each terminal (N5). They are called concurrently.
type Terminals interface {
	// Claim returns who made a terminal of the session, and whether it exists. bind is false if nobody will
	// use it: then nothing is stored.
	Claim(session, terminal string, bind bool) (peer string, known bool)
	// Created gets a terminal/create that was allowed, and its destination.
	Created(session, decision string, route v1.Route)
	// Released is called for a terminal/release that was allowed.
	Released(session, terminal string)
}

// claimTerminal adds the owner of the terminal to the facts.
func (e *evaluation) claimTerminal() {
	terminal := &e.input.Method.Terminal
	if e.gate.options.Terminals == nil || terminal.Step != v1.StepUse && terminal.Step != v1.StepRelease {
		return
	}
	terminal.Peer, terminal.Known = e.gate.options.Terminals.Claim(e.call.Session.ID, terminal.ID, !e.options.Probe)
	e.terminal = terminal.ID // as it is, before it is masked
}

// noteTerminal reports a terminal that is made or ends, once the decision is final.
func (e *evaluation) noteTerminal() {
	if e.gate.options.Terminals == nil || e.options.Probe || e.decision.Effect != v1.EffectAllow {
		return
	}
	switch e.input.Method.Terminal.Step {
	case v1.StepCreate:
		e.gate.options.Terminals.Created(e.call.Session.ID, e.id, e.decision.Route)
	case v1.StepRelease:
		e.gate.options.Terminals.Released(e.call.Session.ID, e.terminal)
	}
}

// delegates reports whether the caller's own dialog asks the question: a method that asks a person is the
// question itself, and forwarding it asks.
func (e *evaluation) delegates() bool {
	return e.options.Delegate && e.options.Wait <= 0 || e.input.Method.Permission.Asks && e.result.Route.Mode != ""
}

// delegate keeps the question for the record of prompts.
func (e *evaluation) delegate(ctx context.Context, question *v1.Question) {
	prompt := e.gate.options.Prompts.Delegate(ctx, question)
	e.decision.Prompt = &prompt
}
