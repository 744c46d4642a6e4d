// Package postgres starts Debian's PostgreSQL for tests: each in a scratch
// directory of its own, reached by a Unix socket alone.
package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
)

// Server is a PostgreSQL of its own, in a scratch directory, reached by a
// Unix socket alone.
type Server struct {
	programs, dir string
	// Admin is connected as the owner of everything.
	Admin *sql.DB
	// as is put before every command: the server refuses to run as root.
	as []string
}

// Password is the owner's. It holds what an address has to escape.
const Password = "hunter2@/:%"

// Start starts Debian's PostgreSQL, or states why it can't.
func Start(t *testing.T) *Server {
	t.Helper()
	server := &Server{}
	server.find(t)
	var err error
	//nolint:usetesting // the parents of a test's directory are closed to other users
	server.dir, err = os.MkdirTemp("", "policyd-postgres-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(server.dir) })
	password := filepath.Join(server.dir, "password")
	require.NoError(t, os.WriteFile(password, []byte(Password), 0o600))
	if len(server.as) > 0 {
		out, err := exec.CommandContext(t.Context(), "chown", "-R", "postgres", server.dir).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	server.run(t, "initdb", "-D", server.data(), "-U", "policyd", "-A", "scram-sha-256", "--pwfile", password, "-E", "UTF8",
		"--locale=C", "--no-sync")
	server.StartAgain(t)
	t.Cleanup(func() { server.Stop(t) })
	server.Admin = server.Open(t, "postgres")
	return server
}

// find looks for the newest server of the system.
func (p *Server) find(t *testing.T) {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	require.NoError(t, err)
	if inPath, err := exec.LookPath("initdb"); err == nil && len(found) == 0 {
		found = []string{inPath}
	}
	if len(found) == 0 {
		t.Skip("PostgreSQL is not installed: on Debian it is the package postgresql")
	}
	slices.Sort(found)
	p.programs = filepath.Dir(found[len(found)-1])
	if os.Getuid() != 0 {
		return
	}
	p.as = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"}
	if out, err := exec.CommandContext(t.Context(), p.as[0], append(p.as[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("PostgreSQL doesn't run as root, and its user can't be used: %v: %s", err, out)
	}
}

func (p *Server) data() string { return filepath.Join(p.dir, "data") }

func (p *Server) run(t *testing.T, program string, arguments ...string) {
	t.Helper()
	line := slices.Concat(p.as, []string{filepath.Join(p.programs, program)}, arguments)
	// Not with the test's context, which ends before its cleanup.
	cmd := exec.CommandContext(context.Background(), line[0], line[1:]...)
	cmd.Dir = p.dir
	// What the server inherits would keep a pipe open.
	out, err := os.CreateTemp(t.TempDir(), program)
	require.NoError(t, err)
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		require.NoError(t, err, string(said))
	}
}

// StartAgain starts a server that was stopped.
func (p *Server) StartAgain(t *testing.T) {
	t.Helper()
	p.run(t, "pg_ctl", "start", "-w", "-D", p.data(), "-l", filepath.Join(p.dir, "log"),
		"-o", "-c listen_addresses='' -c fsync=off -c unix_socket_directories="+p.dir)
}

// Stop ends the server at once, as a crash would.
func (p *Server) Stop(t *testing.T) {
	t.Helper()
	p.run(t, "pg_ctl", "stop", "-w", "-m", "immediate", "-D", p.data())
}

// Address is a database of the server.
func (p *Server) Address(database, password string) string {
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword("policyd", password), Path: "/" + database,
		RawQuery: url.Values{"host": {p.dir}}.Encode(),
	}
	return address.String()
}

// Open connects to a database.
func (p *Server) Open(tb testing.TB, database string) *sql.DB {
	tb.Helper()
	config, err := pgx.ParseConfig(p.Address(database, Password))
	require.NoError(tb, err)
	opened := stdlib.OpenDB(*config, stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return true }))
	tb.Cleanup(func() { opened.Close() })
	return opened
}

// Fresh makes a database that sorts text as people do, where the server can, and
// returns its address.
func (p *Server) Fresh(tb testing.TB) string {
	tb.Helper()
	var number int64
	require.NoError(tb, p.Admin.QueryRowContext(tb.Context(), `SELECT COUNT(*) FROM pg_database`).Scan(&number))
	name := fmt.Sprintf("policyd_%d", number)
	if _, err := p.Admin.ExecContext(tb.Context(),
		`CREATE DATABASE `+name+` TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'`); err != nil {
		_, err = p.Admin.ExecContext(tb.Context(), `CREATE DATABASE `+name)
		require.NoError(tb, err)
	}
	return p.Address(name, Password)
}
