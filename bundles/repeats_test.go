package bundles

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

func rememberingEngine(t *testing.T, entries int) *Engine {
	t.Helper()
	return newEngine(t, Options{FS: policies.FS, Remembered: entries, Deadline: patience})
}

// What is remembered is what an evaluation says, of every case that the built-in rules
// have one for.
func TestARepeatIsJudgedTheSame(t *testing.T) {
	e := rememberingEngine(t, 10_000)
	cases, err := SmokeCases()
	require.NoError(t, err)
	snapshot := e.Current()
	for i := range cases {
		in := &cases[i].input
		evaluated, err := snapshot.judge(t.Context(), in)
		require.NoError(t, err)
		for range 3 {
			judged, err := snapshot.Judge(t.Context(), in)
			require.NoError(t, err)
			judged.Known = nil
			require.Equal(t, evaluated, judged, cases[i].Name)
		}
	}
	counts := e.Repeats()
	assert.Equal(t, uint64(3*len(cases)), counts.Hits+counts.Misses)
	assert.GreaterOrEqual(t, counts.Hits, uint64(2*len(cases)))
	assert.LessOrEqual(t, counts.Entries, len(cases))
}

func TestCallersCantChangeRememberedJudgements(t *testing.T) {
	snapshot := rememberingEngine(t, 100).Current()
	cases, err := SmokeCases()
	require.NoError(t, err)
	for i := range cases {
		in := &cases[i].input
		before, err := snapshot.Judge(t.Context(), in)
		require.NoError(t, err)
		wanted := copyJudgement(&before)
		for range 3 {
			spoil(&before)
			before, err = snapshot.Judge(t.Context(), in)
			require.NoError(t, err)
			wanted.Known = before.Known
			require.Equal(t, wanted, before, cases[i].Name)
		}
	}
}

// spoil writes over everything that a judgement points to.
func spoil(judgement *v1.Judgement) {
	for i := range judgement.Reasons {
		judgement.Reasons[i] = v1.Reason{Rule: "spoilt", Effect: v1.EffectAllow}
	}
	for i := range judgement.Covered {
		judgement.Covered[i] = v1.Cover{Item: 99, Rule: "spoilt"}
	}
	for i := range judgement.Uncovered {
		judgement.Uncovered[i] = 99
	}
	for i := range judgement.Choices {
		judgement.Choices[i] = "spoilt"
	}
	if judgement.JSONRPCError != nil {
		*judgement.JSONRPCError = v1.JSONRPCError{Message: "spoilt"}
	}
}

// What is kept with an input is that input's alone, from the second time on.
func TestWhatIsKnownIsOfOneInput(t *testing.T) {
	snapshot := rememberingEngine(t, 100).Current()
	one, other := threeCommands(), threeCommands()
	other.Cwd += "x"
	known := func(in *v1.Input) *v1.Known {
		judged, err := snapshot.Judge(t.Context(), in)
		require.NoError(t, err)
		return judged.Known
	}
	assert.Nil(t, known(one))
	assert.Nil(t, known(other))
	kept := known(one)
	require.NotNil(t, kept)
	assert.Same(t, kept, known(one))
	assert.NotSame(t, kept, known(other))
}

// Another policy remembers nothing of the one before it.
func TestAnActivationForgets(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, deciding(prompting("first")))
	e := newEngine(t, unsmoked(Options{Source: dir, Remembered: 100}))
	in := threeCommands()
	for range 2 {
		judged, err := e.Current().Judge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, "first", judged.Hint)
	}
	require.Equal(t, uint64(1), e.Repeats().Hits)
	replaceFile(t, filepath.Join(dir, "policyd/main/main.rego"), []byte("package policyd.main\n\n"+prompting("second")))
	require.NoError(t, e.Reload(t.Context()))
	assert.Zero(t, e.Repeats().Entries)
	judged, err := e.Current().Judge(t.Context(), in)
	require.NoError(t, err)
	assert.Equal(t, "second", judged.Hint)
	assert.Equal(t, uint64(1), e.Repeats().Hits, "counts go on")
}

// A failure may be over by the next call.
func TestFailuresAreNotRemembered(t *testing.T) {
	e := rememberingEngine(t, 100)
	in := shortLine(t)
	broken := *in
	broken.About = []string{}
	for range 2 {
		_, err := e.Current().Judge(t.Context(), &broken)
		requireCode(t, err, CodeFactsInvalid)
	}
	assert.Equal(t, uint64(2), e.Repeats().Misses)
	assert.Zero(t, e.Repeats().Entries)
	_, err := e.Current().Judge(t.Context(), in)
	require.NoError(t, err)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Current().Judge(over, in)
	requireCode(t, err, CodePolicyTimeout)
}

func TestRememberingIsBounded(t *testing.T) {
	const most = 64
	e := newEngine(t, unsmoked(Options{FS: mapFS(deciding(prompting("")))}))
	r := newRepeats(most, &e.tally)
	in := threeCommands()
	judged, err := e.Current().Judge(t.Context(), in)
	require.NoError(t, err)
	for i := range 50 * most {
		in.Cwd = fmt.Sprint(i)
		r.keep(r.key(in), &judged)
		require.LessOrEqual(t, r.entries(), most)
	}
	require.Greater(t, r.entries(), most/2)
	// What is asked for stays, whatever else comes.
	in.Cwd = "often"
	often := r.key(in)
	r.keep(often, &judged)
	for i := range 50 * most {
		in.Cwd = fmt.Sprint("more ", i)
		r.keep(r.key(in), &judged)
		_, known := r.find(often)
		require.True(t, known)
	}
	judged.Hint = string(make([]byte, longestJudgement+1))
	in.Cwd = "large"
	r.keep(r.key(in), &judged)
	_, known := r.find(r.key(in))
	assert.False(t, known, "a large judgement is not kept")
}

func TestNothingIsRememberedWithoutMemory(t *testing.T) {
	e := newEngine(t, Options{FS: policies.FS})
	for range 2 {
		_, err := e.Current().Judge(t.Context(), shortLine(t))
		require.NoError(t, err)
	}
	assert.Equal(t, RepeatCounts{}, e.Repeats())
}

// Callers share the memory. The race detector watches.
func TestManyRememberAtOnce(t *testing.T) {
	e := rememberingEngine(t, 32)
	var group sync.WaitGroup
	for caller := range 4 {
		group.Go(func() {
			in := shortLine(t)
			for i := range 200 {
				in.Session.ID = fmt.Sprint("session ", (i+caller)%20)
				judged, err := e.Current().Judge(t.Context(), in)
				if assert.NoError(t, err) {
					assert.Equal(t, v1.EffectAllow, judged.Effect)
					spoil(&judged)
				}
			}
		})
	}
	group.Wait()
	assert.LessOrEqual(t, e.Repeats().Entries, 32)
}
