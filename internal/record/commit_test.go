package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/record"
)

// patience bounds waits for something that has to happen.
const patience = 20 * time.Second

// eventually waits until what is asked for holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); runtime.Gosched() {
		require.True(t, time.Now().Before(end), what)
	}
}

// gated is a sink whose writes wait until they are let through.
type gated struct {
	enter, pass chan struct{}
	mu          sync.Mutex
	writes      []string
}

func newGated() *gated { return &gated{enter: make(chan struct{}, 100), pass: make(chan struct{})} }

func (g *gated) Write(text []byte) (int, error) {
	g.enter <- struct{}{}
	<-g.pass
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writes = append(g.writes, string(text))
	return len(text), nil
}

func (g *gated) text() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return strings.Join(g.writes, "")
}

// ids are the decision ids of the lines of a text, each of which has to be whole.
func ids(t *testing.T, text string) []string {
	t.Helper()
	found := []string{}
	for line := range strings.Lines(text) {
		var read v1.Record
		require.NoErrorf(t, json.Unmarshal([]byte(line), &read), "%.200s", line)
		require.True(t, strings.HasSuffix(line, "\n"))
		found = append(found, read.DecisionID)
	}
	return found
}

// TestRecordsThatComeAtOnceShareAWrite checks that no caller returns before its record is written, and that
// waiting callers share the next write.
func TestRecordsThatComeAtOnceShareAWrite(t *testing.T) {
	out := newGated()
	writer := record.NewTo(out)
	const followers = 30
	answered := make(chan string, followers+1)
	write := func(id string) {
		if assert.NoError(t, writer.Write(t.Context(), sample(id))) {
			assert.Contains(t, out.text(), `"decision_id":"`+id+`"`, "answered before it was written")
		}
		answered <- id
	}
	go write("first")
	<-out.enter
	for i := range followers {
		go write(fmt.Sprint(i))
	}
	eventually(t, "all wait", func() bool { return writer.Status().Waiting == followers })
	assert.Empty(t, answered)
	out.pass <- struct{}{}
	<-out.enter
	assert.Zero(t, writer.Status().Waiting, "one write takes all that wait")
	out.pass <- struct{}{}
	for range followers + 1 {
		<-answered
	}
	assert.Len(t, out.writes, 2)
	assert.Len(t, ids(t, out.text()), followers+1)
	status := writer.Status()
	assert.Equal(t, uint64(followers+1), status.Written)
	assert.Equal(t, uint64(2), status.Batches)
	assert.Zero(t, status.Failed)
}

func TestALoneRecordIsWrittenAtOnce(t *testing.T) {
	var out bytes.Buffer
	writer := record.NewTo(&out)
	for i := range 3 {
		require.NoError(t, writer.Write(t.Context(), sample(fmt.Sprint(i))))
		assert.Len(t, ids(t, out.String()), i+1)
	}
	assert.Equal(t, uint64(3), writer.Status().Batches)
}

// stuck writes one record into a sink that lets nothing through, and another that
// waits behind it.
func stuck(t *testing.T, options record.Options) (writer *record.Writer, out *gated, done *sync.WaitGroup) {
	t.Helper()
	out, done = newGated(), &sync.WaitGroup{}
	writer = record.NewWith(options, out)
	done.Go(func() { _ = writer.Write(t.Context(), sample("writing")) })
	<-out.enter
	done.Go(func() { _ = writer.Write(t.Context(), sample("waiting")) })
	eventually(t, "one waits", func() bool { return writer.Status().Waiting == 1 })
	return writer, out, done
}

// TestWhatThereIsNoRoomForWaitsAndThenFails checks overflow: block.
func TestWhatThereIsNoRoomForWaitsAndThenFails(t *testing.T) {
	writer, out, done := stuck(t, record.Options{BufferBytes: 1, Overflow: record.OverflowBlock, Patience: 500 * time.Millisecond})
	require.Error(t, writer.Write(t.Context(), sample("blocked")))
	assert.Zero(t, writer.Status().Dropped)
	close(out.pass)
	done.Wait()
	require.NoError(t, writer.Write(t.Context(), sample("after")), "it recovers")
	assert.Equal(t, "after", ids(t, out.text())[len(out.writes)-1])
	assert.NotContains(t, out.text(), "blocked")
}

