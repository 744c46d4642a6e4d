package store_test

import (
	"context"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
	"policyd/test/postgres"
)

// One server for all: to start one takes longer than most of the tests.
func TestPostgreSQL(t *testing.T) {
	server := startPostgres(t)
	runSuite(t, server)
	for name, run := range map[string]func(*testing.T, *postgresServer){
		"stores on one database see each other's changes": storesSeeEachOther,
		"a lost connection is told and gone on from":      lostConnectionIsReported,
		"many changes are told as one":                    manyChangesAreAnnounced,
		"broken connections cost no operation":            brokenConnectionsCostNothing,
		"a stop fails within the timeout and recovers":    stopFailsInTime,
		"a silent server fails within the timeout":        silentServerFailsInTime,
		"who is in another's way tries again":             deadlockIsTriedAgain,
		"a read-only database says so":                    readOnlyDatabase,
		"a wrong password is named and not shown":         wrongPassword,
	} {
		t.Run(name, func(t *testing.T) { run(t, server) })
	}
}

const (
	// soon is when a change has to be seen, at the latest (C3).
	soon = time.Second
	// patience is for what has no such bound.
	patience = 30 * time.Second
)

// watch returns the changes that a store is notified of, after the first.
func watch(t *testing.T, watching *store.Store) <-chan store.Change {
	t.Helper()
	changes, ended := make(chan store.Change, 1000), make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { ended <- watching.Watch(ctx, func(change store.Change) { changes <- change }) }()
	t.Cleanup(func() {
		cancel()
		assert.ErrorIs(t, <-ended, context.Canceled)
	})
	require.Equal(t, store.Change{}, next(t, changes, patience), "everything has to be read once")
	return changes
}

func next(t *testing.T, changes <-chan store.Change, within time.Duration) store.Change {
	t.Helper()
	select {
	case change := <-changes:
		return change
	case <-time.After(within):
		require.Fail(t, "no change was told")
		return store.Change{}
	}
}

func storesSeeEachOther(t *testing.T, server *postgresServer) {
	options := server.fresh(t)
	here, there := open(t, options), open(t, options)
	told, own := watch(t, here), watch(t, there)
	ctx := t.Context()
	expect := func(want ...store.Change) {
		t.Helper()
		var got []store.Change
		for range want {
			got = append(got, next(t, told, soon))
		}
		assert.ElementsMatch(t, want, got)
	}
	created, err := there.CreateSession(ctx, session("s"))
	require.NoError(t, err)
	expect(store.Change{Table: "sessions", ID: "s"})
	_, err = there.UpdateSession(ctx, created)
	require.NoError(t, err)
	expect(store.Change{Table: "sessions", ID: "s"})
	_, _, err = there.PutGrant(ctx, grant("g:1 2", "s", "/a", v1.GrantRead))
	require.NoError(t, err)
	expect(store.Change{Table: "grants", ID: "g:1 2"})
	_, err = there.DeleteGrants(ctx, "g:1 2", "unknown")
	require.NoError(t, err)
	expect(store.Change{Table: "grants", ID: "g:1 2"})
	require.NoError(t, there.OpenPrompt(ctx, prompt("p", "s")))
	expect(store.Change{Table: "prompts", ID: "p"})
	resolution := answered("p", "s")
	resolution.Approvals = []v1.ApprovalEntry{approval("a", "ls", nil)}
	_, _, err = there.ResolvePrompt(ctx, resolution)
	require.NoError(t, err)
	expect(store.Change{Table: "prompts", ID: "p"}, store.Change{Table: "approvals", ID: "a"}, store.Change{Table: "onces", ID: "p"})
	require.NoError(t, there.SpendOnce(ctx, "p"))
	expect(store.Change{Table: "onces", ID: "p"})
	_, err = there.DeleteApprovals(ctx, "a")
	require.NoError(t, err)
	expect(store.Change{Table: "approvals", ID: "a"})

	// A failed change isn't announced, and a store doesn't get its own changes.
	_, _, err = there.ResolvePrompt(ctx, resolution)
	require.ErrorIs(t, err, store.ErrConflict)
	require.NoError(t, there.ArchiveSession(ctx, "s", start()))
	expect(store.Change{Table: "sessions", ID: "s"})
	_, _, err = here.PutGrant(ctx, grant("g2", "", "/a", v1.GrantRead))
	require.NoError(t, err)
	require.Equal(t, store.Change{Table: "grants", ID: "g2"}, next(t, own, soon))
	assert.Empty(t, told)
	assert.Empty(t, own)
}

