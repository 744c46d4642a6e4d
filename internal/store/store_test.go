package store_test

import (
	"context"
	"io/fs"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

func textIsRefused(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx := t.Context()
	for _, bad := range []string{"/srv/\xff", "/srv/\x00"} {
		_, err := opened.PutApprovals(ctx, approval("1", "ls", nil), approval("2", "ls", &bad))
		assert.ErrorIs(t, err, store.ErrText)
		_, _, err = opened.PutGrant(ctx, grant("1", "s", bad, v1.GrantRead))
		assert.ErrorIs(t, err, store.ErrText)
		_, err = opened.Session(ctx, bad)
		assert.ErrorIs(t, err, store.ErrText)
		asked := prompt("p", "s")
		asked.Scope.Items[0].Directory = bad
		assert.ErrorIs(t, opened.OpenPrompt(ctx, asked), store.ErrText)
		made := session("s")
		made.ExtraDirs[1] = bad
		_, err = opened.CreateSession(ctx, made)
		assert.ErrorIs(t, err, store.ErrText)
	}
	approvals, err := opened.Approvals(ctx, start())
	require.NoError(t, err)
	assert.Empty(t, approvals)
	require.NoError(t, opened.Ping(ctx), "the store is well")
}

func concurrentChanges(t *testing.T, on backend) {
	options := on.fresh(t)
	options.Timeout = time.Minute
	stores := []*store.Store{open(t, options), open(t, options)}
	ctx := t.Context()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			one, id := stores[i%2], numbered("c", i)
			_, err := one.CreateSession(ctx, session(id))
			assert.NoError(t, err)
			assert.NoError(t, one.OpenPrompt(ctx, prompt(id, id)))
			resolution := answered(id, id)
			// The same for all, in another order for each.
			for j := range 8 {
				resolution.Approvals = append(resolution.Approvals, approval(id+numbered("a", j), numbered("verb", (i+j)%8), nil))
			}
			resolution.Grants = []v1.Grant{grant(id, id, "/lib", v1.GrantRead)}
			_, _, err = one.ResolvePrompt(ctx, resolution)
			assert.NoError(t, err)
			assert.NoError(t, one.SpendOnce(ctx, id))
			assert.NoError(t, one.SweepExpired(ctx, start()))
			_, err = one.Approvals(ctx, start())
			assert.NoError(t, err)
			if i%4 == 0 {
				assert.NoError(t, one.ArchiveSession(ctx, id, start()))
			}
		})
	}
	group.Wait()
	approvals, err := stores[0].Approvals(ctx, start())
	require.NoError(t, err)
	assert.Len(t, approvals, 8)
	grants, err := stores[1].Grants(ctx)
	require.NoError(t, err)
	assert.Len(t, grants, 12)
}

// extended is the program's migrations and one more.
func extended(t *testing.T, on backend, second string) fs.FS {
	t.Helper()
	all := fstest.MapFS{on.migrations() + "/99999_later.sql": {Data: []byte("-- +goose Up\n" + second)}}
	names, err := fs.Glob(store.Migrations(), on.migrations()+"/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		data, err := fs.ReadFile(store.Migrations(), name)
		require.NoError(t, err)
		all[name] = &fstest.MapFile{Data: data}
	}
	return all
}

func olderSchemaIsUpgraded(t *testing.T, on backend) {
	options := on.fresh(t)
	older, err := store.Open(t.Context(), options)
	require.NoError(t, err)
	_, err = older.CreateSession(t.Context(), session("s"))
	require.NoError(t, err)
	require.NoError(t, older.Close())

	newer, err := store.OpenWith(t.Context(), options, extended(t, on, `ALTER TABLE sessions ADD COLUMN note TEXT NOT NULL DEFAULT 'none';`))
	require.NoError(t, err)
	defer func() { assert.NoError(t, newer.Close()) }()
	var note string
	require.NoError(t, newer.Writer().QueryRowContext(t.Context(), `SELECT note FROM sessions WHERE id = 's'`).Scan(&note))
	assert.Equal(t, "none", note)
	_, err = newer.Session(t.Context(), "s")
	require.NoError(t, err)
}

func failedUpgradeChangesNothing(t *testing.T, on backend) {
	options := on.fresh(t)
	opened := open(t, options)
	_, err := opened.CreateSession(t.Context(), session("s"))
	require.NoError(t, err)

	_, err = store.OpenWith(t.Context(), options, extended(t, on, "DROP TABLE sessions;\nALTER TABLE nowhere ADD COLUMN note TEXT;"))
	require.ErrorContains(t, err, "upgrade schema from version 3")
	again := open(t, options)
	_, err = again.Session(t.Context(), "s")
	require.NoError(t, err)
}

func newerSchemaIsRefused(t *testing.T, on backend) {
	options := on.fresh(t)
	newer, err := store.OpenWith(t.Context(), options, extended(t, on, `DROP TABLE sessions;`))
	require.NoError(t, err)
	require.NoError(t, newer.Close())

	_, err = store.Open(t.Context(), options)
	var schema *store.SchemaError
	require.ErrorAs(t, err, &schema)
	assert.Equal(t, store.SchemaError{Found: 99999, Known: 3}, *schema)
	assert.Contains(t, err.Error(), "the store has schema version 99999 and this program knows versions up to 3: use the newer program")
}

func severalMayOpen(t *testing.T, on backend) {
	options := on.fresh(t)
	options.Timeout = time.Minute
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			opened, err := store.Open(t.Context(), options)
			if assert.NoError(t, err) {
				assert.NoError(t, opened.Close())
			}
		})
	}
	group.Wait()
}

func operationEndsWithItsContext(t *testing.T, on backend) {
	opened := open(t, on.fresh(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := opened.PutApprovals(ctx, approval("a", "ls", nil))
	require.ErrorIs(t, err, context.Canceled)
	_, err = opened.Approvals(ctx, start())
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, opened.Watch(ctx, func(store.Change) {}), context.Canceled)
	approvals, err := opened.Approvals(t.Context(), start())
	require.NoError(t, err)
	assert.Empty(t, approvals)
	require.NoError(t, opened.Ping(t.Context()))
}

func everythingIsThereAgain(t *testing.T, on backend) {
	options := on.fresh(t)
	first, err := store.Open(t.Context(), options)
	require.NoError(t, err)
	require.NoError(t, first.OpenPrompt(t.Context(), prompt("p", "s")))
	_, err = first.PutApprovals(t.Context(), approval("a", "ls", nil))
	require.NoError(t, err)
	require.NoError(t, first.Close())
	require.Error(t, first.Ping(t.Context()))

	second := open(t, options)
	_, err = second.Prompt(t.Context(), "p")
	require.NoError(t, err)
	approvals, err := second.Approvals(t.Context(), start())
	require.NoError(t, err)
	assert.Len(t, approvals, 1)
}

func TestAnUnknownAddressIsRefusedWithoutRepeatingIt(t *testing.T) {
	for _, address := range []string{"", "mysql://dev:hunter2@host/db", "SQLite", "postgres:dev:hunter2@host"} {
		_, err := store.Open(t.Context(), store.Options{Address: address, Dir: t.TempDir()})
		require.ErrorContains(t, err, "neither sqlite nor postgres://")
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