// TestRoomThatComesInTimeIsUsed checks that blocked callers go on.
func TestRoomThatComesInTimeIsUsed(t *testing.T) {
	writer, out, done := stuck(t, record.Options{BufferBytes: 1, Patience: patience})
	for i := range 5 {
		done.Go(func() { assert.NoError(t, writer.Write(t.Context(), sample(fmt.Sprint("blocked", i)))) })
	}
	eventually(t, "all are blocked", func() bool { return writer.Blocked() == 5 })
	close(out.pass)
	done.Wait()
	assert.Len(t, ids(t, out.text()), 7)
}

// TestWhatThereIsNoRoomForIsDroppedAndCounted checks overflow: drop.
func TestWhatThereIsNoRoomForIsDroppedAndCounted(t *testing.T) {
	writer, out, done := stuck(t, record.Options{BufferBytes: 1, Overflow: record.OverflowDrop, Patience: patience})
	for range 3 {
		require.NoError(t, writer.Write(t.Context(), sample("dropped")))
	}
	assert.Equal(t, uint64(3), writer.Status().Dropped)
	close(out.pass)
	done.Wait()
	require.NoError(t, writer.Write(t.Context(), sample("after")))
	assert.Equal(t, []string{"writing", "waiting", "after"}, ids(t, out.text()))
}

func TestRequiredRecordsCannotBeDropped(t *testing.T) {
	_, err := record.New(record.Options{File: t.TempDir() + "/x", Required: true, Overflow: record.OverflowDrop})
	require.ErrorContains(t, err, "records are required")
}

// TestAWriteThatDoesNotEndFailsThoseWhoWait checks that a disk that hangs denies and doesn't hang every
// caller, and that nothing is mixed up once it goes on.
func TestAWriteThatDoesNotEndFailsThoseWhoWait(t *testing.T) {
	out := newGated()
	writer := record.NewWith(record.Options{Patience: 10 * time.Millisecond}, out)
	var leader sync.WaitGroup
	leader.Go(func() { assert.NoError(t, writer.Write(t.Context(), sample("stuck"))) })
	<-out.enter
	require.ErrorContains(t, writer.Write(t.Context(), sample("late")), "did not end in time")
	eventually(t, "the check says it", func() bool { return writer.Check() != nil })
	require.ErrorContains(t, writer.Check(), "has not ended")
	assert.Zero(t, writer.Status().Waiting, "who gave up waits no more")
	close(out.pass)
	leader.Wait()
	for i := range 5 {
		require.NoError(t, writer.Write(t.Context(), sample(fmt.Sprint(i))))
	}
	require.NoError(t, writer.Check())
	assert.Equal(t, []string{"stuck", "0", "1", "2", "3", "4"}, ids(t, out.text()))
}

// TestARecordThatWasLateIsAmended checks that a call which is denied since its record took too long, and then
// is in the log as allowed, has a later record of the denial.
func TestARecordThatWasLateIsAmended(t *testing.T) {
	out := newGated()
	writer := record.NewWith(record.Options{Patience: 2 * time.Second}, out)
	var leader sync.WaitGroup
	leader.Go(func() { assert.NoError(t, writer.Write(t.Context(), sample("stuck"))) })
	<-out.enter
	gone := make(chan error)
	go func() { gone <- writer.Write(t.Context(), sample("next")) }()
	eventually(t, "it waits", func() bool { return writer.Status().Waiting == 1 })
	late := make(chan error)
	go func() { late <- writer.Write(t.Context(), sample("late")) }()
	eventually(t, "both wait", func() bool { return writer.Status().Waiting == 2 })
	out.pass <- struct{}{} // the first write ends, and the second holds both
	<-out.enter
	require.ErrorContains(t, <-late, "did not end in time")
	denied := sample("late")
	denied.Result.Decision, denied.Error = v1.EffectDeny, "record_failed"
	writer.Amend(t.Context(), sample("late"), denied)
	close(out.pass)
	leader.Wait()
	require.NoError(t, <-gone)
	eventually(t, "the denial is there", func() bool { return len(ids(t, out.text())) == 4 })
	assert.Equal(t, []string{"stuck", "next", "late", "late"}, ids(t, out.text()))
	lines := strings.Split(strings.TrimSpace(out.text()), "\n")
	assert.Contains(t, lines[3], `"error":"record_failed"`)
	require.NoError(t, writer.Write(t.Context(), sample("after")), "the lead is handed on")
}

