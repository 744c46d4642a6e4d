package sessions

import (
	"errors"
	"fmt"

	v1 "policyd/api/v1"
)

// Codes of errors. Each error of this package that is an answer to the caller
// holds a *v1.CodedError with one of them.
const (
	CodeConflict    = "session_conflict"    // the session is kept with something else
	CodeForeign     = "session_foreign"     // the session belongs to another caller
	CodeParent      = "parent_refused"      // a parent that this caller can't name
	CodeNotFound    = "not_found"           // no such session or grant
	CodeArchived    = "session_archived"    // the session has ended
	CodeSensitive   = "sensitive_root"      // may never be granted or be a project (P6)
	CodeInvalidPath = "invalid_path"        // a path that can't be granted as it stands
	CodeInvalid     = "invalid_request"     // something else about the request
	CodeUnavailable = "store_unavailable"   // what was asked for can't be kept
	CodeScope       = "outside_scope"       // nobody may grant this
	CodeUnattended  = "session_unattended"  // nobody is there to ask
	CodeTooMany     = "too_many_grants"     // the session holds as many as it may
	CodeFull        = "sessions_full"       // the caller has as many sessions as it may
	CodeNotPresent  = "entry_not_present"   // PATCH names what isn't there (P10)
	CodeListedTwice = "entry_listed_twice"  // PATCH names an entry twice
	CodeNotVisible  = "path_not_visible"    // the sidecar can't see the path
	CodeNoDirectory = "directory_not_found" // there is no such directory
)

func coded(code, format string, args ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, args...)}
}

// unavailable hides what the store said, which is for the operator's log.
var errUnavailable = errors.New("the store can't be reached, so nothing was changed; see /readyz?verbose and try again")
