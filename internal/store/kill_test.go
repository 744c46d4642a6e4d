package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// killedWriter names the directory in the environment of the process that
// TestAKilledWriterLosesNothing kills.
const killedWriter = "POLICYD_TEST_KILLED_WRITER"

// TestMain is that process if the environment has its variable.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killedWriter); dir != "" {
		if err := writeUntilKilled(os.Stdout, dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeUntilKilled opens and answers prompts and says of each answer that it was
// kept.
func writeUntilKilled(out io.Writer, dir string) error {
	opened, err := store.Open(context.Background(), store.Options{Address: "sqlite", Dir: dir})
	if err != nil {
		return err
	}
	ctx := context.Background()
	before, err := opened.Prompts(ctx, v1.PromptAnswered, "", 0)
	if err != nil {
		return err
	}
	for i := len(before); ; i++ {
		id := numbered("p", i)
		// The first may have been opened by the process before this.
		if err := opened.OpenPrompt(ctx, prompt(id, "s")); err != nil && !errors.Is(err, store.ErrConflict) {
			return err
		}
		resolution := answered(id, "s")
		resolution.Approvals = append(resolution.Approvals, approval(id, id, nil))
		if _, _, err := opened.ResolvePrompt(ctx, resolution); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, id); err != nil {
			return err
		}
	}
}

func TestAKilledWriterLosesNothing(t *testing.T) {
	options := sqliteBackend{}.fresh(t)
	program, err := os.Executable()
	require.NoError(t, err)
	acknowledged := 0
	for round := range 5 {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), killedWriter+"="+options.Dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		var complaints strings.Builder
		cmd.Stderr = &complaints
		require.NoError(t, cmd.Start())
		// Rounds end at different places of the loop.
		lines, last := bufio.NewScanner(out), ""
		for range 20 + 7*round {
			require.True(t, lines.Scan(), complaints.String())
			last = lines.Text()
		}
		require.NoError(t, cmd.Process.Kill())
		for lines.Scan() {
			last = lines.Text()
		}
		require.Error(t, cmd.Wait())
		_, err = fmt.Sscanf(last, "p-%d", &acknowledged)
		require.NoError(t, err)
		acknowledged++
		checkKilled(t, options, acknowledged)
	}
}

// checkKilled checks that what was acknowledged is there, and of the answer that was under way everything or
// nothing.
func checkKilled(t *testing.T, options store.Options, acknowledged int) {
	t.Helper()
	opened, err := store.Open(t.Context(), options)
	require.NoError(t, err)
	defer func() { assert.NoError(t, opened.Close()) }()
	ended, err := opened.Prompts(t.Context(), v1.PromptAnswered, "", 0)
	require.NoError(t, err)
	approvals, err := opened.Approvals(t.Context(), start())
	require.NoError(t, err)
	onces, err := opened.Onces(t.Context(), start())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(ended), acknowledged)
	require.LessOrEqual(t, len(ended), acknowledged+1)
	require.Len(t, approvals, len(ended))
	require.Len(t, onces, len(ended))
	for i := range ended {
		require.Equal(t, []string{numbered("p", i), numbered("p", i), numbered("p", i)},
			[]string{ended[i].ID, approvals[i].ID, onces[i].Prompt})
	}
}
