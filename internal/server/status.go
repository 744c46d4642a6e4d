package server

import (
	"errors"
	"net/http"

	v1 "policyd/api/v1"
)

// statuses are the HTTP statuses of the codes that services answer with.
var statuses = map[string]int{
	"invalid_request":     http.StatusBadRequest,
	"invalid_path":        http.StatusBadRequest,
	"entry_not_present":   http.StatusBadRequest,
	"entry_listed_twice":  http.StatusBadRequest,
	"path_not_visible":    http.StatusBadRequest,
	"directory_not_found": http.StatusBadRequest,
	"choice_not_offered":  http.StatusBadRequest,
	"force_needed":        http.StatusBadRequest,
	"session_foreign":     http.StatusForbidden,
	"parent_refused":      http.StatusForbidden,
	"sensitive_root":      http.StatusForbidden,
	"outside_scope":       http.StatusForbidden,
	"session_unattended":  http.StatusForbidden,
	"not_found":           http.StatusNotFound,
	"run_not_found":       http.StatusNotFound,
	"run_spent":           http.StatusConflict,
	"run_too_old":         http.StatusGone,
	"run_changed":         http.StatusConflict,
	"run_of_another_call": http.StatusForbidden,
	"session_conflict":    http.StatusConflict,
	"terminal_conflict":   http.StatusConflict,
	"too_many_terminals":  http.StatusTooManyRequests,
	"prompt_answered":     http.StatusConflict,
	"session_archived":    http.StatusGone,
	"prompt_ended":        http.StatusGone,
	"prompts_full":        http.StatusTooManyRequests,
	"sessions_full":       http.StatusTooManyRequests,
	"too_many_grants":     http.StatusTooManyRequests,
	"store_unavailable":   http.StatusServiceUnavailable,
	"log_unavailable":     http.StatusServiceUnavailable,
	"console_unavailable": http.StatusServiceUnavailable,
}

// refused makes a problem of a service's answer. An error without a code, or
// with one that isn't listed, is policyd's own fault.
func refused(err error) error {
	var coded *v1.CodedError
	if !errors.As(err, &coded) {
		return err
	}
	status, known := statuses[coded.Code]
	if !known {
		return err
	}
	return newProblem(status, coded.Code, coded.Err.Error())
}
