package store_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// storeFromBeforeRisks upgrades what a program with schema version 1 wrote (testdata/schema_1.json), and
// checks that all of it is read, and that an approval is still the one that it was.
func storeFromBeforeRisks(t *testing.T, on backend) {
	ctx, options := t.Context(), on.fresh(t)
	first := on.migrations() + "/00001_first.sql"
	data, err := fs.ReadFile(store.Migrations(), first)
	require.NoError(t, err)
	older, err := store.OpenWith(ctx, options, fstest.MapFS{first: {Data: data}})
	require.NoError(t, err)
	fill(t, older, "testdata/schema_1.json")
	require.NoError(t, older.Close())

	upgraded := open(t, options)
	entries, err := upgraded.Approvals(ctx, start())
	require.NoError(t, err)
	words := []string{}
	for i := range entries {
		assert.Empty(t, entries[i].Risks)
		assert.False(t, entries[i].Worktrees)
		words = append(words, entries[i].ID+" "+entries[i].Words()+" "+entries[i].Session)
	}
	assert.Equal(t, []string{"a-1 git push in /srv/proj ", "a-2 mcp:fs/search anywhere ", "a-3 make in /srv/proj s-1"}, words)

	again := entries[0]
	again.ID = "again"
	risky := again
	risky.ID, risky.Risks = "risky", []string{"force"}
	everywhere := again
	everywhere.ID, everywhere.Worktrees = "everywhere", true
	saved, err := upgraded.PutApprovals(ctx, again, risky, everywhere)
	require.NoError(t, err)
	require.Len(t, saved, 3)
	assert.True(t, saved[2].Worktrees)
	assert.Equal(t, "everywhere", saved[2].ID, "one for all worktrees is another one")
	assert.Equal(t, "a-1", saved[0].ID, "the same approval is there once")
	assert.Equal(t, risky.Risks, saved[1].Risks)
	assert.Equal(t, "risky", saved[1].ID)

	kept, err := upgraded.Session(ctx, "s-1")
	require.NoError(t, err)
	assert.Equal(t, "/srv/proj", kept.ProjectDir)
	grants, err := upgraded.Grants(ctx)
	require.NoError(t, err)
	assert.Len(t, grants, 1)
	prompt, err := upgraded.Prompt(ctx, "p-1")
	require.NoError(t, err)
	assert.Equal(t, []v1.PromptItem{{Kind: v1.ItemCommand, Verb: "git push", Directory: "/srv/proj"}}, prompt.Scope.Items)
}

// fill writes the rows of a file, {table: [{column: value}]}. A text behind "hex:" represents bytes.
func fill(t *testing.T, into *store.Store, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var tables map[string][]map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&tables))
	for table, rows := range tables {
		for _, row := range rows {
			columns := slices.Sorted(maps.Keys(row))
			places, values := make([]string, len(columns)), make([]any, len(columns))
			for i, column := range columns {
				places[i], values[i] = fmt.Sprintf("$%d", i+1), row[column]
				if number, ok := values[i].(json.Number); ok {
					values[i], err = number.Int64()
					require.NoError(t, err)
				}
				if text, ok := values[i].(string); ok && strings.HasPrefix(text, "hex:") {
					values[i], err = hex.DecodeString(text[len("hex:"):])
					require.NoError(t, err)
				}
			}
			_, err := into.Writer().ExecContext(t.Context(),
				"INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(places, ", ")+")", values...)
			require.NoError(t, err)
		}
	}
}
