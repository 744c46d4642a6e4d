package hinttools

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/clients/reply"
	"policyd/internal/pep"
)

// Sessions is what a Binding has to know of sessions.
type Sessions interface {
	Session(ctx context.Context, id string) (*v1.SessionInfo, error)
	Sessions(ctx context.Context) ([]v1.SessionInfo, error)
}

var _ Sessions = (*pep.Sidecar)(nil)

// Binding identifies the session of these tools. It doesn't change while it is used.
type Binding struct {
	// Session is the one from the host. If it is set, nothing else applies.
	Session string
	// Client is the agent program, and Own the session id that its environment
	// gave, empty for none.
	Client reply.Client
	Own    string
	// Project is the real path of the project's directory.
	Project string
	// Since is when the agent program started: a session that was there before
	// isn't its own. The zero value is unknown.
	Since time.Time
}

// unboundError states why it isn't known for which session a tool acts, and what the person can do.
type unboundError struct{ text string }

var _ error = (*unboundError)(nil)

func (e *unboundError) Error() string { return e.text }

func unbound(format string, values ...any) error {
	return &unboundError{fmt.Sprintf(format, values...)}
}

// Resolve returns the active session of a call. meta is what the client added to the call. If several
// sessions are possible, there is none.
func (b *Binding) Resolve(ctx context.Context, sessions Sessions, meta map[string]any) (string, error) {
	if b.Session != "" {
		return b.Session, active(ctx, sessions, b.Session)
	}
	own := b.Own
	for _, name := range b.Client.SessionMeta {
		if said, ok := meta[name].(string); ok && said != "" {
			own = said
			break
		}
	}
	if own != "" {
		// Hooks spell it in this way: an id may contain signs that a session's can't.
		id := b.Client.Agent + ":" + url.QueryEscape(own)
		return id, active(ctx, sessions, id)
	}
	return b.search(ctx, sessions)
}

// active checks that a session is registered and has not ended.
func active(ctx context.Context, sessions Sessions, id string) error {
	info, err := sessions.Session(ctx, id)
	var refused *pep.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusNotFound:
		return unbound("policyd doesn't know session %s: its hooks register it, so check them with policyd doctor, "+
			"or start policyd tools with --session and the id of a session that policyd sessions list shows", id)
	case errors.As(err, &refused):
		return unbound("session %s can't be used: %s", id, refused.Detail)
	case err != nil:
		return err
	case info.State != v1.SessionActive:
		return unbound("session %s has ended; start the agent anew, or reconnect its MCP servers", id)
	}
	return nil
}

// search returns the session if the client doesn't identify it: the only active one of this agent in this
// project that began no earlier than the agent program.
func (b *Binding) search(ctx context.Context, sessions Sessions) (string, error) {
	all, err := sessions.Sessions(ctx)
	if err != nil {
		return "", err
	}
	found := []string{}
	for i := range all {
		session := &all[i]
		if session.State != v1.SessionActive || session.Agent != b.Client.Agent || session.ParentID != "" ||
			session.ProjectDir == "" || session.ProjectDir != b.Project || session.CreatedAt.Before(b.Since) {
			continue
		}
		found = append(found, session.ID)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", unbound("policyd knows no session of %s in %s: its hooks register it, so check them with policyd doctor, "+
			"or start policyd tools with --session", b.Client.Agent, b.Project)
	}
	return "", unbound("%s has %d active sessions in %s (%s), and which one asks isn't known; end the others with "+
		"policyd sessions archive, or start policyd tools with --session", b.Client.Agent, len(found), b.Project, strings.Join(found, ", "))
}
