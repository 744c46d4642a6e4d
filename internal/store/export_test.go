package store

import (
	"context"
	"database/sql"
	"io/fs"
	"time"
)

// OpenWith is Open with other migrations.
func OpenWith(ctx context.Context, options Options, source fs.FS) (*Store, error) {
	return open(ctx, options, source)
}

// Migrations are those of the program.
func Migrations() fs.FS { return migrations }

// Writer is the connection that writes.
func (s *Store) Writer() *sql.DB { return s.writer }

// SetTimeout changes the timeout of a store that nobody uses yet.
func (s *Store) SetTimeout(timeout time.Duration) { s.timeout = timeout }