func manyChangesAreAnnounced(t *testing.T, server *postgresServer) {
	options := server.fresh(t)
	here, there := open(t, options), open(t, options)
	told := watch(t, here)
	var entries []v1.ApprovalEntry
	for i := range 500 {
		entries = append(entries, approval(numbered("a", i), numbered("verb", i), nil))
	}
	_, err := there.PutApprovals(t.Context(), entries...)
	require.NoError(t, err)
	require.Equal(t, store.Change{}, next(t, told, patience))
	// Nor is what doesn't fit into a notification left out.
	_, err = there.CreateSession(t.Context(), session(strings.Repeat("s", 8000)))
	require.NoError(t, err)
	require.Equal(t, store.Change{}, next(t, told, patience))
	require.NoError(t, there.OpenPrompt(t.Context(), prompt("p", "s")))
	require.Equal(t, store.Change{Table: "prompts", ID: "p"}, next(t, told, patience))
	assert.Empty(t, told)
}

// terminate ends all connections to a database but those of the administrator.
func terminate(t *testing.T, server *postgresServer) {
	t.Helper()
	_, err := server.Admin.ExecContext(t.Context(),
		`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`)
	require.NoError(t, err)
}

func lostConnectionIsReported(t *testing.T, server *postgresServer) {
	options := server.fresh(t)
	here, there := open(t, options), open(t, options)
	told := watch(t, here)
	for round := range 3 {
		terminate(t, server)
		require.Equal(t, store.Change{}, next(t, told, patience), "that it is lost")
		require.Equal(t, store.Change{}, next(t, told, patience), "that it is back")
		require.NoError(t, here.Ping(t.Context()))
		id := numbered("p", round)
		require.NoError(t, there.OpenPrompt(t.Context(), prompt(id, "s")))
		require.Equal(t, store.Change{Table: "prompts", ID: id}, next(t, told, patience))
	}
}

func brokenConnectionsCostNothing(t *testing.T, server *postgresServer) {
	opened := open(t, server.fresh(t))
	for round := range 5 {
		_, err := opened.Approvals(t.Context(), start())
		require.NoError(t, err)
		terminate(t, server)
		require.NoError(t, opened.OpenPrompt(t.Context(), prompt(numbered("p", round), "s")))
	}
}

func stopFailsInTime(t *testing.T, server *postgresServer) {
	options := server.fresh(t)
	options.Timeout = time.Second
	opened := open(t, options)
	told := watch(t, opened)
	require.NoError(t, opened.OpenPrompt(t.Context(), prompt("p", "s")))
	server.Stop(t)
	failsInTime(t, opened, options.Timeout)
	_, err := store.Open(t.Context(), options)
	require.Error(t, err)
	require.Equal(t, store.Change{}, next(t, told, patience), "that it is lost")

	server.StartAgain(t)
	require.Equal(t, store.Change{}, next(t, told, patience), "that it is back")
	require.NoError(t, opened.Ping(t.Context()))
	_, _, err = opened.ResolvePrompt(t.Context(), answered("p", "s"))
	require.NoError(t, err)
}

// failsInTime checks that no operation takes much longer than the timeout.
func failsInTime(t *testing.T, opened *store.Store, timeout time.Duration) {
	t.Helper()
	for name, operation := range map[string]func() error{
		"read":  func() error { _, err := opened.Approvals(t.Context(), start()); return err },
		"write": func() error { return opened.OpenPrompt(t.Context(), prompt("q", "s")) },
		"spend": func() error { return opened.SpendOnce(t.Context(), "p") },
		"ping":  func() error { return opened.Ping(t.Context()) },
	} {
		began := time.Now()
		err := operation()
		require.Error(t, err, name)
		assert.NotErrorIs(t, err, store.ErrConflict)
		assert.Less(t, time.Since(began), 2*timeout, name)
	}
}

