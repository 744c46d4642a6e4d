package store_test

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

func TestAFullSQLiteChangesNothingAndIsReported(t *testing.T) {
	opened := open(t, sqliteBackend{}.fresh(t))
	fill := func(writer *sql.DB) {
		_, err := writer.ExecContext(t.Context(), `PRAGMA max_page_count = 1`) // the least is what is used
		require.NoError(t, err)
	}
	fill(opened.Writer())
	kept := putUntilFull(t, opened, "full")
	mustHold(t, opened, kept)
	_, err := opened.Writer().ExecContext(t.Context(), `PRAGMA max_page_count = 1000000`)
	require.NoError(t, err)
	_, err = opened.PutApprovals(t.Context(), approval("after", "after", nil))
	require.NoError(t, err)
	require.NoError(t, opened.Ping(t.Context()))
}

// putUntilFull answers prompts with a lot to keep until that fails, and returns
// how many answers were kept.
func putUntilFull(t *testing.T, opened *store.Store, reason string) int {
	t.Helper()
	for i := range 1000 {
		id := numbered("p", i)
		err := opened.OpenPrompt(t.Context(), prompt(id, "s"))
		if err == nil {
			resolution := answered(id, "s")
			for j := range 50 {
				verb := id + numbered("verb", j)
				resolution.Approvals = append(resolution.Approvals, approval(verb, strings.Repeat(verb, 20), nil))
			}
			_, _, err = opened.ResolvePrompt(t.Context(), resolution)
		}
		if err != nil {
			require.ErrorContains(t, err, reason)
			return i
		}
	}
	require.Fail(t, "it never was full")
	return 0
}

// mustHold checks that so many answers are there, whole, and no part of another.
func mustHold(t *testing.T, opened *store.Store, kept int) {
	t.Helper()
	ended, err := opened.Prompts(t.Context(), v1.PromptAnswered, "", 0)
	require.NoError(t, err)
	assert.Len(t, ended, kept)
	approvals, err := opened.Approvals(t.Context(), start())
	require.NoError(t, err)
	assert.Len(t, approvals, 50*kept)
	onces, err := opened.Onces(t.Context(), start())
	require.NoError(t, err)
	assert.Len(t, onces, kept)
}

func TestAFullDiskChangesNothingAndIsReported(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a small disk needs a mount, which fails here: %v: %s", err, out)
	}
	t.Cleanup(func() { assert.NoError(t, exec.Command("umount", dir).Run()) })
	options := store.Options{Address: "sqlite", Dir: dir}
	opened := open(t, options)
	ballast := filepath.Join(dir, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, 1<<18), 0o600))
	kept := putUntilFull(t, opened, "full")
	assert.Positive(t, kept)
	mustHold(t, opened, kept)
	fillDisk(t, dir)
	require.ErrorContains(t, openUntilFull(opened), "full")
	require.ErrorContains(t, opened.Ping(t.Context()), "write store: ")
	mustHold(t, opened, kept)

	require.NoError(t, os.Remove(ballast))
	require.NoError(t, opened.Ping(t.Context()), "there is room again")
	mustHold(t, open(t, options), kept)
}

// fillDisk takes the room that is left.
func fillDisk(t *testing.T, dir string) {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "left"))
	require.NoError(t, err)
	defer file.Close()
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
}

// openUntilFull opens prompts until that fails.
func openUntilFull(opened *store.Store) error {
	for i := range 10000 {
		if err := opened.OpenPrompt(context.Background(), prompt(numbered("more", i), "s")); err != nil {
			return err
		}
	}
	return nil
}
