package gates

import (
	"fmt"
	"strings"

	"github.com/coder/acp-go-sdk"

	"policyd/internal/jsonrpc"
)

// methodCancelRequest cancels a request of its sender.
const methodCancelRequest = "$/cancel_request"

// gatedNamespaces are decided as a whole, so that a method of a later version is gated, too. The policy has
// the table of methods.
var gatedNamespaces = []string{"fs/", "terminal/"}

// gated reports whether a method of the agent reaches the client only by policy's
// leave.
func gated(method string) bool {
	if method == acp.ClientMethodSessionRequestPermission {
		return true
	}
	for _, namespace := range gatedNamespaces {
		if strings.HasPrefix(method, namespace) {
			return true
		}
	}
	return false
}

// gatedFault refuses messages that some client could read as a gated method, and gated methods without an id
// to respond to.
func gatedFault(m *jsonrpc.Message) *jsonrpc.FaultError {
	if m.Method == "" {
		return nil
	}
	if gated(m.Method) {
		if m.Kind != jsonrpc.Request {
			return &jsonrpc.FaultError{
				Code: jsonrpc.CodeInvalidParams, Message: m.Method + ": the request has no id, so it can't be answered",
			}
		}
		return nil
	}
	folded := jsonrpc.Fold(m.Method)
	near := folded == jsonrpc.Fold(acp.ClientMethodSessionRequestPermission)
	for _, namespace := range gatedNamespaces {
		bare := jsonrpc.Fold(namespace)
		near = near || folded == bare || strings.HasPrefix(folded, bare+"/")
	}
	if !near {
		return nil
	}
	return &jsonrpc.FaultError{Code: jsonrpc.CodeUnknownMethod, ID: m.ID, Message: fmt.Sprintf("the method %q is nearly one that policy decides", m.Method)}
}
