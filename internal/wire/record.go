package wire

import v1 "policyd/api/v1"

// AppendRecord appends a record. An error states that JSON has no form for something in it; out is then as
// long as before.
func AppendRecord(out []byte, record *v1.Record) ([]byte, error) {
	w := &writer{out: out}
	w.record(record)
	return w.end(out)
}

// AppendDecision appends a decision. An error states that JSON has no form for something in it; out is then
// as long as before.
func AppendDecision(out []byte, decision *v1.Decision) ([]byte, error) {
	w := &writer{out: out}
	w.decision(decision)
	return w.end(out)
}
