package sessions

import (
	"context"
	"errors"

	v1 "policyd/api/v1"
)

// AddDirectory is the tool set_working_directory: it adds a directory that the session may read. No person is
// asked if the directory is in scope already or is a registered project, or if an operator adds it. Otherwise
// a person is asked (P14).
func (r *Registry) AddDirectory(ctx context.Context, id, dir string, caller v1.Caller) (v1.SessionPatchResponse, error) {
	found, err := r.active(ctx, id, caller)
	if err != nil {
		return v1.SessionPatchResponse{}, err
	}
	session := &found.row.Session
	place, scope, err := r.look(session, dir)
	if err != nil {
		return v1.SessionPatchResponse{}, err
	}
	switch {
	case place.Sensitive || place.Own:
		return v1.SessionPatchResponse{}, coded(CodeSensitive, "%s is a sensitive directory or holds one, and can't be worked in", place.Real)
	case place.Visible && !place.Dir:
		return v1.SessionPatchResponse{}, coded(CodeNoDirectory, "%s is no directory", place.Real)
	}
	inScope, refusal := r.alreadyReadable(ctx, session, place, caller)
	switch {
	case inScope:
		info := r.info(found)
		return v1.SessionPatchResponse{State: v1.ChangeUnchanged, Session: &info}, nil
	case refusal != "":
		return v1.SessionPatchResponse{}, coded(CodeScope, "%s: %s", place.Real, refusal)
	case caller.Operator || registered(scope, session, place.Real) != "":
		return r.addSilently(ctx, found, place.Real)
	case !session.Attended():
		return v1.SessionPatchResponse{}, coded(CodeUnattended, "%s is outside this session's directories, and nobody attends the session", place.Real)
	}
	prompt, err := r.ask(ctx, session, caller, v1.PromptKindDirectory, place.Real, place.Real, "")
	if err != nil {
		return v1.SessionPatchResponse{}, err
	}
	return v1.SessionPatchResponse{State: v1.AccessPending, Prompt: &prompt}, nil
}

func (r *Registry) addSilently(ctx context.Context, found *entry, real string) (v1.SessionPatchResponse, error) {
	grant := r.newGrant(v1.Holder{Session: found.row.ID}, real, v1.GrantRead, v1.OriginWorkingDirectory)
	if _, err := r.put(ctx, grant); err != nil {
		return v1.SessionPatchResponse{}, err
	}
	info := r.info(found)
	return v1.SessionPatchResponse{State: v1.AccessGranted, Session: &info}, nil
}

// reasonOf is the text of an error without its code.
func reasonOf(err error) string {
	var refused *v1.CodedError
	if errors.As(err, &refused) {
		return refused.Err.Error()
	}
	return err.Error()
}
