package wire

import v1 "policyd/api/v1"

// AppendRecord appends a record. An error says that JSON has no form for something in
// it; out is then as long as before.
func AppendRecord(out []byte, record *v1.Record) ([]byte, error) {
	w := &writer{out: out}
	w.record(record)
	return w.end(out)
}

func (w *writer) record(record *v1.Record) {
	w.text(`{"decision_id":`, record.DecisionID)
	w.moment(`,"timestamp":`, record.Timestamp)
	w.text(`,"path":`, record.Path)
	members(w, `,"labels":`, record.Labels, w.quote)
	members(w, `,"bundles":`, record.Bundles, func(bundle v1.BundleInfo) {
		w.text(`{"revision":`, bundle.Revision)
		w.raw("}")
	})
	w.raw(`,"input":`)
	w.knownInput(record.Input, record.Known)
	w.raw(`,"call":`)
	w.knownCall(record.Call, record.Known)
	w.raw(`,"result":`)
	w.knownResult(&record.Result, record.Known)
	w.text(`,"prompt_id":`, record.Result.PromptID)
	w.obligations(record.Result.Obligations)
	w.raw("}")
	if record.Error != "" {
		w.text(`,"error":`, record.Error)
	}
	if record.MaskError != "" {
		w.text(`,"mask_error":`, record.MaskError)
	}
	members(w, `,"metrics":`, record.Metrics, func(value int64) { w.number("", value) })
	w.texts(`,"erased":`, record.Erased)
	w.texts(`,"masked":`, record.Masked)
	w.raw("}")
}

func (w *writer) call(call *v1.RecordCall) {
	if call == nil {
		w.raw("null")
		return
	}
	w.text(`{"tool":`, call.Tool)
	w.text(`,"protocol":`, call.Protocol)
	members(w, `,"args":`, call.Args, w.argument)
	w.text(`,"cwd":`, call.Cwd)
	w.text(`,"session_id":`, call.SessionID)
	w.text(`,"agent":`, call.Agent)
	w.raw("}")
}

func (w *writer) argument(value any) {
	if text, is := value.(string); is {
		w.quote(text)
		return
	}
	w.any(value)
}

func (w *writer) reasons(key string, reasons []v1.Reason) {
	w.raw(key)
	each(w, reasons, func(reason *v1.Reason) {
		w.text(`{"rule":`, reason.Rule)
		w.text(`,"code":`, reason.Code)
		w.effect(`,"effect":`, reason.Effect)
		w.text(`,"message":`, reason.Message)
		w.number(`,"item":`, int64(reason.Item))
		w.raw("}")
	})
}

func (w *writer) decisionItems(key string, items []v1.DecisionItem) {
	w.raw(key)
	each(w, items, func(item *v1.DecisionItem) {
		w.text(`{"kind":`, item.Kind)
		w.text(`,"verb":`, item.Verb)
		w.text(`,"directory":`, item.Directory)
		w.text(`,"covered_by":`, item.CoveredBy)
		w.raw("}")
	})
}
