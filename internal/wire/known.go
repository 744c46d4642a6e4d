package wire

import (
	"bytes"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// longestKnown bounds each text that is kept with an input, in bytes.
const longestKnown = 4 << 10

// written is what was written since the text was so long, to be kept; nil if it can't be, or is too long.
func (w *writer) written(begun int) []byte {
	if text := w.out[begun:]; w.err == nil && len(text) <= longestKnown {
		return bytes.Clone(text)
	}
	return nil
}

func (w *writer) knownInput(key string, in *v1.Input, known *v1.Known) {
	if in == nil || known == nil {
		pointer(w, key, in, w.input)
		return
	}
	w.raw(key)
	if text, kept := known.Load(v1.UseInput).([]byte); kept {
		w.out = append(w.out, text...)
		return
	}
	begun := len(w.out)
	w.input(in)
	if text := w.written(begun); text != nil {
		known.Keep(v1.UseInput, text)
	}
}

// callText is a call as it was written.
type callText struct {
	call *v1.RecordCall
	text []byte
}

func (w *writer) knownCall(key string, call *v1.RecordCall, known *v1.Known) {
	if call == nil || known == nil {
		pointer(w, key, call, w.recordCall)
		return
	}
	w.raw(key)
	if kept, _ := known.Load(v1.UseCallText).(*callText); kept != nil && kept.call == call {
		w.out = append(w.out, kept.text...)
		return
	}
	begun := len(w.out)
	w.recordCall(call)
	if text := w.written(begun); text != nil {
		known.Keep(v1.UseCallText, &callText{call: call, text: text})
	}
}

// resultText is a result as it was written, up to its prompt, which is another each time.
type resultText struct {
	result v1.RecordResult
	text   []byte
}

func (w *writer) knownResult(key string, result *v1.RecordResult, known *v1.Known) {
	w.raw(key)
	w.resultBeginning(result, known)
	w.text(`,"prompt_id":`, result.PromptID)
	if len(result.Obligations) > 0 {
		w.other(`,"obligations":`, result.Obligations)
	}
	w.raw("}")
}

func (w *writer) resultBeginning(result *v1.RecordResult, known *v1.Known) {
	if known == nil {
		w.result(result)
		return
	}
	if kept, _ := known.Load(v1.UseResult).(*resultText); kept != nil && kept.is(result) {
		w.out = append(w.out, kept.text...)
		return
	}
	begun := len(w.out)
	w.result(result)
	if text := w.written(begun); text != nil {
		known.Keep(v1.UseResult, &resultText{result: owned(result), text: text})
	}
}

// owned is a copy without references into a request.
func owned(result *v1.RecordResult) v1.RecordResult {
	reasons, items := slices.Clone(result.Reasons), slices.Clone(result.Items)
	for i := range reasons {
		reason := &reasons[i]
		reason.Rule, reason.Code, reason.Message = strings.Clone(reason.Rule), strings.Clone(reason.Code), strings.Clone(reason.Message)
	}
	for i := range items {
		item := &items[i]
		item.Kind, item.Verb = strings.Clone(item.Kind), strings.Clone(item.Verb)
		item.Directory, item.CoveredBy = strings.Clone(item.Directory), strings.Clone(item.CoveredBy)
	}
	return v1.RecordResult{Decision: result.Decision, Reasons: reasons, Items: items}
}

// is reports whether a result is written in the same way; a nil list is written differently from an empty
// one.
func (k *resultText) is(result *v1.RecordResult) bool {
	same := &k.result
	return same.Decision == result.Decision &&
		(same.Reasons == nil) == (result.Reasons == nil) && slices.Equal(same.Reasons, result.Reasons) &&
		(same.Items == nil) == (result.Items == nil) && slices.Equal(same.Items, result.Items)
}

// result writes a result as the beginning of an object.
func (w *writer) result(result *v1.RecordResult) {
	w.effect(`{"decision":`, result.Decision)
	each(w, `,"reasons":`, result.Reasons, w.reason)
	each(w, `,"items":`, result.Items, w.decisionItem)
}
