package sql

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var reading = map[string][]string{
	SQLite: {
		"SELECT 1", "select count(*) from t;", "SELECT a, b FROM t WHERE a LIKE '%x%' AND b IN (1,2,3) ORDER BY a DESC LIMIT 10",
		"WITH x AS (SELECT 1 AS n) SELECT n FROM x", "SELECT replace(a, 'drop table', '') FROM t", "EXPLAIN QUERY PLAN SELECT * FROM t",
		".tables", ".schema t", ".headers on\n.mode column\nSELECT * FROM t;", "SELECT 'it''s' || \"a b\" FROM `t`", "-- how many\nSELECT count(*) FROM t",
		"SELECT name FROM pragma_table_info('t')", "SELECT 1.5, 2; SELECT 3", "SELECT 'a; DELETE FROM t'",
		"SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t", "SELECT CASE WHEN (a) THEN 1 ELSE (2) END FROM t", "",
	},
	Postgres: {
		"SELECT * FROM public.users LIMIT 5", "SELECT data->>'k' FROM t WHERE data @> '{\"a\":1}'::jsonb", `\dt`, `\d+ users`, `\l`, "SHOW server_version",
		"SELECT date_trunc('day', at), count(*) FROM t GROUP BY 1", "EXPLAIN (ANALYZE, BUFFERS) SELECT 1", "TABLE users",
		"SELECT pg_size_pretty(pg_database_size(current_database()))", "SELECT tags[1:2] FROM t",
	},
}

var other = map[string][]string{
	SQLite: {
		"DELETE FROM t", "SELECT 1; DROP TABLE t", "WITH x AS (SELECT 1) DELETE FROM t", "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", "REPLACE INTO t VALUES (1)",
		"SELECT writefile('x', 'y')", "SELECT readfile('/etc/passwd')", "SELECT load_extension('x')", "SELECT edit('x')", "ATTACH 'x' AS y", "VACUUM INTO 'x'",
		".shell id", ".system id", ".output x", ".once x", ".read x", ".import a b", ".open x", ".save x", ".backup x", ".load x", ".excel", ".log x", ".cd x", "SELECT 1;\n.shell id",
		".mode list\n.shell id", " .shell id", ".headers on;.shell id", "SELECT data FROM fsdir WHERE name = '/etc'", "SELECT data FROM \"fsdir\"", "SELECT * FROM fsdir('/')", "SELECT * FROM zipfile WHERE file='x'",
		"PRAGMA journal_mode=delete", "EXPLAIN DELETE FROM t", "SELECT /* ' */ writefile('a','b') /* ' */", "SELECT [a'] , writefile('x','y') , [']",
		"SELECT 'a\\', writefile('x','y') , '", "SELECT $$a'$$, writefile('x','y')", "# comment\n.shell id", "SELECT x'", "BEGIN; SELECT 1", "/\nSELECT 1", "(DELETE FROM t)",
		"SELECT \"writefile\"('x','y')", "SELECT main.writefile('x','y')", "SELECT writefile -- x\n ('a','b')", "SELECT writefile\n('a','b')",
	},
	Postgres: {
		"SELECT * INTO x FROM t", "SELECT 1into x", "SELECT pg_read_file('/etc/passwd')", "SELECT pg_catalog.pg_sleep(1)", "SELECT pg_terminate_backend(1)", "SELECT lo_export(1, 'x')",
		"COPY t TO '/tmp/x'", "COPY (SELECT 1) TO PROGRAM 'id'", `\! id`, `\o x`, `\copy t to x`, `\i x`, `\dt; \! id`, `\dt | id`, "SELECT 1 \\g |id", "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
		"EXPLAIN ANALYZE DELETE FROM t", "SELECT nextval('s')", "SELECT setval('s', 1)", "SELECT dblink('x','y')", "SELECT query_to_xml('delete from t',true,false,'')", "SELECT E'\\'', pg_sleep(1)",
		"SELECT $$'$$, pg_sleep(1) --'", "DO $$ $$", "CALL p()", "SET x = 1", "SELECT set_config('a','b',false)", "SELECT 1 FOR UPDATE", "SELECT u&'!'", "LISTEN x", "SELECT \"pg_sleep\"(1)",
		"SELECT 1e--1\n", "EXPLAIN ANALYZE EXECUTE q", "EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1",
	},
	"":      {"SELECT 1"},
	"other": {"SELECT 1"},
}

func TestReads(t *testing.T) {
	for name, texts := range reading {
		for _, text := range texts {
			assert.True(t, Reads(name, text), "%s: %s", name, text)
		}
	}
	for name, texts := range other {
		for _, text := range texts {
			assert.False(t, Reads(name, text), "%s: %s", name, text)
		}
	}
}

// fragments are what generated texts are made of.
var fragments = []string{
	"SELECT ", "select 1", "1", ", ", ";", "\n", "(", ")", "'", "''", "\"", "`", "[", "]", "--", "-- ", "/*", "*/", "writefile", "writefile('effect','x')", "('effect','x')", "t", ".", ".once effect\n",
	"\n.output effect\n", "INSERT INTO t VALUES (1)", "DELETE FROM t", "into", " FROM t ", "WITH x AS (", "count(*)", "replace", "$$", "\\", "E'", "x'41'", " AS ", ".shell touch effect\n", "CREATE TABLE u(a)", " UNION ", "pragma user_version=7", "#", "explain ",
}

// What counts as reading changes nothing: generated texts run in the real program, on a database and
// in a directory that must be the same afterwards.
func TestWhatReadsChangesNothingInSQLite(t *testing.T) {
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("sqlite3 is not installed")
	}
	dir := t.TempDir()
	database := filepath.Join(dir, "d.db")
	require.NoError(t, exec.CommandContext(t.Context(), program, database, "CREATE TABLE t(a); INSERT INTO t VALUES (1)").Run())
	before := state(t, program, dir)
	seed := uint32(1)
	random := func(below int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>16) % below
	}
	ran := 0
	for range 200_000 {
		var text strings.Builder
		for range 1 + random(6) {
			text.WriteString(fragments[random(len(fragments))])
		}
		if ran == 400 {
			break
		}
		if strings.TrimSpace(text.String()) == "" || strings.HasPrefix(text.String(), "-") || !Reads(SQLite, text.String()) {
			continue
		}
		ran++
		run := exec.CommandContext(t.Context(), program, database, text.String())
		run.Dir = dir
		_ = run.Run() // most are no statements
		stdin := exec.CommandContext(t.Context(), program, database)
		stdin.Dir, stdin.Stdin = dir, strings.NewReader(text.String())
		_ = stdin.Run()
		require.Equal(t, before, state(t, program, dir), text.String())
	}
	assert.Equal(t, 400, ran)
}

// state is what a directory and its database hold.
func state(t *testing.T, program, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	dump := exec.CommandContext(t.Context(), program, filepath.Join(dir, "d.db"), ".dump", "pragma user_version")
	out, err := dump.Output()
	require.NoError(t, err)
	return strings.Join(names, "\n") + string(out)
}
