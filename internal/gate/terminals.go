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
	// Released hears of a terminal/release that was allowed.
	Released(session, terminal string)
}

// claimTerminal adds the owner of the terminal to the facts.
func (p *passage) claimTerminal() {
	terminal := &p.input.Method.Terminal
	if p.gate.options.Terminals == nil || terminal.Step != v1.StepUse && terminal.Step != v1.StepRelease {
		return
	}
	terminal.Peer, terminal.Known = p.gate.options.Terminals.Claim(p.call.Session.ID, terminal.ID, !p.options.Probe)
	p.terminal = terminal.ID // as it is, before it is masked
}

// noteTerminal reports a terminal that is made or ends, once the decision is final.
func (p *passage) noteTerminal() {
	if p.gate.options.Terminals == nil || p.options.Probe || p.decision.Effect != v1.EffectAllow {
		return
	}
	switch p.input.Method.Terminal.Step {
	case v1.StepCreate:
		p.gate.options.Terminals.Created(p.call.Session.ID, p.id, p.decision.Route)
	case v1.StepRelease:
		p.gate.options.Terminals.Released(p.call.Session.ID, p.terminal)
	}
}

// delegates reports whether the caller's own dialog asks the question: a method that asks a person is the
// question itself, and forwarding it asks.
func (p *passage) delegates() bool {
	return p.options.Delegate && p.options.Wait <= 0 || p.input.Method.Permission.Asks && p.result.Route.Mode != ""
}

// delegate keeps the question for the record of prompts.
func (p *passage) delegate(ctx context.Context, question *v1.Question) {
	prompt := p.gate.options.Prompts.Delegate(ctx, question)
	p.decision.Prompt = &prompt
}
