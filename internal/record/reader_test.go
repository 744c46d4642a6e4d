package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/record"
)

// listed are the ids of all records that match, over as many pages as it takes.
func listed(t *testing.T, file string, filter v1.RecordFilter) []string {
	t.Helper()
	found, _ := pagesOf(t, record.NewReader(file), filter, 1000)
	return found
}

func pagesOf(t *testing.T, reader *record.Reader, filter v1.RecordFilter, limit int) (found []string, pages int) {
	t.Helper()
	found = []string{}
	for after := ""; ; {
		list, next, err := reader.List(t.Context(), filter, after, limit)
		require.NoError(t, err)
		require.LessOrEqual(t, len(list), limit)
		for _, line := range list {
			found = append(found, ids(t, string(line)+"\n")...)
		}
		pages++
		if next == "" {
			return found, pages
		}
		require.NotEqual(t, after, next, "a page goes on")
		after = next
	}
}

// id is a decision's id at so many seconds after a fixed time.
func id(second int) string {
	at := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC).Add(time.Duration(second) * time.Second).UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-%012x", at>>16, at&0xffff, second&0xffffff)
}

// decided is a record of a time, with what filters look at.
func decided(second int, change ...func(*v1.Record)) *v1.Record {
	entry := sample(id(second))
	entry.Timestamp = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC).Add(time.Duration(second) * time.Second)
	entry.Call.SessionID, entry.Call.Agent = "s", "claude-code"
	for _, apply := range change {
		apply(entry)
	}
	return entry
}

// written is a log of records, one for each second, in so many files.
func written(t *testing.T, files, each int, change ...func(*v1.Record)) string {
	t.Helper()
	file, second := filepath.Join(t.TempDir(), "decisions.jsonl"), 0
	for number := range files {
		var text bytes.Buffer
		for range each {
			line, err := record.Encode(decided(second, change...))
			require.NoError(t, err)
			text.Write(line)
			second++
		}
		name := file
		if number < files-1 {
			name = strings.TrimSuffix(file, ".jsonl") + fmt.Sprintf("-2026-05-06T07-08-%02d.000.jsonl", number)
		}
		require.NoError(t, os.WriteFile(name, text.Bytes(), 0o600))
	}
	return file
}

// seconds are the ids from the newest on.
func seconds(newest, oldest int) []string {
	out := []string{}
	for second := newest; second >= oldest; second-- {
		out = append(out, id(second))
	}
	return out
}

func TestPagesHaveEveryRecordOnce(t *testing.T) {
	file := written(t, 3, 7)
	want := seconds(20, 0)
	for _, limit := range []int{1, 2, 7, 20, 21, 22} {
		found, pages := pagesOf(t, record.NewReader(file), v1.RecordFilter{}, limit)
		assert.Equal(t, want, found, "limit %d", limit)
		assert.Equal(t, (21+limit-1)/limit, pages, "limit %d: no page is empty", limit)
	}
}

// TestAPageIsBounded checks that a list that matches little costs no more than one that matches much: it goes
// on on the next page.
func TestAPageIsBounded(t *testing.T) {
	file := written(t, 3, 7)
	reader := record.NewReader(file)
	reader.SetScan(3 * int64(len(encoded(t, id(0)))))
	found, pages := pagesOf(t, reader, v1.RecordFilter{Session: "s"}, 1000)
	assert.Equal(t, seconds(20, 0), found)
	assert.Greater(t, pages, 5)
	found, pages = pagesOf(t, reader, v1.RecordFilter{Session: "nobody's"}, 1000)
	assert.Empty(t, found)
	assert.Greater(t, pages, 5)
}

