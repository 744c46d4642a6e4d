package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// dutiful asks a handler with duties once and returns its status.
func dutiful(t *testing.T, d *duties) int {
	t.Helper()
	dir := t.TempDir()
	file, decision := filepath.Join(dir, "duties.json"), filepath.Join(dir, "decision.json")
	require.NoError(t, os.WriteFile(decision, []byte("{}"), 0o600))
	require.NoError(t, d.write(file))
	all, err := readDuties(t.Context(), file)
	require.NoError(t, err)
	handler, err := bareHandler(decision, all)
	require.NoError(t, err)
	e, answer := echo.New(), httptest.NewRecorder()
	e.POST(decidePath, handler)
	e.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, decidePath, strings.NewReader("{}")))
	return answer.Code
}

// Every duty is done before the answer, and one that can't be done is no answer.
func TestDutiesAreDone(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	require.Equal(t, http.StatusOK, dutiful(t, &duties{
		Questions: []string{dir, filepath.Join(dir, "absent")}, Files: []string{filepath.Join(dir, "absent")}, Record: "one\n", Log: log,
	}))
	written, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(written))

	assert.Equal(t, http.StatusInternalServerError, dutiful(t, &duties{Questions: []string{filepath.Join(log, "below a file")}}))
	assert.Equal(t, http.StatusInternalServerError, dutiful(t, &duties{Files: []string{strings.Repeat("long", 1<<10)}}))
	assert.Equal(t, http.StatusInternalServerError, dutiful(t, &duties{Directories: []string{filepath.Join(dir, "absent")}}))
	assert.Equal(t, http.StatusInternalServerError, dutiful(t, &duties{Line: "echo $("}))
	assert.Equal(t, http.StatusInternalServerError, dutiful(t, &duties{Input: &v1.Input{}}), "facts that nothing allows")

	none, err := readDuties(t.Context(), "")
	require.NoError(t, err)
	assert.Empty(t, none)
	_, err = readDuties(t.Context(), filepath.Join(dir, "no file"))
	require.Error(t, err)
}
