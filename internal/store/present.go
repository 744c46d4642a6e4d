package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrReplaced means that the files of the database are not those that were opened: they were removed, moved
// or replaced while the program runs. SQLite continues with the old ones, whose content ends with the
// process.
var ErrReplaced = errors.New("the database is not the one that was opened: its file was removed or replaced; restart policyd")

// LostError means that a state directory was in use, and that its database is missing or empty. A new one
// would forget every approval, and how sessions were narrowed.
type LostError struct {
	// Path is the database.
	Path string
	// Empty is true if the file exists and is empty.
	Empty bool
}

// Error implements error.
func (e *LostError) Error() string {
	state := "is missing"
	if e.Empty {
		state = "is empty"
	}
	return fmt.Sprintf("%s %s, and policyd kept approvals, grants and sessions in it", e.Path, state)
}

var _ error = (*LostError)(nil)

// markFile is in the state directory since the database was first made. It distinguishes a first start from
// one with a lost database, also if all files of the database were removed.
const markFile = "store.made"

// database names the SQLite files of a state directory.
type database struct {
	path, mark string
}

func databaseIn(dir string) (database, error) {
	path, err := filepath.Abs(filepath.Join(dir, sqliteFile))
	if err != nil {
		return database{}, fmt.Errorf("find database: %w", err)
	}
	return database{path: path, mark: filepath.Join(filepath.Dir(path), markFile)}, nil
}

// lost reports a database that is missing or empty although there was one. used is true if the caller knows
// that the directory was in use.
func (d database) lost(used bool) error {
	if _, err := os.Lstat(d.mark); err != nil && !used {
		return nil // a first start, or an unreadable directory, which opening reports
	}
	info, err := os.Stat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &LostError{Path: d.path}
	case err == nil && info.Size() == 0:
		return &LostError{Path: d.path, Empty: true}
	}
	return nil
}

// vacant reports a database without any table although there was one with them.
func (d database) vacant(ctx context.Context, writer *sql.DB, used bool) error {
	if _, err := os.Lstat(d.mark); err != nil && !used {
		return nil // a first start
	}
	var tables int
	if err := writer.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_master`).Scan(&tables); err != nil {
		return fmt.Errorf("look at database: %w", err)
	}
	if tables == 0 {
		return &LostError{Path: d.path, Empty: true}
	}
	return nil
}

// writeMark writes the mark.
func (d database) writeMark() error {
	file, err := os.OpenFile(d.mark, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("mark state directory: %w", err)
	}
	return errors.Join(file.Close(), restrict(d.mark))
}

// Examine looks whether the database of a state directory was lost, and changes nothing.
// The error is then a *LostError.
func Examine(options Options) error {
	if options.Address != "sqlite" {
		return nil
	}
	files, err := databaseIn(options.Dir)
	if err != nil {
		return err
	}
	return files.lost(options.Used)
}

// Files are those of a state directory's database that exist, the mark among them.
func Files(dir string) ([]string, error) {
	files, err := databaseIn(dir)
	if err != nil {
		return nil, err
	}
	var there []string
	for _, name := range []string{files.mark, files.path, files.path + "-wal", files.path + "-shm"} {
		if _, err := os.Lstat(name); err == nil {
			there = append(there, name)
		}
	}
	return there, nil
}

// openedFiles are what files were when they were opened, by name.
type openedFiles map[string]os.FileInfo

// identify reads the identity of the files of the database: the database and its log.
func (d database) identify() (openedFiles, error) {
	opened := openedFiles{}
	for _, name := range []string{d.path, d.path + "-wal"} {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("look at database: %w", err)
		}
		opened[name] = info
	}
	return opened, nil
}

// check returns ErrReplaced unless each name still is the file that was opened. It costs
// two system calls.
func (o openedFiles) check() error {
	for name, opened := range o {
		info, err := os.Stat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look at database: %w", err)
		}
		if err != nil || !os.SameFile(info, opened) {
			return fmt.Errorf("%s: %w", name, ErrReplaced)
		}
	}
	return nil
}