// TestPagesGoOnThroughARotation checks that what is written and rotated between two pages neither hides nor
// repeats a record.
func TestPagesGoOnThroughARotation(t *testing.T) {
	file := written(t, 1, 10)
	reader := record.NewReader(file)
	list, next, err := reader.List(t.Context(), v1.RecordFilter{}, "", 4)
	require.NoError(t, err)
	require.Len(t, list, 4)
	require.NoError(t, os.Rename(file, strings.TrimSuffix(file, ".jsonl")+"-2026-05-06T09-08-09.000.jsonl"))
	require.NoError(t, os.WriteFile(file, encoded(t, id(11)), 0o600))
	list, next, err = reader.List(t.Context(), v1.RecordFilter{}, next, 100)
	require.NoError(t, err)
	assert.Empty(t, next)
	assert.Equal(t, seconds(5, 0), ids(t, string(bytes.Join(list, []byte("\n")))+"\n"))
}

// An id that nobody knows is not the end of the log.
func TestAPageBehindAnUnknownRecordIsRefused(t *testing.T) {
	file := written(t, 2, 5)
	reader := record.NewReader(file)
	for _, unknown := range []string{id(99), id(-100_000), "nothing", `x","a":"`} {
		list, next, err := reader.List(t.Context(), v1.RecordFilter{}, unknown, 4)
		var coded *v1.CodedError
		require.ErrorAs(t, err, &coded, unknown)
		assert.Equal(t, record.CodeNotFound, coded.Code)
		assert.ErrorContains(t, err, "list again without after")
		assert.Empty(t, list)
		assert.Empty(t, next)
	}
	list, next, err := reader.List(t.Context(), v1.RecordFilter{}, id(0), 4)
	require.NoError(t, err, "the oldest record is one to go on from")
	assert.Empty(t, list)
	assert.Empty(t, next)
}

func TestFiltersNarrowTheList(t *testing.T) {
	file := written(t, 2, 5, func(entry *v1.Record) {
		second := int(entry.Timestamp.Sub(decidedAt(0)).Seconds())
		if second == 3 {
			entry.Call.SessionID, entry.Result.Decision = "other/ session", v1.EffectDeny
		}
		if second == 4 {
			entry.Call.Agent, entry.Result.Reasons[0].Rule, entry.Result.Reasons[0].Code = "codex", "site/x", "frozen"
		}
		if second == 5 {
			entry.Call = nil
			entry.Result.Items[0].CoveredBy = "site/cover"
		}
	})
	for name, test := range map[string]struct {
		filter v1.RecordFilter
		want   []string
	}{
		"session":                       {v1.RecordFilter{Session: "other/ session"}, seconds(3, 3)},
		"session and what it didn't do": {v1.RecordFilter{Session: "other/ session", Decision: "prompt"}, seconds(0, 1)},
		"agent":                         {v1.RecordFilter{Agent: "codex"}, seconds(4, 4)},
		"decision":                      {v1.RecordFilter{Decision: "deny"}, seconds(3, 3)},
		"rule of a reason":              {v1.RecordFilter{Rule: "site/x"}, seconds(4, 4)},
		"rule of a cover":               {v1.RecordFilter{Rule: "site/cover"}, seconds(5, 5)},
		"code":                          {v1.RecordFilter{Code: "frozen"}, seconds(4, 4)},
		"a code that only an item has":  {v1.RecordFilter{Code: "Bash"}, seconds(0, 1)},
		"since":                         {v1.RecordFilter{Since: decidedAt(7)}, seconds(9, 7)},
		"since, by agent":               {v1.RecordFilter{Since: decidedAt(7), Agent: "claude-code"}, seconds(9, 7)},
	} {
		assert.Equal(t, test.want, listed(t, file, test.filter), name)
	}
}

func decidedAt(second int) time.Time {
	return time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC).Add(time.Duration(second) * time.Second)
}

// TestAFileThatIsSeenTwiceIsReadOnce checks that a log which is rotated while its files are looked up shows
// nothing twice.
func TestAFileThatIsSeenTwiceIsReadOnce(t *testing.T) {
	file := written(t, 2, 3)
	require.NoError(t, os.Link(file, strings.TrimSuffix(file, ".jsonl")+"-2026-05-06T09-08-09.000.jsonl"))
	assert.Equal(t, seconds(5, 0), listed(t, file, v1.RecordFilter{}))
}

