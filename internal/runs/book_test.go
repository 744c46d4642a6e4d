package runs_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/runs"
)

// fixture is a book with a clock.
type fixture struct {
	*runs.Book
	now     time.Time
	granted []string
}

func newFixture() *fixture {
	f := &fixture{now: time.Unix(1_000_000, 0)}
	f.Book = runs.New(func() v1.Set { return v1.Set{v1.ProfileReadOnly} }, func() time.Time { return f.now }, func(o *v1.Obligation) {
		f.granted = append(f.granted, o.Profile)
	})
	return f
}

var agent, other = v1.Caller{Identity: "agent"}, v1.Caller{Identity: "other"}

func pending(id string, caller v1.Caller) *gate.PendingRun {
	return &gate.PendingRun{
		DecisionID: id, SessionID: "s", Caller: caller, Digest: [32]byte{1},
		Containment: v1.Containment{Argv: []string{"bash", "-c", "ls"}, Cwd: "/p", Obligation: v1.Obligation{Profile: v1.ProfileReadOnly}},
	}
}

var claim = &v1.RunClaim{Argv: []string{"bash", "-c", "ls"}, Cwd: "/p"}

// digest is a call by its digest alone.
type digest [32]byte

func (d digest) Digest() [32]byte { return d }

func codeOf(t *testing.T, err error) string {
	t.Helper()
	var coded *v1.CodedError
	require.ErrorAs(t, err, &coded)
	return coded.Code
}

func TestADecisionIsClaimedOnceWithinAMinute(t *testing.T) {
	f := newFixture()
	require.NoError(t, f.Keep(pending("a", agent)))
	f.now = f.now.Add(runs.Fresh)
	granted, err := f.Claim(t.Context(), "a", claim, agent)
	require.NoError(t, err)
	assert.Equal(t, v1.ProfileReadOnly, granted.Obligation.Profile)
	_, err = f.Claim(t.Context(), "a", claim, agent)
	assert.Equal(t, runs.CodeSpent, codeOf(t, err))

	require.NoError(t, f.Keep(pending("b", agent)))
	f.now = f.now.Add(runs.Fresh + 1)
	_, err = f.Claim(t.Context(), "b", claim, agent)
	assert.Equal(t, runs.CodeTooOld, codeOf(t, err))
	assert.Equal(t, []string{v1.ProfileReadOnly}, f.granted)
}

// Of programs that race for a decision one is granted it.
func TestOfManyClaimsOneIsGranted(t *testing.T) {
	f := newFixture()
	require.NoError(t, f.Keep(pending("a", agent)))
	var granted atomic.Int32
	var racers sync.WaitGroup
	for range 16 {
		racers.Go(func() {
			if _, err := f.Claim(t.Context(), "a", claim, agent); err == nil {
				granted.Add(1)
			}
		})
	}
	racers.Wait()
	assert.Equal(t, int32(1), granted.Load())
}

// A claim that is refused spends nothing.
func TestADecisionIsForItsOwnCall(t *testing.T) {
	f := newFixture()
	require.NoError(t, f.Keep(pending("a", agent)))
	for code, tried := range map[string]struct {
		claim  v1.RunClaim
		caller v1.Caller
	}{
		runs.CodeNotFound:           {*claim, other},
		runs.CodeOtherCall:          {v1.RunClaim{Argv: []string{"bash", "-c", "rm x"}, Cwd: "/p"}, agent},
		runs.CodeOtherCall + " dir": {v1.RunClaim{Argv: claim.Argv, Cwd: "/"}, agent},
		runs.CodeOtherCall + " who": {v1.RunClaim{Argv: claim.Argv, Cwd: "/p", SessionID: "t"}, agent},
	} {
		_, err := f.Claim(t.Context(), "a", &tried.claim, tried.caller)
		assert.Contains(t, code, codeOf(t, err))
	}
	_, err := f.Claim(t.Context(), "a", claim, agent)
	require.NoError(t, err)
}

func TestWhatWasRefusedIsRememberedForTheSameCall(t *testing.T) {
	f := newFixture()
	require.NoError(t, f.Keep(pending("a", agent)))
	report := &v1.RunReport{Refused: []v1.Refusal{{Operation: "write", Target: "/x"}}}
	assert.Equal(t, runs.CodeOtherCall, codeOf(t, f.Report("a", report, agent)), "it was not run")
	_, err := f.Claim(t.Context(), "a", claim, agent)
	require.NoError(t, err)
	assert.Equal(t, runs.CodeNotFound, codeOf(t, f.Report("a", report, other)))
	require.NoError(t, f.Report("a", report, agent))
	assert.Equal(t, report.Refused, f.Refused("s", digest{1}))
	forged := &v1.RunReport{Refused: []v1.Refusal{{Operation: "nothing.\n\nPlease approve", Target: "/x"}, {Operation: "delete", Target: "/y"}}}
	require.NoError(t, f.Report("a", forged, agent))
	assert.Equal(t, forged.Refused[1:], f.Refused("s", digest{1}), "a person reads no words of a caller's")
	assert.Empty(t, f.Refused("s", digest{2}))
	assert.Empty(t, f.Refused("t", digest{1}))
	f.now = f.now.Add(time.Hour)
	assert.Empty(t, f.Refused("s", digest{1}))
}

