package gate

import (
	"context"

	v1 "policyd/api/v1"
)

// Terminals state whose a terminal is (N5). They are called concurrently.
type Terminals interface {
	// Claim states who made a terminal of the session, and whether it is one. bind is false if nobody will
	// use it, so that nothing is remembered.
	Claim(session, terminal string, bind bool) (peer string, known bool)
	// Created hears of a terminal/create that was allowed, and where it goes.
	Created(session, decision string, route v1.Route)
	// Released hears of a terminal/release that was allowed.
	Released(session, terminal string)
}

// claimTerminal adds to the facts whose terminal it is.
func (p *passage) claimTerminal() {
	terminal := &p.input.Method.Terminal
	if p.gate.options.Terminals == nil || terminal.Step != v1.StepUse && terminal.Step != v1.StepRelease {
		return
	}
	terminal.Peer, terminal.Known = p.gate.options.Terminals.Claim(p.call.Session.ID, terminal.ID, !p.options.Probe)
	p.terminal = terminal.ID // as it is, before it is masked
}

// noteTerminal tells of a terminal that is made or ends, once the decision stands.
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

// delegates reports whether the question is asked in a dialog of the caller's: a
// method that asks a person is the question itself, and forwarding it is asking.
func (p *passage) delegates() bool {
	return p.options.Delegate && p.options.Wait <= 0 || p.input.Method.Permission.Asks && p.result.Route.Mode != ""
}

// delegate keeps the question for the record of who was asked what.
func (p *passage) delegate(ctx context.Context, question *v1.Question) {
	prompt := p.gate.options.Prompts.Delegate(ctx, question)
	p.decision.Prompt = &prompt
}
