//go:build unix

package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the digests of the facts anew")

// mostListed bounds how many differing cases a failure names.
const mostListed = 10

// TestFactsAreGolden checks that the facts of every case are unchanged.
func TestFactsAreGolden(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	groups, err := readGroups("../..")
	require.NoError(t, err)
	facts, err := compute(t.Context(), groups)
	require.NoError(t, err)
	names := make([]string, 0, len(groups))
	for i, g := range groups {
		names = append(names, "testdata/"+g.name+".txt")
		require.NotEmpty(t, g.cases, g.name)
		var digests strings.Builder
		for j, c := range g.cases {
			sum := sha256.Sum256(facts[i][j])
			fmt.Fprintf(&digests, "%x %s\n", sum[:4], c.id)
		}
		compareDigests(t, names[i], digests.String())
	}
	there, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	assert.ElementsMatch(t, names, there, "every file of digests belongs to a corpus")
}

func compareDigests(t *testing.T, name, digests string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
		require.NoError(t, os.WriteFile(name, []byte(digests), 0o600))
		return
	}
	golden, err := os.ReadFile(name)
	require.NoError(t, err)
	if string(golden) == digests {
		return
	}
	before := strings.Split(string(golden), "\n")
	var different []string
	for _, line := range strings.Split(digests, "\n") {
		if !slices.Contains(before, line) {
			_, id, _ := strings.Cut(line, " ")
			different = append(different, id)
		}
	}
	t.Errorf("%s: facts of %d cases differ: %s\n\tmake golden-diff BASE=revision shows how; make golden writes the digests anew",
		name, len(different), strings.Join(different[:min(len(different), mostListed)], ", "))
}

// TestCasesAreUnique checks that no case hides another.
func TestCasesAreUnique(t *testing.T) {
	groups, err := readGroups("../..")
	require.NoError(t, err)
	for _, g := range groups {
		seen := map[string]bool{}
		for _, c := range g.cases {
			assert.Falsef(t, seen[c.id], "%s has two cases %s", g.name, c.id)
			seen[c.id] = true
		}
	}
}
