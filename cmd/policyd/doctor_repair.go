package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"policyd/internal/sidecar"
	"policyd/internal/store"
)

// mostBackups bounds the names that are tried for one file.
const mostBackups = 10_000

// repair creates a new database if the one of the state directory is lost or unreadable. Existing files are
// renamed and never deleted.
func (p *Program) repair(ctx context.Context, s *settings) (err error) {
	if s.Store != "sqlite" {
		return usage(errors.New("the store is a PostgreSQL server, which has backups of its own"), "--repair is for the SQLite database of a state directory")
	}
	unlock, err := lockState(ctx, s.StateDir, "", lockPatience)
	if err != nil {
		return failed(err, lockHint(err, endOther))
	}
	defer func() { err = errors.Join(err, unlock()) }()
	opened, err := store.Open(ctx, sidecar.StoreOptions(s))
	if err == nil {
		return errors.Join(opened.Close(), p.say("the store of %s is whole; nothing was changed", s.StateDir))
	}
	newer := new(store.SchemaError)
	if errors.As(err, &newer) || sidecar.Unwritable(err) {
		return failed(err, sidecar.StoreHint(err))
	}
	files, listed := store.Files(s.StateDir)
	if listed != nil {
		return listed
	}
	for _, file := range files {
		kept, err := backup(file)
		if err != nil {
			return failed(fmt.Errorf("set aside: %w", err), "nothing was deleted; move "+file+" away by hand")
		}
		if err := p.say("kept %s as %s", file, kept); err != nil {
			return err
		}
	}
	afresh := sidecar.StoreOptions(s)
	afresh.Used = false
	if opened, err = store.Open(ctx, afresh); err != nil {
		return failed(err, sidecar.StoreHint(err))
	}
	return errors.Join(opened.Close(), p.say("began a new store in %s: approvals, grants, prompts and sessions are forgotten", s.StateDir))
}

// backup renames a file to a name that is free.
func backup(file string) (kept string, err error) {
	for n := 1; n < mostBackups; n++ {
		kept = file + ".bak"
		if n > 1 {
			kept += fmt.Sprintf(".%d", n)
		}
		if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
			return kept, os.Rename(file, kept)
		}
	}
	return "", fmt.Errorf("%s has too many backups", file)
}
