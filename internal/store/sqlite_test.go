package store_test

import (
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/store"
)

type sqliteBackend struct{}

var _ backend = sqliteBackend{}

// The directory has a name that an address has to escape.
func (sqliteBackend) fresh(tb testing.TB) store.Options {
	tb.Helper()
	return store.Options{Address: "sqlite", Dir: filepath.Join(tb.TempDir(), "state of ?dev#50%41")}
}

func (sqliteBackend) migrations() string { return "migrations/sqlite" }

func TestSQLite(t *testing.T) {
	runSuite(t, sqliteBackend{})
}

func files(t *testing.T, dir string) map[string]os.FileMode {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	modes := map[string]os.FileMode{}
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(t, err)
		modes[entry.Name()] = info.Mode()
	}
	return modes
}

func TestSQLiteFilesAreTheOwnersAlone(t *testing.T) {
	want := map[string]os.FileMode{"policyd.db": 0o600, "policyd.db-wal": 0o600, "policyd.db-shm": 0o600, "store.made": 0o600}
	options := sqliteBackend{}.fresh(t)
	open(t, options)
	assert.Equal(t, want, files(t, options.Dir))
	info, err := os.Stat(options.Dir)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	// Also if they were made with another mode.
	for name := range want {
		require.NoError(t, os.Chmod(filepath.Join(options.Dir, name), 0o644))
	}
	open(t, options)
	assert.Equal(t, want, files(t, options.Dir))
}

func TestSQLiteWritesReachTheDisk(t *testing.T) {
	opened := open(t, sqliteBackend{}.fresh(t))
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "fullfsync": "1"} {
		var got string
		require.NoError(t, opened.Writer().QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
		assert.Equal(t, want, got, pragma)
	}
}

func TestADamagedSQLiteFileIsNamed(t *testing.T) {
	options := sqliteBackend{}.fresh(t)
	require.NoError(t, os.MkdirAll(options.Dir, 0o700))
	damaged := filepath.Join(options.Dir, "policyd.db")
	text := []byte("This was a shopping list long before it was a database, and it shall stay one for as long as it can.")
	require.NoError(t, os.WriteFile(damaged, text, 0o600))
	_, err := store.Open(t.Context(), options)
	require.ErrorContains(t, err, "open store: ")
	require.ErrorContains(t, err, "file is not a database")
	require.ErrorContains(t, err, damaged)
	left, err := os.ReadFile(damaged)
	require.NoError(t, err)
	assert.Equal(t, text, left)
}

func TestADirectoryThatCantBeMadeIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := store.Open(t.Context(), store.Options{Address: "sqlite", Dir: filepath.Join(file, "state")})
	require.ErrorContains(t, err, "open store: make directory: ")
	require.ErrorContains(t, err, file)
}

func TestAReadOnlySQLiteChangesNothingAndIsReported(t *testing.T) {
	opened := open(t, sqliteBackend{}.fresh(t))
	holdsWhenUnwritable(t, opened, "readonly", func(writer *sql.DB) {
		_, err := writer.ExecContext(t.Context(), `PRAGMA query_only = 1`)
		require.NoError(t, err)
	}, func(writer *sql.DB) {
		_, err := writer.ExecContext(t.Context(), `PRAGMA query_only = 0`)
		require.NoError(t, err)
	})
}

// SQLite returns at once if another connection prevents a change of the journal's mode, and doesn't wait as
// it does elsewhere.
func TestOpeningWaitsForTheProcessThatMakesTheDatabase(t *testing.T) {
	options := sqliteBackend{}.fresh(t)
	require.NoError(t, os.MkdirAll(options.Dir, 0o700))
	address := url.URL{Scheme: "file", Path: filepath.Join(options.Dir, "policyd.db")}
	other, err := sql.Open("sqlite", address.String())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, other.Close()) })
	making, err := other.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = making.ExecContext(t.Context(), `CREATE TABLE other (id INTEGER)`)
	require.NoError(t, err)

	hurried := options
	hurried.Timeout = 300 * time.Millisecond
	began := time.Now()
	_, err = store.Open(t.Context(), hurried)
	require.ErrorContains(t, err, "locked")
	assert.GreaterOrEqual(t, time.Since(began), hurried.Timeout)
	require.NoError(t, making.Commit())
	open(t, options)
}

// holdsWhenUnwritable puts until nothing can be put any more.
func holdsWhenUnwritable(t *testing.T, opened *store.Store, reason string, spoil, mend func(*sql.DB)) {
	t.Helper()
	ctx := t.Context()
	require.NoError(t, opened.OpenPrompt(ctx, prompt("p", "s")))
	spoil(opened.Writer())
	_, _, err := opened.ResolvePrompt(ctx, answered("p", "s"))
	require.ErrorContains(t, err, reason)
	require.NotErrorIs(t, err, store.ErrConflict)
	read, err := opened.Prompt(ctx, "p")
	require.NoError(t, err)
	assert.Equal(t, "pending", read.State)
	require.ErrorContains(t, opened.Ping(ctx), reason)

	mend(opened.Writer())
	require.NoError(t, opened.Ping(ctx))
	_, _, err = opened.ResolvePrompt(ctx, answered("p", "s"))
	require.NoError(t, err)
}
