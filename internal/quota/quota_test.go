package quota_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/quota"
)

var (
	greedy = quota.Holder{Caller: "agent", Agent: "greedy"}
	modest = quota.Holder{Caller: "agent", Agent: "modest"}
)

// clock is moved by tests.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{at: time.Unix(1_700_000_000, 0)} }

func TestAGreedyAgentLeavesOthersTheirs(t *testing.T) {
	for _, held := range []bool{false, true} {
		q := quota.New(quota.Limits{Concurrent: 2, Held: 2}, nil)
		request := quota.Request{Held: held}
		_, refusal := q.Take(greedy, request)
		require.Nil(t, refusal)
		second, refusal := q.Take(greedy, request)
		require.Nil(t, refusal)
		_, refusal = q.Take(greedy, request)
		require.NotNil(t, refusal)
		assert.Equal(t, map[bool]quota.Bound{false: quota.Concurrent, true: quota.Held}[held], refusal.Bound)
		_, refusal = q.Take(modest, request)
		assert.Nil(t, refusal, "another agent of the same caller")
		_, refusal = q.Take(quota.Holder{Caller: "other", Agent: "greedy"}, request)
		assert.Nil(t, refusal, "an agent of the same name of another caller")
		_, refusal = q.Take(greedy, quota.Request{Held: !held})
		assert.Nil(t, refusal, "what is held and what is not have bounds of their own")
		second.Release()
		_, refusal = q.Take(greedy, request)
		assert.Nil(t, refusal)
	}
}

func TestTheRateIsOfCalls(t *testing.T) {
	at := newClock()
	q := quota.New(quota.Limits{PerSecond: 200}, at.now)
	for range 20 {
		slot, refusal := q.Take(greedy, quota.Request{Calls: 100})
		require.Nil(t, refusal)
		slot.Release()
	}
	_, refusal := q.Take(greedy, quota.Request{Calls: 50})
	require.NotNil(t, refusal)
	assert.Equal(t, quota.Refusal{Bound: quota.Rate, After: 250 * time.Millisecond}, *refusal)
	assert.Equal(t, 1, quota.Seconds(refusal.After))
	_, other := q.Take(modest, quota.Request{Calls: 100})
	assert.Nil(t, other)
	at.at = at.at.Add(refusal.After)
	_, refusal = q.Take(greedy, quota.Request{Calls: 50})
	assert.Nil(t, refusal, "the refused request took nothing, and the time that it was told is enough")
}

// TestTheLargestRequestFits checks that a limit below the size of a batch only slows batches down.
func TestTheLargestRequestFits(t *testing.T) {
	at := newClock()
	q := quota.New(quota.Limits{PerSecond: 1}, at.now)
	_, refusal := q.Take(greedy, quota.Request{Calls: 100})
	require.Nil(t, refusal)
	_, refusal = q.Take(greedy, quota.Request{Calls: 100})
	require.NotNil(t, refusal)
	assert.Equal(t, 100*time.Second, refusal.After)
}

func TestNoLimitRefusesNobody(t *testing.T) {
	q := quota.New(quota.Limits{}, nil)
	for range 10_000 {
		_, refusal := q.Take(greedy, quota.Request{Calls: 100})
		require.Nil(t, refusal)
	}
}

// TestManyNamesShareABound checks that a caller gets no more by calling itself otherwise each time, and that
// nobody else pays for it.
func TestManyNamesShareABound(t *testing.T) {
	at := newClock()
	q := quota.New(quota.Limits{Concurrent: 1, PerSecond: 1000}, at.now)
	taken := 0
	for i := range 5000 {
		if _, refusal := q.Take(quota.Holder{Caller: "agent", Agent: strconv.Itoa(i)}, quota.Request{}); refusal == nil {
			taken++
		}
	}
	assert.Equal(t, 257, taken)
	_, refusal := q.Take(quota.Holder{Caller: "other", Agent: "0"}, quota.Request{})
	assert.Nil(t, refusal)
}

// TestIdleNamesAreForgotten checks that names of long ago don't count.
func TestIdleNamesAreForgotten(t *testing.T) {
	at := newClock()
	q := quota.New(quota.Limits{Concurrent: 1, PerSecond: 10}, at.now)
	for round := range 5 {
		for i := range 250 {
			for _, caller := range []string{"a", "b", "c", "d", "e"} {
				slot, refusal := q.Take(quota.Holder{Caller: caller, Agent: strconv.Itoa(round) + "/" + strconv.Itoa(i)}, quota.Request{})
				require.Nil(t, refusal, "%d %d", round, i)
				slot.Release()
			}
		}
		at.at = at.at.Add(time.Hour)
	}
}

func TestConcurrentUseKeepsCount(t *testing.T) {
	q := quota.New(quota.Limits{Concurrent: 3}, nil)
	var inside, most atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 500 {
				slot, refusal := q.Take(greedy, quota.Request{})
				if refusal != nil {
					continue
				}
				now := inside.Add(1)
				for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
				}
				inside.Add(-1)
				slot.Release()
			}
		})
	}
	all.Wait()
	assert.LessOrEqual(t, most.Load(), int64(3))
	for range 3 {
		_, refusal := q.Take(greedy, quota.Request{})
		assert.Nil(t, refusal, "all was given back")
	}
}

func TestTakingAllocatesNothing(t *testing.T) {
	q := quota.New(quota.Limits{Concurrent: 3, PerSecond: 1_000_000}, nil)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		slot, _ := q.Take(greedy, quota.Request{Calls: 1})
		slot.Release()
	}))
}