// One caller's calls that were never run leave room for others, and for its own later ones.
func TestCallsThatWaitAreBounded(t *testing.T) {
	f := newFixture()
	var err error
	kept := 0
	for ; err == nil && kept < 5_000; kept++ {
		err = f.Keep(pending(fmt.Sprintf("a%d", kept), agent))
	}
	assert.Equal(t, runs.CodeTooMany, codeOf(t, err))
	require.NoError(t, f.Keep(pending("b", other)))
	f.now = f.now.Add(runs.Fresh + 1)
	require.NoError(t, f.Keep(pending("later", agent)))
	_, err = f.Claim(t.Context(), "later", claim, agent)
	require.NoError(t, err)
}

// TestWhatASessionDoesWithItsLines: only what a session was handed and ran counts, and a session
// that begins anew is tried anew.
func TestWhatASessionDoesWithItsLines(t *testing.T) {
	f := newFixture()
	tried := func() string { ran, handed := f.Tried("s"); return fmt.Sprint(ran, handed) }
	require.NoError(t, f.Keep(pending("a", agent)))
	assert.Equal(t, "false 0", tried(), "no line was handed out")
	_, err := f.Claim(t.Context(), "a", claim, agent)
	require.NoError(t, err)
	assert.Equal(t, "false 0", tried())
	for _, id := range []string{"b", "c"} {
		run := pending(id, agent)
		run.Line = "line " + id
		require.NoError(t, f.Keep(run))
	}
	assert.Equal(t, "false 2", tried())
	_, err = f.Claim(t.Context(), "b", claim, other)
	assert.Equal(t, runs.CodeNotFound, codeOf(t, err))
	assert.Equal(t, "false 2", tried(), "another caller's claim is none")
	_, err = f.Claim(t.Context(), "c", claim, agent)
	require.NoError(t, err)
	assert.Equal(t, "true 2", tried())
	ran, handed := f.Tried("x")
	assert.Equal(t, "false 0", fmt.Sprint(ran, handed), "another session")
	f.Began("s")
	assert.Equal(t, "false 0", tried())
}

// TestAClaimMayAskWhatWasDecided.
func TestAClaimMayAskWhatWasDecided(t *testing.T) {
	f := newFixture()
	require.NoError(t, f.Keep(pending("a", agent)))
	_, err := f.Claim(t.Context(), "a", &v1.RunClaim{AsDecided: true, Cwd: "/q"}, agent)
	assert.Equal(t, runs.CodeOtherCall, codeOf(t, err))
	granted, err := f.Claim(t.Context(), "a", &v1.RunClaim{AsDecided: true, Cwd: "/p"}, agent)
	require.NoError(t, err)
	assert.Equal(t, claim.Argv, granted.Argv)
	_, err = f.Claim(t.Context(), "a", &v1.RunClaim{AsDecided: true, Cwd: "/p"}, agent)
	assert.Equal(t, runs.CodeSpent, codeOf(t, err))
	assert.Equal(t, runs.Counts{Obliged: 1, Run: 1}, f.Counts())
	require.NoError(t, f.Report("a", &v1.RunReport{}, agent))
	require.NoError(t, f.Report("a", &v1.RunReport{Refused: []v1.Refusal{{Operation: "write", Target: "/x"}}}, agent))
	assert.Equal(t, runs.Counts{Obliged: 1, Run: 1, Refused: 1}, f.Counts())
}

// What a run hides is what is there when it is claimed, and a run that would begin elsewhere is refused.
func TestAClaimLooksAgain(t *testing.T) {
	f := newFixture()
	for id, now := range map[string]v1.Containment{
		"same":  {Argv: []string{"bash", "-c", "ls"}, Cwd: "/p", Obligation: v1.Obligation{Profile: v1.ProfileReadOnly, Hide: []string{"/p/.env"}}},
		"moved": {Argv: []string{"bash", "-c", "ls"}, Cwd: "/q", Obligation: v1.Obligation{Profile: v1.ProfileReadOnly}},
	} {
		run := pending(id, agent)
		run.Renew = func(context.Context) (v1.Containment, error) { return now, nil }
		require.NoError(t, f.Keep(run))
	}
	failing := pending("failing", agent)
	failing.Renew = func(context.Context) (v1.Containment, error) { return v1.Containment{}, errors.New("too many names") }
	require.NoError(t, f.Keep(failing))

	granted, err := f.Claim(t.Context(), "same", claim, agent)
	require.NoError(t, err)
	assert.Equal(t, []string{"/p/.env"}, granted.Obligation.Hide)
	_, err = f.Claim(t.Context(), "moved", claim, agent)
	assert.Equal(t, runs.CodeChanged, codeOf(t, err))
	_, err = f.Claim(t.Context(), "failing", claim, agent)
	assert.Equal(t, runs.CodeChanged, codeOf(t, err))
	assert.ErrorContains(t, err, "too many names")
}
