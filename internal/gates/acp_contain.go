package gates

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/coder/acp-go-sdk"

	v1 "policyd/api/v1"
	"policyd/internal/jsonrpc"
)

// keptOfTerminal are the members of a terminal/create that stay when its program is another.
// The program's variables are part of the decision.
var keptOfTerminal = []string{"sessionId", "cwd", "outputByteLimit", "_meta"}

// oblige returns the line of the request as it may pass: if the decision obliges, the client is asked to
// start the launcher, which runs the decision contained. All words are literal, since some clients pass them
// to a shell.
func (g *ACP) oblige(r *request, decision *v1.Decision) ([]byte, error) {
	if len(decision.Obligations)+len(decision.Run) == 0 {
		return r.line, nil
	}
	if r.method != acp.ClientMethodTerminalCreate || len(g.options.Launcher) == 0 {
		return nil, errors.New("the request must run contained, and this gate can't have it run so")
	}
	members, err := jsonrpc.Object(r.params)
	if err != nil {
		return nil, fmt.Errorf("read params: %w", err)
	}
	command, err := json.Marshal(g.options.Launcher[0])
	if err != nil {
		return nil, fmt.Errorf("write command: %w", err)
	}
	args, err := json.Marshal(append(slices.Clone(g.options.Launcher[1:]), "--decision", decision.ID, "--as-decided"))
	if err != nil {
		return nil, fmt.Errorf("write arguments: %w", err)
	}
	params := slices.Concat([]byte(`{"command":`), command, []byte(`,"args":`), args)
	for _, member := range members {
		if slices.Contains(keptOfTerminal, member.Name) {
			params = slices.Concat(params, []byte(`,"`+member.Name+`":`), member.Value)
		}
	}
	params = append(params, '}')
	return bytes.Join([][]byte{r.line[:r.at], params, r.line[r.at+len(r.params):]}, nil), nil
}
