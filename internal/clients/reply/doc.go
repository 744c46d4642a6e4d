// Package reply knows the agent programs whose hooks are understood: their names, the names of
// their events, the shapes in which they take a hook's answer, and the shells that they start.
// It needs the standard library alone: the hook program starts with every tool call.
package reply
