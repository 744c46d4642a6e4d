package test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/jsonl"
)

// The README of the corpora lists every file with its number of lines, how many of
// them may be allowed, and its labels.
func TestReadmeDescribesEveryCorpus(t *testing.T) {
	page, err := os.ReadFile("testdata/corpus/README.md")
	require.NoError(t, err)
	rows := map[string][]string{}
	for row := range strings.Lines(string(page)) {
		if cells := strings.Split(strings.Trim(row, "|\n "), " | "); strings.HasPrefix(row, "| `") && assert.Len(t, cells, 6, row) {
			rows[strings.Trim(cells[0], "`")] = cells[1:]
		}
	}
	files, err := filepath.Glob("testdata/corpus/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		lines, err := jsonl.Read[struct {
			ID, Label string
			Accept    []string
		}](file)
		require.NoError(t, err)
		labels, ids, mayPass := map[string]int{}, map[string]bool{}, 0
		for _, line := range lines {
			assert.Falsef(t, ids[line.ID], "%s: %q is the id of two lines", file, line.ID)
			ids[line.ID] = true
			if line.Label != "" {
				labels[line.Label]++
			}
			if slices.Contains(line.Accept, "allow") {
				mayPass++
			}
		}
		var counted []string
		for _, label := range slices.Sorted(maps.Keys(labels)) {
			counted = append(counted, fmt.Sprintf("%d %s", labels[label], label))
		}
		row := rows[filepath.Base(file)]
		if assert.Lenf(t, row, 5, "%s has no row in the README", file) {
			assert.NotEmpty(t, row[0])
			assert.NotEmpty(t, row[1])
			assert.Equal(t, []string{fmt.Sprint(len(lines)), fmt.Sprint(mayPass), cmp.Or(strings.Join(counted, ", "), "-")}, row[2:], file)
		}
	}
	assert.Len(t, rows, len(files), "the README lists a file that isn't there")
}