// TestOneRecordIsFound checks it for every file, for ids without a time, and where the clock was set back.
func TestOneRecordIsFound(t *testing.T) {
	file := written(t, 3, 5)
	late, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	for _, line := range [][]byte{encoded(t, "plain"), encoded(t, id(-100_000))} {
		_, err = late.Write(line)
		require.NoError(t, err)
	}
	require.NoError(t, late.Close())
	reader := record.NewReader(file)
	for _, wanted := range append(seconds(14, 0), "plain", id(-100_000)) {
		line, err := reader.Record(t.Context(), wanted)
		require.NoError(t, err, wanted)
		assert.Equal(t, []string{wanted}, ids(t, string(line)+"\n"))
	}
	for _, missing := range []string{id(99), "", "nothing", `x","a":"`} {
		_, err = reader.Record(t.Context(), missing)
		var coded *v1.CodedError
		require.ErrorAs(t, err, &coded, missing)
		assert.Equal(t, record.CodeNotFound, coded.Code)
	}
}

// TestTextOfACallIsNoRecord checks that text in a call can't pose as an id.
func TestTextOfACallIsNoRecord(t *testing.T) {
	file := written(t, 1, 1, func(entry *v1.Record) {
		entry.Call.Args["command"] = "\n{\"decision_id\":\"forged\"}\n"
	})
	_, err := record.NewReader(file).Record(t.Context(), "forged")
	require.Error(t, err)
	assert.Equal(t, seconds(0, 0), listed(t, file, v1.RecordFilter{}))
}

func TestALogThatIsMissingIsEmptyAndOneThatIsNoFileIsAnError(t *testing.T) {
	assert.Empty(t, listed(t, filepath.Join(t.TempDir(), "none", "decisions.jsonl"), v1.RecordFilter{}))
	for _, file := range []string{t.TempDir(), "/dev/null"} {
		_, _, err := record.NewReader(file).List(t.Context(), v1.RecordFilter{}, "", 10)
		var coded *v1.CodedError
		require.ErrorAs(t, err, &coded)
		assert.Equal(t, record.CodeUnavailable, coded.Code)
	}
}

// TestTornLinesAreLeftOut checks that neither a line that a crash cut off nor one that is being written
// spoils a list.
func TestTornLinesAreLeftOut(t *testing.T) {
	file := written(t, 1, 2)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	line := encoded(t, id(5))
	for _, test := range []struct {
		text []byte
		want []string
	}{
		{slices.Concat(text, line[:len(line)/2]), seconds(1, 0)},
		{slices.Concat(text, line[:len(line)-1]), seconds(1, 0)},
		{slices.Concat(line[:len(line)/2], []byte("\n"), text), seconds(1, 0)},
		{slices.Concat(text, line[:len(line)/2], []byte("\n \n\n "), line), append(seconds(5, 5), seconds(1, 0)...)},
		{slices.Concat(text, line[:len(line)/2], line), seconds(1, 0)},
		{nil, seconds(0, 1)},
		{[]byte("\n"), seconds(0, 1)},
	} {
		require.NoError(t, os.WriteFile(file, test.text, 0o600))
		assert.Equal(t, test.want, listed(t, file, v1.RecordFilter{}))
	}
}

// FuzzBackward checks that lines come back in reverse, whatever the text and however it is cut into reads.
func FuzzBackward(f *testing.F) {
	f.Add("", 1)
	f.Add("a\nb\n", 1)
	f.Add("a\n\n\nbc\nd", 2)
	f.Add(strings.Repeat("xyz\n", 100), 7)
	f.Fuzz(func(t *testing.T, text string, chunk int) {
		lines := record.NewBackward(strings.NewReader(text), int64(len(text)), 1+max(chunk, -chunk-1)%64)
		var got []string
		for {
			line, err := lines()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			got = append(got, string(line))
			require.LessOrEqual(t, len(got), len(text))
		}
		var want []string
		for line := range strings.Lines(text) {
			if whole, found := strings.CutSuffix(line, "\n"); found {
				want = append(want, whole)
			}
		}
		slices.Reverse(want)
		require.Equal(t, want, got)
	})
}
