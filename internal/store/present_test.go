package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// A change is acknowledged only if it is in the database that the next start opens.
func TestAChangeToADatabaseThatIsGoneFails(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, db string){
		"removed":            func(t *testing.T, db string) { require.NoError(t, os.Remove(db)) },
		"moved":              func(t *testing.T, db string) { require.NoError(t, os.Rename(db, db+".old")) },
		"its log is removed": func(t *testing.T, db string) { require.NoError(t, os.Remove(db+"-wal")) },
		"its directory moved": func(t *testing.T, db string) {
			require.NoError(t, os.Rename(filepath.Dir(db), filepath.Dir(db)+".old"))
		},
		"replaced": func(t *testing.T, db string) {
			text, err := os.ReadFile(db)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(db+".new", text, 0o600))
			require.NoError(t, os.Rename(db+".new", db))
		},
	} {
		t.Run(name, func(t *testing.T) {
			options := store.Options{Address: "sqlite", Dir: filepath.Join(t.TempDir(), "state")}
			opened := open(t, options)
			_, err := opened.PutApprovals(t.Context(), approval("before", "before", nil))
			require.NoError(t, err)
			require.NoError(t, opened.Ping(t.Context()))

			take(t, filepath.Join(options.Dir, "policyd.db"))
			_, err = opened.PutApprovals(t.Context(), approval("after", "after", nil))
			require.ErrorIs(t, err, store.ErrReplaced)
			require.ErrorIs(t, opened.Ping(t.Context()), store.ErrReplaced)
			_, _, err = opened.PutGrant(t.Context(), grant("g", "s", "/g", v1.GrantRead))
			require.ErrorIs(t, err, store.ErrReplaced)
		})
	}
}

// The files stay the same while connections come and go.
func TestConnectionsComeAndGo(t *testing.T) {
	opened := open(t, sqliteBackend{}.fresh(t))
	for i := range 3 {
		opened.Writer().SetMaxIdleConns(0) // each statement has a connection of its own
		_, err := opened.PutApprovals(t.Context(), approval(numbered("a", i), numbered("v", i), nil))
		require.NoError(t, err)
	}
	require.NoError(t, opened.Ping(t.Context()))
}

// A database that was there and is missing, or holds nothing, isn't made anew in silence.
func TestALostDatabaseStopsTheStart(t *testing.T) {
	empty := func(t *testing.T, db string) {
		require.NoError(t, os.WriteFile(db, nil, 0o600))
	}
	for name, lose := range map[string]struct {
		how   func(t *testing.T, db string)
		empty bool
	}{
		"missing": {func(*testing.T, string) {}, false},
		"empty":   {empty, true},
		"without tables": {func(t *testing.T, db string) {
			emptied := open(t, store.Options{Address: "sqlite", Dir: filepath.Join(t.TempDir(), "emptied")})
			_, err := emptied.Writer().ExecContext(t.Context(), `ATTACH DATABASE '`+db+`.bare' AS bare; CREATE TABLE bare.t (i INTEGER); DROP TABLE bare.t`)
			require.NoError(t, err)
			require.NoError(t, os.Rename(db+".bare", db))
		}, true},
	} {
		for _, used := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", and the caller knows", false: ""}[used], func(t *testing.T) {
				options := store.Options{Address: "sqlite", Dir: filepath.Join(t.TempDir(), "state"), Used: used}
				if used {
					require.NoError(t, os.MkdirAll(options.Dir, 0o700)) // there is no mark
				} else {
					first, err := store.Open(t.Context(), options)
					require.NoError(t, err)
					require.NoError(t, first.Close())
					require.NoError(t, store.Examine(options))
					there, err := store.Files(options.Dir)
					require.NoError(t, err)
					assert.Len(t, there, 2, "the database and its mark")
				}
				db := filepath.Join(options.Dir, "policyd.db")
				_ = os.Remove(db)
				lose.how(t, db)
				before := files(t, options.Dir)
				_, err := store.Open(t.Context(), options)
				var lost *store.LostError
				require.ErrorAs(t, err, &lost)
				assert.Equal(t, lose.empty, lost.Empty)
				assert.Contains(t, err.Error(), db)
				if name != "without tables" {
					assert.Equal(t, before, files(t, options.Dir), "nothing is made")
					require.ErrorAs(t, store.Examine(options), &lost)
				}
			})
		}
	}
}
