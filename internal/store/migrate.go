package store

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// SchemaError states that the store was written by a newer program. This one would misread it, and so doesn't
// touch it.
type SchemaError struct {
	// Found is the store's schema version, Known the newest that the program has.
	Found, Known int64
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("the store has schema version %d and this program knows versions up to %d: "+
		"use the newer program, or restore the store from before the upgrade", e.Found, e.Known)
}

// versionTable lists the migrations that ran.
const versionTable = "schema_versions"

// migrate brings the schema up to date. Each step is a transaction. If several processes run it at once, one
// of them makes a step and the others fail on it: they retry as long as the version advances.
func (s *Store) migrate(ctx context.Context, source fs.FS) error {
	before := int64(-1)
	for {
		reached, err := s.climb(ctx, source)
		if err == nil {
			return nil
		}
		if reached <= before || ctx.Err() != nil {
			return err
		}
		before = reached
	}
}

// climb runs the missing steps. It returns the version of the schema, whichever process reached it, and -1 if
// that is unknown.
func (s *Store) climb(ctx context.Context, source fs.FS) (int64, error) {
	steps, err := fs.Sub(source, s.dialect.migrations)
	if err != nil {
		return -1, fmt.Errorf("find migrations: %w", err)
	}
	provider, err := goose.NewProvider(s.dialect.goose, s.writer, steps,
		goose.WithTableName(versionTable), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return -1, fmt.Errorf("read migrations: %w", err)
	}
	found, known, err := provider.GetVersions(ctx)
	if err != nil {
		return -1, fmt.Errorf("read schema version: %w", err)
	}
	if found > known {
		return found, &SchemaError{Found: found, Known: known}
	}
	if found == known {
		return found, nil
	}
	if _, err := provider.Up(ctx); err != nil {
		reached, unknown := provider.GetDBVersion(ctx)
		if unknown != nil {
			reached = -1
		}
		return reached, fmt.Errorf("upgrade schema from version %d: %w", found, err)
	}
	return known, nil
}
