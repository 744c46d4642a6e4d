package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/stdio"
)

func TestLinesKeepTheirEnds(t *testing.T) {
	text := "a\r\n\n" + strings.Repeat("x", 200_000) + "\nlast"
	lines := stdio.NewLines(strings.NewReader(text), 1<<20)
	var all strings.Builder
	for range 4 {
		line, whole, err := lines.Next()
		require.NoError(t, err)
		assert.True(t, whole)
		all.Write(line)
	}
	_, _, err := lines.Next()
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, text, all.String())
}

func TestLinesBeyondTheLimitAreDropped(t *testing.T) {
	lines := stdio.NewLines(strings.NewReader("12345678\nab\n"+strings.Repeat("y", 100_000)+"\nz"), 4)
	for _, want := range []struct {
		line  string
		whole bool
	}{{"1234", false}, {"ab\n", true}, {"yyyy", false}, {"z", true}} {
		line, whole, err := lines.Next()
		require.NoError(t, err)
		assert.Equal(t, want.line, string(line))
		assert.Equal(t, want.whole, whole)
	}
	broken := stdio.NewLines(io.MultiReader(strings.NewReader("a"), failing{}), 4)
	_, _, err := broken.Next()
	require.ErrorContains(t, err, "torn", "what came before a fault is no line")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("torn") }

func TestLinesArePutBetweenOthers(t *testing.T) {
	var out bytes.Buffer
	w := stdio.NewLineWriter(&out)
	write := func(text string) {
		written, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.Equal(t, len(text), written)
	}
	require.NoError(t, w.Put([]byte("1")))
	write("ab")
	require.NoError(t, w.Put([]byte("2")))
	assert.Equal(t, "1\nab", out.String(), "within a line")
	write("c\nde")
	assert.Equal(t, "1\nabc\n2\nde", out.String(), "where the line ended")
	require.NoError(t, w.Put([]byte("3")))
	require.NoError(t, w.End())
	assert.Equal(t, "1\nabc\n2\nde\n3\n", out.String(), "a line that never ended")
}

func TestLinesFromManySidesAreWhole(t *testing.T) {
	var out bytes.Buffer
	w := stdio.NewLineWriter(&out)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 500 {
				assert.NoError(t, w.Put([]byte("put")))
			}
		})
	}
	for range 1000 {
		for _, piece := range []string{"str", "eam\nstr", "eam\n"} {
			_, err := w.Write([]byte(piece))
			require.NoError(t, err)
		}
	}
	writers.Wait()
	assert.Equal(t, 2000, strings.Count("\n"+out.String(), "\nput"))
	assert.Equal(t, 2000, strings.Count("\n"+out.String(), "\nstream"))
	assert.Equal(t, 4000, strings.Count(out.String(), "\n"))
}

func TestChildrenEnd(t *testing.T) {
	start := func(ctx context.Context, script string) (*stdio.Child, *bytes.Buffer) {
		var out bytes.Buffer
		child, err := stdio.Start(ctx, []string{"sh", "-c", script}, &out, io.Discard)
		require.NoError(t, err)
		return child, &out
	}
	finish := func(child *stdio.Child) int {
		code, err := child.Finish()
		require.NoError(t, err)
		return code
	}
	child, out := start(t.Context(), "cat; exit 7")
	_, err := child.Write([]byte("half"))
	require.NoError(t, err)
	child.CloseInput()
	assert.Equal(t, 7, finish(child), "its status")
	assert.Equal(t, "half", out.String(), "and all that it wrote")

	child, _ = start(t.Context(), "kill -9 $$")
	assert.Equal(t, 128+9, finish(child), "a signal")

	ctx, cancel := context.WithCancel(t.Context())
	child, _ = start(ctx, "sleep 600 & wait")
	cancel()
	assert.Equal(t, 128+15, finish(child), "asked to end, with what it started")

	_, err = stdio.Start(t.Context(), []string{"/nowhere/at/all"}, io.Discard, io.Discard)
	require.ErrorContains(t, err, "start /nowhere/at/all")
}
