package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnUnknownCommandIsBadUsage(t *testing.T) {
	var out, errs bytes.Buffer
	program := &Program{Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &errs, LookupEnv: func(string) (string, bool) { return "", false }}
	require.Equal(t, exitBadInput, program.Run(t.Context(), []string{"frobnicate"}))
	require.Empty(t, out.String())
}
