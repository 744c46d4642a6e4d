package store_test

import (
	"testing"
	"time"

	"policyd/internal/store"
	"policyd/test/postgres"
)

// postgresServer is a PostgreSQL that the suite runs against.
type postgresServer struct{ *postgres.Server }

var _ backend = (*postgresServer)(nil)

func startPostgres(t *testing.T) *postgresServer {
	t.Helper()
	return &postgresServer{postgres.Start(t)}
}

func (p *postgresServer) fresh(tb testing.TB) store.Options {
	tb.Helper()
	return store.Options{Address: p.Fresh(tb), Timeout: 5 * time.Second}
}

func (p *postgresServer) migrations() string { return "migrations/postgres" }
