package record

import (
	"strings"

	v1 "policyd/api/v1"
)

// longestClean bounds the texts of a call that is kept, in bytes.
const longestClean = 4 << 10

// cleanCall is a call without anything to mask, and its part of a record. No other call is kept: a secret
// stays in memory no longer than its own call.
type cleanCall struct {
	call  v1.RecordCall // without arguments
	args  string
	kind  string
	names *secretNames // that were active
	kept  *v1.RecordCall
}

// newCleanCall returns a copy without references into a request.
func newCleanCall(call *v1.Call, kind string, names *secretNames) *cleanCall {
	c := &cleanCall{
		call: v1.RecordCall{
			Tool: strings.Clone(call.Tool), Protocol: strings.Clone(call.Protocol), Cwd: strings.Clone(call.Cwd),
			SessionID: strings.Clone(call.Session.ID), Agent: strings.Clone(call.Session.Agent),
		},
		args: string(call.Args), kind: kind, names: names,
	}
	kept := c.call
	kept.Args, _ = decodeArgs([]byte(c.args)) // which could be read just now
	if kept.Args == nil {
		kept.Args = map[string]any{}
	}
	c.kept = &kept
	return c
}

func sizeOf(call *v1.Call) int {
	return len(call.Args) + len(call.Tool) + len(call.Protocol) + len(call.Cwd) + len(call.Session.ID) + len(call.Session.Agent)
}

// is reports whether a record keeps the same of a call.
func (c *cleanCall) is(call *v1.Call, kind string, names *secretNames) bool {
	return c.args == string(call.Args) && c.call.Tool == call.Tool && c.call.Protocol == call.Protocol && c.call.Cwd == call.Cwd &&
		c.call.SessionID == call.Session.ID && c.call.Agent == call.Session.Agent && c.kind == kind && c.names == names
}
