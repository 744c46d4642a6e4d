package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"
)

//go:embed migrations
var migrations embed.FS

// Store is an open store. It may be used concurrently, and by several processes
// on one database.
type Store struct {
	dialect dialect
	// id distinguishes this store's notifications from others'.
	id      string
	timeout time.Duration
	reader  *sql.DB
	writer  *sql.DB
	// place names the database in errors, without a password.
	place string
	// present states whether the database is still the one that was opened: nothing that is written to
	// another is acknowledged.
	present func() error
	// inspect looks at the database before anything is made in it; settle is called once it
	// is made and written.
	inspect, settle func(ctx context.Context) error
	// idle is an unused connection; nil for PostgreSQL.
	idle *sql.Conn
	// listen connects for notifications; nil if there are none.
	listen func(ctx context.Context) (listener, error)
	// deaf is why a running Watch gets no changes; nil if it does.
	deaf atomic.Pointer[error]
	// failed is set when the latest change failed for a reason of the database's.
	failed atomic.Bool
}

// Open opens the store, creates it if it is missing, and brings its schema up to date. Several processes may
// do so at once. The error is a *SchemaError if a newer program wrote the store, and a *LostError if an
// existing database is gone; no error contains the address's password.
func Open(ctx context.Context, options Options) (*Store, error) {
	return open(ctx, options, migrations)
}

func open(ctx context.Context, options Options, source fs.FS) (*Store, error) {
	store := &Store{id: rand.Text(), timeout: options.timeout()}
	if err := store.connect(options); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := store.prepare(ctx, source); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %s: %w", store.place, err), store.Close())
	}
	return store, nil
}

func (s *Store) connect(options Options) error {
	switch {
	case options.Address == "sqlite":
		return s.openSQLite(options)
	case strings.HasPrefix(options.Address, "postgres://"), strings.HasPrefix(options.Address, "postgresql://"):
		return s.openPostgres(options)
	}
	return errors.New("the address is neither sqlite nor postgres://…")
}

// prepare checks that the store can be reached, understood and written, so that a start fails instead of
// losing answers.
func (s *Store) prepare(ctx context.Context, source fs.FS) error {
	bounded, cancel := s.bounded(ctx, 0)
	defer cancel()
	if err := s.repeated(bounded, func() error { return s.writer.PingContext(bounded) }); err != nil {
		return err
	}
	if err := s.inspect(bounded); err != nil {
		return err
	}
	if err := s.migrate(ctx, source); err != nil {
		return err
	}
	if err := s.probe(bounded); err != nil {
		return err
	}
	return s.settle(bounded)
}

// Close ends all connections. Operations that run are waited for.
func (s *Store) Close() error {
	var failed error
	if s.idle != nil {
		failed = s.idle.Close()
	}
	failed = errors.Join(failed, s.writer.Close())
	if s.reader != s.writer {
		failed = errors.Join(s.reader.Close(), failed)
	}
	if failed != nil {
		return fmt.Errorf("close store: %w", failed)
	}
	return nil
}

// Ping reports whether the store can be read and, as far as known, written: if the latest change failed, it
// tries one. It also fails while Watch runs without a connection.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := s.bounded(ctx, 0)
	defer cancel()
	if err := s.present(); err != nil {
		return fmt.Errorf("reach store: %w", err)
	}
	var one int
	if err := s.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM sessions WHERE id = ''`).Scan(&one); err != nil {
		return fmt.Errorf("reach store: %w", err)
	}
	if deaf := s.deaf.Load(); deaf != nil {
		return fmt.Errorf("watch store: %w", *deaf)
	}
	if !s.failed.Load() {
		return nil
	}
	if err := s.probe(ctx); err != nil {
		return fmt.Errorf("write store: %w", err)
	}
	s.failed.Store(false)
	return nil
}

// probeSize is as long as an answer that keeps much, so that a disk with room for
// it isn't full at the next answer.
const probeSize = 1 << 16

// probe changes a row that nobody reads. It is random, since SQLite writes no page that would stay the same.
func (s *Store) probe(ctx context.Context) error {
	filler := make([]byte, probeSize)
	_, _ = rand.Read(filler) // never fails
	return s.repeated(ctx, func() error {
		_, err := s.writer.ExecContext(ctx,
			`INSERT INTO probe (id, filler) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET filler = excluded.filler`, filler)
		return err
	})
}

// bounded is ctx with the deadline of an operation on so many rows.
func (s *Store) bounded(ctx context.Context, rows int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.timeout*time.Duration(1+rows/1000))
}
