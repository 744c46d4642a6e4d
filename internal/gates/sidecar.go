package gates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/pdp"
)

// Client sends requests to the sidecar. It is used concurrently.
type Client interface {
	Do(ctx context.Context, method, path string, query url.Values, body []byte) (*pdp.Answer, error)
}

var _ Client = (*pdp.Client)(nil)

// patience bounds a request that isn't held, and what an answer may be late by
// that is.
const patience = 10 * time.Second

// sidecar asks for decisions.
type sidecar struct{ client Client }

// refusedError is what the sidecar said to a request that it refused.
type refusedError struct {
	status int
	code   string
	detail string
}

var _ error = (*refusedError)(nil)

func (e *refusedError) Error() string { return e.detail }

// decide decides a call and waits for nobody. Any error is a denial.
func (s *sidecar) decide(ctx context.Context, call *v1.Call) (*v1.Decision, error) {
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
	return &decision, nil
}

// register makes a session. One that is there already may only be narrowed.
func (s *sidecar) register(ctx context.Context, session *v1.Session) error {
	body, err := json.Marshal(session)
	if err != nil {
		return fmt.Errorf("encode session: %w", err)
	}
	return s.send(ctx, http.MethodPut, sessionPath(session.ID), nil, body, 0, nil)
}

// archive ends a session.
func (s *sidecar) archive(ctx context.Context, id string) error {
	return s.send(ctx, http.MethodDelete, sessionPath(id), nil, nil, 0, nil)
}

// withdraw takes a question back that somebody else is asked.
func (s *sidecar) withdraw(ctx context.Context, prompt string) error {
	return s.send(ctx, http.MethodDelete, "/v1/prompts/"+url.PathEscape(prompt), nil, nil, 0, nil)
}

func sessionPath(id string) string { return "/v1/sessions/" + url.PathEscape(id) }

func (s *sidecar) send(
	ctx context.Context, method, path string, query url.Values, body []byte, hold time.Duration, out any,
) error {
	ctx, cancel := context.WithTimeout(ctx, hold+patience)
	defer cancel()
	answer, err := s.client.Do(ctx, method, path, query, body)
	if err != nil {
		return fmt.Errorf("policyd can't be reached: %w", err)
	}
	if answer.Status >= http.StatusMultipleChoices {
		var problem v1.Problem
		if err := json.Unmarshal(answer.Body, &problem); err != nil || problem.Detail == "" {
			return fmt.Errorf("policyd answered %d", answer.Status)
		}
		return &refusedError{status: answer.Status, code: problem.Code, detail: problem.Detail}
	}
	if out == nil {
		return nil
	}
	if answer.Status != http.StatusOK {
		return fmt.Errorf("policyd answered %d", answer.Status)
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return fmt.Errorf("read policyd's answer: %w", err)
	}
	return nil
}
