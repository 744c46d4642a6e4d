package sessions

import (
	"errors"
	"fmt"

	v1 "policyd/api/v1"
)

// Codes of errors. Each error of this package that is an answer to the caller wraps a *v1.CodedError with one
// of them.
const (
	CodeConflict    = "session_conflict"    // the session was registered with other attributes
	CodeForeign     = "session_foreign"     // the session belongs to another caller
	CodeParent      = "parent_refused"      // a parent that this caller can't name
	CodeNotFound    = "not_found"           // no such session or grant
	CodeArchived    = "session_archived"    // the session has ended
	CodeSensitive   = "sensitive_root"      // may never be granted or be a project (P6)
	CodeInvalidPath = "invalid_path"        // a path that can't be granted as it is
	CodeInvalid     = "invalid_request"     // something else about the request
	CodeUnavailable = "store_unavailable"   // the request can't be stored
	CodeScope       = "outside_scope"       // nobody may grant this
	CodeUnattended  = "session_unattended"  // nobody can be asked
	CodeTooMany     = "too_many_grants"     // the session has the most grants that it may have
	CodeFull        = "sessions_full"       // the caller has as many sessions as it may
	CodeNotPresent  = "entry_not_present"   // PATCH names what isn't there (P10)
	CodeListedTwice = "entry_listed_twice"  // PATCH names an entry twice
	CodeNotVisible  = "path_not_visible"    // the sidecar can't see the path
	CodeNoDirectory = "directory_not_found" // there is no such directory
)

func coded(code, format string, args ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, args...)}
}

// unavailable hides the store's error, which is for the operator's log.
var errUnavailable = errors.New("the store can't be reached, so nothing was changed; see /readyz?verbose and try again")