func silentServerFailsInTime(t *testing.T, server *postgresServer) {
	options := server.fresh(t)
	options.Timeout = time.Second
	opened := open(t, options)
	told := watch(t, opened)
	pids := server.backends(t, options)
	require.NotEmpty(t, pids)
	signal := func(signal os.Signal) {
		for _, pid := range pids {
			process, err := os.FindProcess(pid)
			require.NoError(t, err)
			require.NoError(t, process.Signal(signal))
		}
	}
	signal(syscall.SIGSTOP)
	resumed := false
	defer func() {
		if !resumed {
			signal(syscall.SIGCONT)
		}
	}()
	began := time.Now()
	require.Error(t, opened.SpendOnce(t.Context(), "p"))
	assert.Less(t, time.Since(began), 2*options.Timeout)
	// The silence is noticed, and the next connection isn't silent.
	require.Equal(t, store.Change{}, next(t, told, patience), "that it is lost")
	require.Equal(t, store.Change{}, next(t, told, patience), "that it is back")
	signal(syscall.SIGCONT)
	resumed = true
	require.NoError(t, opened.Ping(t.Context()))
}

// backends are the processes that serve a database.
func (p *postgresServer) backends(t *testing.T, options store.Options) (pids []int) {
	t.Helper()
	address, err := url.Parse(options.Address)
	require.NoError(t, err)
	rows, err := p.Admin.QueryContext(t.Context(), `SELECT pid FROM pg_stat_activity WHERE datname = $1`,
		strings.TrimPrefix(address.Path, "/"))
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var pid int
		require.NoError(t, rows.Scan(&pid))
		pids = append(pids, pid)
	}
	require.NoError(t, rows.Err())
	return pids
}

func deadlockIsTriedAgain(t *testing.T, server *postgresServer) {
	options := server.fresh(t)
	options.Timeout = time.Minute
	opened := open(t, options)
	ctx := t.Context()
	entries := []v1.ApprovalEntry{approval("a", "ls", nil), approval("b", "cat", nil)}
	_, err := opened.PutApprovals(ctx, entries...)
	require.NoError(t, err)
	// The other goes through the rows the other way round.
	tx, err := opened.Writer().BeginTx(ctx, nil)
	require.NoError(t, err)
	lock := func(order string) {
		_, err := tx.ExecContext(ctx, `UPDATE approvals SET given_by = 'other' WHERE identity = (SELECT `+order+`(identity::text)::bytea FROM approvals)`)
		require.NoError(t, err)
	}
	// The store gives way, however long it has waited.
	_, err = tx.ExecContext(ctx, `SET LOCAL deadlock_timeout = '1min'`)
	require.NoError(t, err)
	lock("max")
	ended := make(chan error, 1)
	go func() {
		_, err := opened.PutApprovals(ctx, entries...)
		ended <- err
	}()
	require.Eventually(t, func() bool {
		var waiting int
		err := opened.Writer().QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		return err == nil && waiting == 1
	}, patience, time.Millisecond)
	lock("min")
	require.NoError(t, tx.Commit())
	require.NoError(t, <-ended)
}

func readOnlyDatabase(t *testing.T, server *postgresServer) {
	options := server.fresh(t)
	open(t, options)
	options.Address += "&default_transaction_read_only=on"
	_, err := store.Open(t.Context(), options)
	require.ErrorContains(t, err, "read-only transaction")
}

func wrongPassword(t *testing.T, server *postgresServer) {
	_, err := store.Open(t.Context(), store.Options{Address: server.Address("postgres", "sesame99")})
	require.ErrorContains(t, err, "password authentication failed")
	assert.NotContains(t, err.Error(), "sesame99")
	_, err = store.Open(t.Context(), store.Options{Address: server.Address("nowhere", postgres.Password)})
	require.ErrorContains(t, err, `database "nowhere" does not exist`)
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestNoErrorShowsThePasswordOfAnAddress(t *testing.T) {
	for _, address := range []string{
		"postgres://dev:hunter2@127.0.0.1:1/db",
		"postgres://dev:hunter2@127.0.0.1:1/db?sslmode=nonsense",
		"postgres://dev:hunter2@127.0.0.1:nonsense/db",
		"postgres://dev:hun ter2@127.0.0.1:1/db",
		"postgres://dev:hunter2%zz@127.0.0.1:1/db",
		"postgres://dev:hunter2@[::1/db",
		"postgresql://127.0.0.1:1/db?user=dev&password=hunter2&connect_timeout=soon",
	} {
		_, err := store.Open(t.Context(), store.Options{Address: address, Timeout: time.Second})
		require.ErrorContains(t, err, "open store: ", address)
		assert.NotContains(t, err.Error(), "ter2", address)
		assert.Greater(t, len(err.Error()), 40, "it says what is wrong")
		t.Log(err)
	}
}
