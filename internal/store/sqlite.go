package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"
)

// sqliteFile is the database's name in the state directory.
const sqliteFile = "policyd.db"

// sqliteReaders is the number of concurrent readers, and one unused connection: see keepOpen. Reads are rare
// and short: what decisions need is in memory.
const sqliteReaders = 4 + 1

// openSQLite opens the file twice over: one connection that writes, since SQLite
// has one writer and waiting for it in Go honours deadlines, and several that
// read beside it.
func (s *Store) openSQLite(options Options) error {
	files, err := databaseIn(options.Dir)
	if err != nil {
		return err
	}
	if err := files.lost(options.Used); err != nil {
		return err
	}
	path := files.path
	if err := prepareFile(path); err != nil {
		return err
	}
	writer, err := s.connectSQLite(path, url.Values{"_txlock": {"immediate"}})
	if err != nil {
		return err
	}
	reader, err := s.connectSQLite(path, url.Values{"_pragma": {"query_only(1)"}})
	if err != nil {
		return errors.Join(err, writer.Close())
	}
	writer.SetMaxOpenConns(1)
	reader.SetMaxOpenConns(sqliteReaders)
	reader.SetMaxIdleConns(sqliteReaders)
	s.writer, s.reader, s.dialect, s.place = writer, reader, sqliteDialect(), path
	s.present = func() error { return nil } // until it is made
	s.inspect = func(ctx context.Context) error { return files.vacant(ctx, writer, options.Used) }
	s.settle = func(ctx context.Context) error {
		if err := s.keepOpen(ctx); err != nil {
			return err
		}
		opened, err := files.identify()
		if err != nil {
			return err
		}
		s.present = opened.check
		return files.writeMark()
	}
	return nil
}

// keepOpen keeps one connection until the store is closed. SQLite removes its log when the last connection
// ends, and creates another one with the next.
func (s *Store) keepOpen(ctx context.Context) error {
	kept, err := s.reader.Conn(ctx)
	if err != nil {
		return fmt.Errorf("keep connection: %w", err)
	}
	s.idle = kept
	var rows int
	if err := kept.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_master`).Scan(&rows); err != nil {
		return fmt.Errorf("keep connection: %w", err)
	}
	return nil
}

// prepareFile creates the database for its owner alone; SQLite gives the files next to it the same mode. It
// doesn't open an existing file: closing it would drop the locks that this process holds on it elsewhere.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	made, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return made.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make database: %w", err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := restrict(path + suffix); err != nil {
			return fmt.Errorf("restrict database: %w", err)
		}
	}
	return nil
}

// restrict removes others' permissions from a file, if it exists.
func restrict(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return os.Chmod(path, 0o600)
}

// connectSQLite configures every connection. A commit is on disk when it returns: synchronous FULL, and on
// macOS a sync that reaches the disk.
func (s *Store) connectSQLite(path string, more url.Values) (*sql.DB, error) {
	query := url.Values{"_pragma": append([]string{
		"busy_timeout(" + strconv.FormatInt(s.timeout.Milliseconds(), 10) + ")",
		"journal_mode(WAL)", "synchronous(FULL)", "fullfsync(1)",
	}, more["_pragma"]...)}
	if lock := more.Get("_txlock"); lock != "" {
		query.Set("_txlock", lock)
	}
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: query.Encode()}
	connector, err := sqlite.NewConnector(address.String())
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", path, err)
	}
	return sql.OpenDB(connector), nil
}

func sqliteDialect() dialect {
	return dialect{
		migrations: "migrations/sqlite",
		goose:      goose.DialectSQLite3,
		duplicate: func(err error) bool {
			code := sqliteCode(err)
			return code == sqlitecode.SQLITE_CONSTRAINT_UNIQUE || code == sqlitecode.SQLITE_CONSTRAINT_PRIMARYKEY
		},
		// A writer waits for others; a process that is first to open the database, or to open it after a
		// crash, gets an error at once.
		retryable: func(err error) bool { return sqliteCode(err)&0xff == sqlitecode.SQLITE_BUSY },
	}
}

func sqliteCode(err error) int {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return 0
	}
	return failure.Code()
}
