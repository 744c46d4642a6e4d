// Package reply describes the agent programs whose hooks are supported: their names, their events, the form
// of their replies, and the shells that they start. It needs the standard library alone, since the hook
// program starts with every tool call.
package reply
