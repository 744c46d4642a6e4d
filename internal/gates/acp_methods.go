package gates

import (
	"fmt"
	"strings"

	"github.com/coder/acp-go-sdk"

	"policyd/internal/jsonrpc"
)

// methodCancelRequest gives a request up that its sender has sent.
const methodCancelRequest = "$/cancel_request"

// gatedNamespaces are asked about whole, so that a method that a later version adds is gated, too; policy has
// the table that states what each is.
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

// gatedFault refuses what some client could take for a gated method, and gated
// methods that nobody could be answered about.
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
