package store

import (
	"errors"
	"time"

	v1 "policyd/api/v1"
)

// Errors of the store. All others mean that it can't be read or written.
var (
	// ErrNotFound means that there is no such row.
	ErrNotFound = errors.New("not in the store")
	// ErrConflict means that another caller was first: the row exists already, or it changed since it was
	// read, or the prompt is no longer pending.
	ErrConflict = errors.New("changed by somebody else")
	// ErrText means that a text is not UTF-8 or contains a zero byte. It can't be stored.
	ErrText = errors.New("text is not UTF-8 or holds a zero byte")
)

// Session is a session as the store keeps it.
type Session struct {
	v1.Session
	// Owner is who was first to name the session (C5).
	Owner    string
	Archived bool
	// Version counts the changes; an update contains the version that it read.
	Version              int64
	CreatedAt, UpdatedAt time.Time
}

// Prompt is a prompt as the store keeps it.
type Prompt struct {
	v1.Prompt
	// Kind states what an answer does: a call, an access request or a directory.
	Kind string
	// Key is the digest of the question (A10).
	Key []byte
	// Scope is what a remembered answer would be remembered for.
	Scope v1.PromptScope
}

// Once is an answer that covers one retry of one call (A10).
type Once struct {
	// Prompt is the id of the prompt that was answered.
	Prompt    string
	Session   string
	Key       []byte
	ExpiresAt time.Time
	// Unsaved is true for an answer that was given while the store could not be written: it ends with the
	// process, and isn't in the store.
	Unsaved bool
}

// Resolution ends a pending prompt, and stores what the answer adds, atomically.
type Resolution struct {
	Prompt string
	// State is the new state, never pending.
	State string
	// Answer is set if State is answered.
	Answer *v1.PromptAnswer
	// At is when the prompt ended. Zero is the time of the answer or, without one, when the prompt would have
	// expired.
	At time.Time
	// Approvals and Grants are added; one that is there already stays, and never
	// becomes less by it.
	Approvals []v1.ApprovalEntry
	Grants    []v1.Grant
	Once      *Once
}

// Change names a row that changed, for those who keep a copy in memory.
type Change struct {
	// Table is sessions, grants, approvals, prompts or onces; empty means that
	// changes may have been missed and everything has to be read again.
	Table string
	ID    string
}