// TestAnAmendmentLeadsWhereNobodyWrites checks that it is written without another caller, also where that
// fails.
func TestAnAmendmentLeadsWhereNobodyWrites(t *testing.T) {
	out := newGated()
	close(out.pass)
	writer := record.NewTo(out)
	for i := range 3 {
		writer.Amend(t.Context(), sample(fmt.Sprint(i)), sample(fmt.Sprint(i)))
	}
	eventually(t, "all are there", func() bool { return len(ids(t, out.text())) == 3 })
	require.NoError(t, writer.Write(t.Context(), sample("after")))
}

// TestWhoGaveUpLeavesNoWordForOthers lets a caller give up while its record is being written, and checks that
// no other caller gets that result.
func TestWhoGaveUpLeavesNoWordForOthers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // a reused entry goes to the next caller
	out := newGated()
	writer := record.NewWith(record.Options{Patience: 2 * time.Second}, out)
	var group sync.WaitGroup
	results := make(chan error, 100)
	write := func(id string) {
		group.Go(func() { results <- writer.Write(t.Context(), sample(id)) })
	}
	write("first")
	<-out.enter
	write("leads")
	eventually(t, "it waits", func() bool { return writer.Status().Waiting == 1 })
	write("gives up")
	eventually(t, "both wait", func() bool { return writer.Status().Waiting == 2 })
	out.pass <- struct{}{}
	require.NoError(t, <-results)
	<-out.enter
	require.ErrorContains(t, <-results, "did not end in time")
	out.pass <- struct{}{}
	require.NoError(t, <-results)
	writer.SetPatience(patience)
	for round := range 5 {
		write(fmt.Sprint("lead", round))
		<-out.enter
		const followers = 6
		for range followers {
			write(fmt.Sprint("follow", round))
		}
		eventually(t, "all wait", func() bool { return writer.Status().Waiting == followers })
		require.Empty(t, results, "nobody is answered by what was left")
		out.pass <- struct{}{}
		<-out.enter
		out.pass <- struct{}{}
		for range followers + 1 {
			require.NoError(t, <-results)
		}
	}
	group.Wait()
}

// partial writes so many bytes of the second write, and fails.
type partial struct {
	gated
	count, bytes int
}

func (p *partial) Write(text []byte) (int, error) {
	p.count++
	if p.count != 2 {
		return p.gated.Write(text)
	}
	n, _ := p.gated.Write(text[:p.bytes])
	return n, errors.New("disk full")
}

// TestOfAFailedWriteWhatIsWholeCounts checks that exactly those lack their record whose line isn't whole in
// the file.
func TestOfAFailedWriteWhatIsWholeCounts(t *testing.T) {
	length := len(encoded(t, "a"))
	for _, test := range []struct{ bytes, whole int }{{0, 0}, {1, 0}, {length - 2, 0}, {length, 1}, {2*length + 5, 2}, {3*length - 2, 2}} {
		out := &partial{gated: gated{enter: make(chan struct{}, 10), pass: make(chan struct{})}, bytes: test.bytes}
		writer := record.NewTo(out)
		results := make(chan error, 4)
		go func() { results <- writer.Write(t.Context(), sample("x")) }()
		<-out.enter
		for _, id := range []string{"a", "b", "c"} {
			go func() { results <- writer.Write(t.Context(), sample(id)) }()
		}
		eventually(t, "all wait", func() bool { return writer.Status().Waiting == 3 })
		close(out.pass)
		failed := 0
		for range 4 {
			if err := <-results; err != nil {
				require.ErrorContains(t, err, "disk full")
				failed++
			}
		}
		assert.Equal(t, 3-test.whole, failed, "%d bytes", test.bytes)
		require.NoError(t, writer.Write(t.Context(), sample("after")))
		whole := 0
		for line := range strings.Lines(out.text()) {
			if json.Valid([]byte(line)) {
				whole++
			}
		}
		assert.Equal(t, 2+test.whole, whole, "%d bytes: the line after is whole", test.bytes)
	}
}

func encoded(t *testing.T, id string) []byte {
	t.Helper()
	line, err := record.Encode(sample(id))
	require.NoError(t, err)
	return line
}
