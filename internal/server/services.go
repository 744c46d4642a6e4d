package server

import (
	"context"

	v1 "policyd/api/v1"
)

// Sessions registers and ends sessions, and adds and revokes path grants. An error that wraps a
// *v1.CodedError is an answer to the caller. It is called concurrently.
type Sessions interface {
	Register(ctx context.Context, session *v1.Session, caller v1.Caller) (info v1.SessionInfo, created bool, err error)
	Session(ctx context.Context, id string, caller v1.Caller) (v1.SessionInfo, error)
	List(ctx context.Context, after string, limit int) (list []v1.SessionInfo, next string, err error)
	Archive(ctx context.Context, id string, caller v1.Caller) error
	AddDirectory(ctx context.Context, id, dir string, caller v1.Caller) (v1.SessionPatchResponse, error)
	KeepGrants(ctx context.Context, id string, roots []string, caller v1.Caller) (v1.SessionInfo, error)
	RequestAccess(ctx context.Context, id string, request v1.AccessRequest, caller v1.Caller) (v1.AccessResponse, error)
	Grant(ctx context.Context, who v1.Holder, request v1.GrantRequest) (v1.GrantResponse, error)
	ListGrants(ctx context.Context, who v1.Holder) ([]v1.Grant, error)
	Revoke(ctx context.Context, who v1.Holder, id string) error
}

// Prompts are the questions for people. Errors and concurrency are as for Sessions.
type Prompts interface {
	Get(ctx context.Context, id string) (v1.Prompt, error)
	List(ctx context.Context, state, session, after string, limit int) (list []v1.Prompt, next string, err error)
	Wait(ctx context.Context, id string) (v1.Prompt, error)
	Answer(ctx context.Context, id string, request v1.AnswerRequest) (v1.AnswerResponse, error)
	AnswerAll(ctx context.Context, request v1.AnswerAllRequest) (v1.AnswerAllResponse, error)
	Withdraw(ctx context.Context, id string) error
}

// Approvals are what people answered before. As for Sessions.
type Approvals interface {
	Put(ctx context.Context, request v1.ApprovalRequest) (kept v1.ApprovalEntry, changed bool, err error)
	Import(ctx context.Context, request v1.ApprovalImport) (v1.ApprovalImported, error)
	Revoke(ctx context.Context, id string) error
	List(after string, limit int) (list []v1.ApprovalEntry, next string, err error)
}
