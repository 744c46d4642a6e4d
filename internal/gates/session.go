package gates

import (
	"context"
	"errors"
	"fmt"
	"sync"

	v1 "policyd/api/v1"
	"policyd/internal/pep"
)

// codeSensitive is the sidecar's answer to a project that can't be one.
const codeSensitive = "sensitive_root"

// own is the session that a gate registers. Registration is repeated with every call until it succeeds, so
// that a sidecar may start later. It may be used concurrently.
type own struct {
	sidecar *pep.Sidecar
	// joined is true for a session of another program: it is neither registered nor archived.
	joined bool
	note   func(text string)

	mu      sync.Mutex
	session v1.Session
	ready   bool
}

// current returns the session for a call. If the project is a sensitive directory, the session has no project
// (P14).
func (o *own) current(ctx context.Context) (v1.Session, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ready || o.joined {
		return o.session, nil
	}
	err := o.sidecar.Register(ctx, &o.session)
	var refused *pep.RefusedError
	if errors.As(err, &refused) && refused.Code == codeSensitive && o.session.ProjectDir != "" {
		o.note(fmt.Sprintf("%s is no project: %s", o.session.ProjectDir, refused.Detail))
		o.session.ProjectDir = ""
		err = o.sidecar.Register(ctx, &o.session)
	}
	if err != nil {
		return v1.Session{}, fmt.Errorf("register session %s: %w", o.session.ID, err)
	}
	o.ready = true
	return o.session, nil
}

// end archives the session, if it was registered here.
func (o *own) end(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ready {
		return
	}
	if err := o.sidecar.Archive(ctx, o.session.ID); err != nil {
		o.note(fmt.Sprintf("session %s can't be archived: %v", o.session.ID, err))
	}
}
