package store

import "github.com/pressly/goose/v3"

// dialect is what differs between the two databases beyond their connections.
// Statements are shared: both know numbered parameters, RETURNING and upserts.
type dialect struct {
	// migrations is the directory of the dialect's migrations.
	migrations string
	goose      goose.Dialect
	// share ends a SELECT whose row must not change before the transaction ends.
	share string
	// duplicate reports whether err states that a unique value is there already.
	duplicate func(err error) bool
	// retryable reports whether err means that the transaction changed nothing because of a conflict, and may be
	// repeated.
	retryable func(err error) bool
	// notifies reports whether other processes get notifications of changes.
	notifies bool
}
