package record_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/record"
)

// slow is a sink that lets others run before it has written, and is written to by
// one at a time.
type slow struct {
	busy  atomic.Bool
	text  strings.Builder
	pause func()
}

func (s *slow) Write(text []byte) (int, error) {
	if !s.busy.CompareAndSwap(false, true) {
		panic("two write at once")
	}
	defer s.busy.Store(false)
	s.pause()
	return s.text.Write(text)
}

// crowd writes from many callers at once, some records so large that what waits is
// more than one write takes. It returns which records were answered as written, by
// caller in their order.
func crowd(t *testing.T, writer *record.Writer, callers, each int) (written [][]string, failed int64) {
	t.Helper()
	var group sync.WaitGroup
	var failures atomic.Int64
	written = make([][]string, callers)
	for caller := range callers {
		group.Go(func() {
			for i := range each {
				entry := sample(fmt.Sprintf("%d-%d", caller, i))
				if rand.IntN(8) == 0 {
					entry.Input.Cwd = strings.Repeat("x", 300<<10)
				}
				if err := writer.Write(t.Context(), entry); err != nil {
					failures.Add(1)
					continue
				}
				written[caller] = append(written[caller], entry.DecisionID)
			}
		})
	}
	group.Wait()
	return written, failures.Load()
}

// TestACrowdIsWrittenWholeAndInOrder checks that each record of many callers is in the log once when its
// caller returns, after the caller's earlier records. No caller is left waiting, even if another one arrives
// between a wake-up and the next write.
func TestACrowdIsWrittenWholeAndInOrder(t *testing.T) {
	out := &slow{pause: func() {
		for range 20 {
			runtime.Gosched()
		}
	}}
	writer := record.NewWith(record.Options{Patience: patience}, out)
	const callers, each = 16, 20
	written, failed := crowd(t, writer, callers, each)
	require.Zero(t, failed)
	found := map[string][]string{}
	for _, id := range ids(t, out.text.String()) {
		caller, _, _ := strings.Cut(id, "-")
		found[caller] = append(found[caller], id)
	}
	for caller := range callers {
		assert.Len(t, written[caller], each)
		assert.Equal(t, written[caller], found[fmt.Sprint(caller)], "the order of caller %d", caller)
	}
	status := writer.Status()
	assert.Equal(t, uint64(callers*each), status.Written)
	assert.Less(t, status.Batches, status.Written, "some share a write")
	assert.Zero(t, status.Waiting)
	assert.Zero(t, status.WaitingBytes)
}

// TestACrowdThatGivesUpLeavesNothingBehind checks the same for callers with less patience than a write needs.
// Acknowledged records are in the log, once each; a caller that gave up has one line at most; later callers
// are served.
func TestACrowdThatGivesUpLeavesNothingBehind(t *testing.T) {
	var writer *record.Writer
	out := &slow{pause: func() {
		if rand.IntN(3) == 0 {
			return // it ends before anybody gives up
		}
		before, end := writer.Status().Failed, time.Now().Add(3*time.Millisecond)
		for writer.Status().Failed == before && time.Now().Before(end) {
			runtime.Gosched()
		}
	}}
	writer = record.NewWith(record.Options{Patience: time.Millisecond}, out)
	written, failed := crowd(t, writer, 16, 20)
	require.NotZero(t, failed, "some give up")
	writer.Amend(t.Context(), sample("last"), sample("last"))
	eventually(t, "what comes later is written", func() bool { return writer.Status().Waiting == 0 })
	writer.SetPatience(patience)
	require.NoError(t, writer.Write(t.Context(), sample("after")))
	seen := map[string]int{}
	for _, id := range ids(t, out.text.String()) {
		seen[id]++
		assert.Equal(t, 1, seen[id], id)
	}
	for _, records := range written {
		for _, id := range records {
			assert.Equal(t, 1, seen[id], "%s was answered as written", id)
		}
	}
	assert.Equal(t, 1, seen["after"])
	assert.Zero(t, writer.Status().WaitingBytes)
}

// A reused entry gets only the notices of its next record: a notice from giving up would fill the buffer that
// a later one needs.
func TestNoNoticeIsLeftForTheNextRecord(t *testing.T) {
	var out strings.Builder
	left, err := record.GiveUpIdle(record.NewTo(&out))
	require.NoError(t, err)
	assert.Zero(t, left)
	assert.Equal(t, "{}\n", out.String())
}
