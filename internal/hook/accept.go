package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"policyd/internal/clients/reply"
	"policyd/internal/pdp"
)

// The headers by which policyd is distinguished from another server at its place.
const (
	decisionHeader = "Policyd-Decision"
	exitHeader     = "Policyd-Exit"
)

// accept accepts an answer only if it is complete and policyd's own.
func accept(answer *pdp.Answer) (reply.Reply, error) {
	if answer.Status != http.StatusOK {
		return reply.Reply{}, fmt.Errorf("read answer: status %d, want 200", answer.Status)
	}
	exit, err := readHeaders(answer.Header)
	if err != nil {
		return reply.Reply{}, err
	}
	body := bytes.TrimSpace(answer.Body)
	if len(body) == 0 {
		return reply.Reply{}, errors.New("read answer: it is empty")
	}
	if body[0] != '{' || !json.Valid(body) {
		return reply.Reply{}, errors.New("read answer: it is not one JSON object")
	}
	return reply.Reply{Body: body, Exit: exit}, nil
}

// readHeaders returns the exit status. Each header must occur once: if two differ, neither is trusted.
func readHeaders(header http.Header) (int, error) {
	decisions, exits := header.Values(decisionHeader), header.Values(exitHeader)
	if len(decisions) != 1 || len(exits) != 1 {
		return 0, fmt.Errorf("read answer: %s and %s are not there once each; another program may have the address",
			decisionHeader, exitHeader)
	}
	switch decisions[0] {
	case "allow", "prompt", "deny", "none":
	default:
		return 0, fmt.Errorf("read answer: unknown %s %q", decisionHeader, decisions[0])
	}
	switch exits[0] {
	case "0":
		return 0, nil
	case "2":
		return exitDeny, nil
	}
	return 0, fmt.Errorf("read answer: unknown %s %q", exitHeader, exits[0])
}
