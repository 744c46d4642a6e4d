package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Statements that only read are no program text, so that they can be approved; all else is.
func TestStatementsThatReadAreNoProgramText(t *testing.T) {
	for line, text := range map[string]bool{
		`sqlite3 a.db "SELECT count(*) FROM t"`:             false,
		`sqlite3 -header -column a.db ".tables" "SELECT 1"`: false,
		`sqlite3 a.db "SELECT 1" -json`:                     false,
		`sqlite3 :memory: "SELECT 1"`:                       false,
		`sqlite3 a.db`:                                      true,
		`sqlite3 a.db <<< "SELECT 1"`:                       true,
		`sqlite3 a.db "DELETE FROM t"`:                      true,
		`sqlite3 a.db "SELECT 1" "DELETE FROM t"`:           true,
		`sqlite3 a.db -cmd ".shell id" "SELECT 1"`:          true,
		`sqlite3 -init x a.db "SELECT 1"`:                   true,
		`sqlite3 "file:a.db?vfs=x" "SELECT 1"`:              true,
		`sqlite3 a.db "SELECT $x"`:                          false, // asks as a word that only the run knows
		`psql -h db -U me app -c "SELECT 1"`:                false,
		`psql app -c '\d+ t'`:                               false,
		`psql -l`:                                           false,
		`psql app`:                                          true,
		`psql app < x.sql`:                                  true,
		`psql app -f x.sql`:                                 true,
		`psql app -c "SELECT 1" -f x.sql`:                   true,
		`psql app -c "SELECT 1" -c "DROP TABLE t"`:          true,
		`psql app -c "SELECT pg_read_file('x')"`:            true,
		`psql app --command="SELECT 1 INTO x"`:              true,
		`psql app -c '\! id'`:                               true,
	} {
		parsed := parse(t, line)
		require.NotEmpty(t, parsed.Commands, line)
		command := parsed.Commands[len(parsed.Commands)-1]
		assert.Equal(t, text, command.Caveats.Has("inline_code"), line)
	}
}
