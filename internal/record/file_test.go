package record_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/record"
)

// logged reads the log and its rotated files, each of which has to hold whole lines.
func logged(t *testing.T, directory string) (found []string, files int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(directory, "*.jsonl"))
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		found = append(found, ids(t, string(text))...)
	}
	return found, len(names)
}

// TestNoRecordIsLostUnderLoad writes ten seconds' worth of 2,000 decisions a second
// by 64 callers, through many rotations.
func TestNoRecordIsLostUnderLoad(t *testing.T) {
	directory := t.TempDir()
	writer := open(t, record.Options{File: filepath.Join(directory, "decisions.jsonl"), Required: true, MaxSizeMB: 1})
	const callers, each = 64, 313 // 20,032 records, some 37 MB
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for i := range each {
				assert.NoError(t, writer.Write(t.Context(), sample(fmt.Sprintf("%d-%d", caller, i))))
			}
		})
	}
	group.Wait()
	found, files := logged(t, directory)
	assert.Greater(t, files, 10, "rotated")
	slices.Sort(found)
	assert.Len(t, slices.Compact(found), callers*each)
	status := writer.Status()
	assert.Equal(t, uint64(callers*each), status.Written)
	assert.Zero(t, status.Failed+status.Dropped)
	require.NoError(t, status.Rotation)
}

// TestRotationsInOneMomentReplaceNothing rotates with every line, if it could: the
// names of rotated files have milliseconds.
func TestRotationsInOneMomentReplaceNothing(t *testing.T) {
	directory := t.TempDir()
	writer := open(t, record.Options{File: filepath.Join(directory, "decisions.jsonl")})
	writer.SetLimit(1)
	const count = 1000
	for i := range count {
		require.NoError(t, writer.Write(t.Context(), sample(fmt.Sprint(i))))
	}
	found, files := logged(t, directory)
	assert.Len(t, found, count)
	assert.Greater(t, files, 1)
}

// TestARecordLongerThanAFileIsWritten checks that its size costs no call its answer.
func TestARecordLongerThanAFileIsWritten(t *testing.T) {
	directory := t.TempDir()
	writer := open(t, record.Options{File: filepath.Join(directory, "decisions.jsonl"), MaxSizeMB: 1})
	entry := sample("long")
	entry.Call.Args["command"] = strings.Repeat("x", 3<<20)
	for _, id := range []string{"before", "long", "after"} {
		entry.DecisionID = id
		require.NoError(t, writer.Write(t.Context(), entry))
	}
	found, _ := logged(t, directory)
	assert.ElementsMatch(t, []string{"before", "long", "after"}, found)
}

// TestATornLogIsContinuedOnANewLine starts on what a crash left behind.
func TestATornLogIsContinuedOnANewLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "decisions.jsonl")
	whole := string(encoded(t, "whole"))
	require.NoError(t, os.WriteFile(file, []byte(whole+whole[:100]), 0o600))
	writer := open(t, record.Options{File: file})
	require.NoError(t, writer.Write(t.Context(), sample("next")))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	require.Len(t, lines, 4)
	assert.Equal(t, []string{"whole", "next"}, ids(t, lines[0]+lines[2]))
	assert.Equal(t, whole[:100]+"\n", lines[1])
	list := listed(t, file, record.Filter{})
	assert.Equal(t, []string{"next", "whole"}, list)
}

// TestALogThatWasTakenAwayIsBegunAnew checks that a new log is begun when another program rotates the log or
// it is deleted.
func TestALogThatWasTakenAwayIsBegunAnew(t *testing.T) {
	directory := t.TempDir()
	file := filepath.Join(directory, "decisions.jsonl")
	writer := open(t, record.Options{File: file})
	require.NoError(t, writer.Write(t.Context(), sample("1")))
	require.NoError(t, os.Rename(file, filepath.Join(directory, "taken")))
	writer.LookNow()
	require.NoError(t, writer.Write(t.Context(), sample("2")))
	found, _ := logged(t, directory)
	assert.Equal(t, []string{"2"}, found)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// TestALogThatCannotBeRotatedGrowsOn checks that a full record in a large file is better than none.
func TestALogThatCannotBeRotatedGrowsOn(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("skipped: root may write to every directory")
	}
	directory := t.TempDir()
	writer := open(t, record.Options{File: filepath.Join(directory, "decisions.jsonl"), MaxSizeMB: 1})
	entry := sample("1")
	entry.Call.Args["command"] = strings.Repeat("x", 600<<10)
	require.NoError(t, writer.Write(t.Context(), entry))
	require.NoError(t, os.Chmod(directory, 0o500))
	t.Cleanup(func() { assert.NoError(t, os.Chmod(directory, 0o700)) })
	require.NoError(t, writer.Write(t.Context(), entry))
	require.Error(t, writer.Status().Rotation)
	require.NoError(t, os.Chmod(directory, 0o700))
	found, files := logged(t, directory)
	assert.Len(t, found, 2)
	assert.Equal(t, 1, files)
}
