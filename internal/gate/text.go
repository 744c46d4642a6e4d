package gate

import (
	"bytes"
	"encoding/json"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

// callText is the call as text: the command line of a shell tool, followed by its other arguments, and else
// all arguments.
func callText(call *v1.Call, kind string) string {
	whole := string(call.Args)
	if kind == v1.ToolShell {
		if text, ok := commandText(call.Args); ok {
			return text
		}
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, call.Args); err == nil {
		whole = compact.String()
	}
	return whole
}

// commandText returns the command line, followed by a line with the other arguments if there are any, since
// they may determine where it runs.
func commandText(args json.RawMessage) (string, bool) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(args, &members); err != nil {
		return "", false
	}
	for _, name := range [...]string{"command", "cmd", "script"} {
		var command string
		if err := json.Unmarshal(members[name], &command); err != nil {
			continue
		}
		delete(members, name)
		if len(members) == 0 {
			return command, true
		}
		others, err := json.Marshal(members)
		if err != nil {
			return "", false
		}
		return command + "\n" + string(others), true
	}
	return "", false
}

// exposure masks texts, makes invisible characters visible and records whether a text had any. Masking
// doesn't count: a person can judge a call without its passwords, and an approval contains verbs and
// directories.
type exposure struct {
	mask    func(text string) string
	altered bool
}

func (e *exposure) expose(text string) string {
	shown, altered := visible.Text(e.mask(text))
	e.altered = e.altered || altered
	return shown
}

// line is expose for what is on one line: a line feed in it would let it pose as more than it is.
func (e *exposure) line(text string) string {
	shown, altered := visible.Line(e.expose(text))
	e.altered = e.altered || altered
	return shown
}
