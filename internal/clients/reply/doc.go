// Package reply knows the shapes in which agent programs take a hook's answer,
// and which of them let a denied tool run. It needs the standard library alone:
// the hook program starts with every tool call.
package reply
