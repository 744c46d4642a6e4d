package wire

import v1 "policyd/api/v1"

// AppendDecision appends a decision. An error says that JSON has no form for something
// in it; out is then as long as before.
func AppendDecision(out []byte, decision *v1.Decision) ([]byte, error) {
	w := &writer{out: out}
	w.decision(decision)
	return w.end(out)
}

func (w *writer) decision(decision *v1.Decision) {
	w.text(`{"decision_id":`, decision.ID)
	w.effect(`,"decision":`, decision.Effect)
	w.reasons(`,"reasons":`, decision.Reasons)
	w.decisionItems(`,"items":`, decision.Items)
	w.text(`,"hint":`, decision.Hint)
	w.truth(`,"abort":`, decision.Abort)
	w.text(`,"cwd":`, decision.Cwd)
	w.truth(`,"messy":`, decision.Messy)
	if decision.Prompt != nil {
		w.other(`,"prompt":`, decision.Prompt)
	}
	w.text(`,"route":{"mode":`, decision.Route.Mode)
	w.text(`,"peer":`, decision.Route.Peer)
	w.text(`,"select":`, decision.Route.Select)
	w.raw(`},"jsonrpc_error":`)
	if decision.JSONRPCError == nil {
		w.raw("null")
	} else {
		w.any(decision.JSONRPCError)
	}
	w.text(`,"policy":{"revision":`, decision.Policy.Revision)
	if decision.Policy.UnsafeDebug {
		w.truth(`,"unsafe_debug":`, true)
	}
	w.raw("}")
	w.obligations(decision.Obligations)
	if len(decision.Run) > 0 {
		w.texts(`,"run":`, decision.Run)
	}
	if decision.Enter != "" {
		w.text(`,"enter":`, decision.Enter)
	}
	if decision.Facts != nil {
		w.raw(`,"facts":`)
		w.facts(decision.Facts)
		w.raw("}")
	}
	if decision.Explanation != nil {
		w.other(`,"explanation":`, decision.Explanation)
	}
	w.raw("}")
}

// obligations are left out where there are none.
func (w *writer) obligations(obligations []v1.Obligation) {
	if len(obligations) > 0 {
		w.other(`,"obligations":`, obligations)
	}
}
