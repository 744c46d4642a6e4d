package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// postgresConnections is how many a store has at most, without the one that
// listens: many sidecars share a server that has a hundred by default.
const postgresConnections = 8

// postgresIdle is how long a connection is kept for the next operation.
const postgresIdle = 5 * time.Minute

// Codes of PostgreSQL's errors.
const (
	postgresDuplicate     = "23505"
	postgresSerialization = "40001"
	postgresDeadlock      = "40P01"
)

func (s *Store) openPostgres(options Options) error {
	config, err := pgx.ParseConfig(options.Address)
	if err != nil {
		return fmt.Errorf("read the address: %w", unreadable(options.Address, err))
	}
	config.ConnectTimeout = s.timeout
	// A connection that broke while it was idle must not lose an answer: it is tested before every use.
	s.writer = stdlib.OpenDB(*config, stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return true }))
	s.writer.SetMaxOpenConns(postgresConnections)
	s.writer.SetMaxIdleConns(postgresConnections)
	s.writer.SetConnMaxIdleTime(postgresIdle)
	s.reader, s.dialect = s.writer, postgresDialect()
	s.place = fmt.Sprintf("PostgreSQL database %s at %s", config.Database, config.Host)
	s.present = func() error { return nil }
	s.inspect = func(context.Context) error { return nil }
	s.settle = func(context.Context) error { return nil }
	s.listen = func(ctx context.Context) (listener, error) { return listenPostgres(ctx, config) }
	return nil
}

// unreadable describes an invalid address without its password. The parser's error contains the password if
// the address isn't a URL: then the error has no detail.
func unreadable(address string, err error) error {
	parsed, failed := url.Parse(address)
	if failed != nil {
		return errors.New("it is not of the form postgres://user:password@host:port/database; " +
			"characters of a password that mean something there have to be escaped (%40 for @)")
	}
	text := err.Error()
	password, _ := parsed.User.Password()
	for _, secret := range []string{address, password, parsed.Query().Get("password"), parsed.Query().Get("sslpassword")} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return errors.New(text)
}

func postgresDialect() dialect {
	return dialect{
		migrations: "migrations/postgres",
		goose:      goose.DialectPostgres,
		share:      " FOR SHARE",
		notifies:   true,
		duplicate:  func(err error) bool { return postgresCode(err) == postgresDuplicate },
		retryable: func(err error) bool {
			code := postgresCode(err)
			return code == postgresDeadlock || code == postgresSerialization
		},
	}
}

func postgresCode(err error) string {
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Code
}

// postgresListener is a connection that listens and does nothing else.
type postgresListener struct{ connection *pgx.Conn }

var _ listener = postgresListener{}

func listenPostgres(ctx context.Context, config *pgx.ConnConfig) (listener, error) {
	connection, err := pgx.ConnectConfig(ctx, config.Copy())
	if err != nil {
		return nil, err
	}
	listening := postgresListener{connection}
	if _, err := connection.Exec(ctx, `LISTEN `+channel); err != nil {
		listening.close()
		return nil, err
	}
	return listening, nil
}

func (l postgresListener) next(ctx context.Context) (string, error) {
	notified, err := l.connection.WaitForNotification(ctx)
	if err != nil {
		return "", err
	}
	return notified.Payload, nil
}

func (l postgresListener) ping(ctx context.Context) error { return l.connection.Ping(ctx) }

// closeTimeout bounds a clean close. The server also notices without it.
const closeTimeout = 100 * time.Millisecond

func (l postgresListener) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	_ = l.connection.Close(ctx)
}
