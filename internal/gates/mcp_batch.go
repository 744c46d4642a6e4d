package gates

import (
	"bytes"
	"context"

	v1 "policyd/api/v1"
	"policyd/internal/jsonrpc"
)

// takeBatch forwards a batch as a whole or not at all. A call that would prompt is refused here; alone it can
// be held.
func (g *MCP) takeBatch(ctx context.Context, line []byte, messages []jsonrpc.Message) error {
	texts := make([]string, len(messages)) // why a message can't pass
	calls := make([]*called, len(messages))
	stopped := false
	for i := range messages {
		var fault *jsonrpc.FaultError
		if calls[i], fault = toolCall(&messages[i]); fault != nil {
			texts[i], stopped = fault.Message, true
		}
	}
	for i, called := range calls {
		if messages[i].Method == methodCancelled {
			g.held.cancel(cancelledID(&messages[i]))
		}
		if called == nil || stopped {
			continue
		}
		_, decision, err := g.decide(ctx, called)
		switch {
		case err != nil:
			texts[i], stopped = because(err), true
		case decision.Effect == v1.EffectPrompt:
			texts[i], stopped = explain(decision)+"; call it outside of a batch, so that a person can be asked", true
		case decision.Effect != v1.EffectAllow:
			texts[i], stopped = explain(decision), true
		}
	}
	if !stopped {
		return g.pass(line)
	}
	return g.refuseBatch(messages, calls, texts)
}

// refuseBatch answers every request of a batch that was not forwarded.
func (g *MCP) refuseBatch(messages []jsonrpc.Message, calls []*called, texts []string) error {
	answers := [][]byte{}
	for i := range messages {
		if messages[i].Kind != jsonrpc.Request {
			continue
		}
		answer, err := []byte(nil), error(nil)
		if calls[i] != nil && texts[i] != "" {
			answer, err = toolError(messages[i].ID, texts[i])
		} else {
			text := texts[i]
			if text == "" {
				text = "another message of the batch may not pass, so none did; send this one alone"
			}
			answer, err = jsonrpc.Failure(messages[i].ID, jsonrpc.ErrorObject{Code: jsonrpc.CodeRefused, Message: "policyd: " + text})
		}
		if err != nil {
			return err
		}
		answers = append(answers, answer)
	}
	g.note("a batch was not passed on")
	if len(answers) == 0 {
		return nil
	}
	return g.toHost.Put(append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']'))
}
