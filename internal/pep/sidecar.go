// Package pep is the enforcement point's side of the API: it asks a running policyd on behalf of gates and
// tools. Anything except a complete answer of policyd is an error, and a caller that gets an error must deny.
package pep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/pdp"
)

// Transport sends requests to the sidecar. It is used concurrently.
type Transport interface {
	Do(ctx context.Context, method, path string, query url.Values, body []byte) (*pdp.Answer, error)
}

var _ Transport = (*pdp.Client)(nil)

// patience bounds a request that isn't held, and the delay of an answer to one that is.
const patience = 10 * time.Second

// Sidecar requests decisions. It may be used concurrently.
type Sidecar struct{ transport Transport }

// New returns a Sidecar that is reached by transport.
func New(transport Transport) *Sidecar { return &Sidecar{transport: transport} }

// RefusedError is a request that the sidecar refused. With any other error the sidecar was not reached, or
// isn't policyd.
type RefusedError struct {
	Status int
	Code   string
	Detail string
}

var _ error = (*RefusedError)(nil)

func (e *RefusedError) Error() string { return e.Detail }

// Decide decides a call and waits for no person. Any error is a denial.
func (s *Sidecar) Decide(ctx context.Context, call *v1.Call) (*v1.Decision, error) {
	body, err := json.Marshal(call)
	if err != nil {
		return nil, fmt.Errorf("encode call: %w", err)
	}
	var decision v1.Decision
	if err := s.send(ctx, http.MethodPost, "/v1/decide", nil, body, 0, &decision); err != nil {
		return nil, err
	}
	// Anything on the port could answer {"decision":"allow"}; a decision has all of these.
	if decision.ID == "" || len(decision.Reasons) == 0 || decision.Policy.Revision == "" {
		return nil, errors.New("the answer is no decision of policyd")
	}
	if (decision.Effect == v1.EffectPrompt) != (decision.Prompt != nil) {
		return nil, errors.New("the answer contradicts itself")
	}
	if len(decision.Obligations)+len(decision.Run) > 0 && !slices.Contains(call.Session.Enforces, v1.ObligationContain) {
		return nil, errors.New("the decision obliges to what this call's caller doesn't do")
	}
	return &decision, nil
}

// Register makes a session. One that is there already may only be narrowed.
func (s *Sidecar) Register(ctx context.Context, session *v1.Session) error {
	body, err := json.Marshal(session)
	if err != nil {
		return fmt.Errorf("encode session: %w", err)
	}
	return s.send(ctx, http.MethodPut, sessionPath(session.ID), nil, body, 0, nil)
}

// Archive ends a session.
func (s *Sidecar) Archive(ctx context.Context, id string) error {
	return s.send(ctx, http.MethodDelete, sessionPath(id), nil, nil, 0, nil)
}

// Withdraw withdraws a prompt that is asked elsewhere.
func (s *Sidecar) Withdraw(ctx context.Context, prompt string) error {
	return s.send(ctx, http.MethodDelete, "/v1/prompts/"+url.PathEscape(prompt), nil, nil, 0, nil)
}

// Capabilities are what may be advertised to the agent of a session by a host that
// does nothing itself.
func (s *Sidecar) Capabilities(ctx context.Context, session string) (*v1.Capabilities, error) {
	var out v1.Capabilities
	if err := s.send(ctx, http.MethodGet, "/v1/capabilities", url.Values{"session": {session}, "without": {"self_handle"}}, nil, 0, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// ReportTerminal reports the name of a new terminal.
func (s *Sidecar) ReportTerminal(ctx context.Context, session string, report v1.TerminalReport) error {
	body, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	return s.send(ctx, http.MethodPost, sessionPath(session)+"/terminals", nil, body, 0, nil)
}

// Session reads a session of the caller's.
func (s *Sidecar) Session(ctx context.Context, id string) (*v1.SessionInfo, error) {
	var info v1.SessionInfo
	if err := s.send(ctx, http.MethodGet, sessionPath(id), nil, nil, 0, &info); err != nil {
		return nil, err
	}
	return &info, nil
}

// Sessions lists the caller's sessions, the archived ones too.
func (s *Sidecar) Sessions(ctx context.Context) ([]v1.SessionInfo, error) {
	all, after := []v1.SessionInfo{}, ""
	for {
		query := url.Values{}
		if after != "" {
			query.Set("after", after)
		}
		var page v1.SessionList
		if err := s.send(ctx, http.MethodGet, "/v1/sessions", query, nil, 0, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Sessions...)
		if page.Next == "" || page.Next == after {
			return all, nil
		}
		after = page.Next
	}
}

// RequestAccess is the tool request_read_access. It waits for a person no longer
// than wait.
func (s *Sidecar) RequestAccess(ctx context.Context, id, path, reason string, wait time.Duration) (*v1.AccessResponse, error) {
	body, err := json.Marshal(v1.AccessRequest{Path: path, Reason: reason, Wait: wait.String()})
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	var out v1.AccessResponse
	if err := s.send(ctx, http.MethodPost, sessionPath(id)+"/access-requests", nil, body, wait, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

// AddDirectory is the tool set_working_directory, without waiting.
func (s *Sidecar) AddDirectory(ctx context.Context, id, dir string) (*v1.SessionPatchResponse, error) {
	body, err := json.Marshal(v1.SessionPatch{AddDir: dir})
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	var out v1.SessionPatchResponse
	if err := s.send(ctx, http.MethodPatch, sessionPath(id), nil, body, 0, &out); err != nil {
		return nil, err
	}
	return &out, nil
}

func sessionPath(id string) string { return "/v1/sessions/" + url.PathEscape(id) }

func (s *Sidecar) send(
	ctx context.Context, method, path string, query url.Values, body []byte, hold time.Duration, out any,
) error {
	ctx, cancel := context.WithTimeout(ctx, hold+patience)
	defer cancel()
	answer, err := s.transport.Do(ctx, method, path, query, body)
	if err != nil {
		return fmt.Errorf("policyd can't be reached: %w", err)
	}
	if answer.Status >= http.StatusMultipleChoices {
		var problem v1.Problem
		if err := json.Unmarshal(answer.Body, &problem); err != nil || problem.Detail == "" {
			return fmt.Errorf("policyd answered %d", answer.Status)
		}
		return &RefusedError{Status: answer.Status, Code: problem.Code, Detail: problem.Detail}
	}
	if out == nil {
		return nil
	}
	if answer.Status != http.StatusOK && answer.Status != http.StatusAccepted {
		return fmt.Errorf("policyd answered %d", answer.Status)
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return fmt.Errorf("read policyd's answer: %w", err)
	}
	return nil
}
