package bundles

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// countingFS counts how often a file is opened.
type countingFS struct {
	fs.FS
	opened *atomic.Int64
}

// Open implements fs.FS.
func (f countingFS) Open(name string) (fs.File, error) {
	f.opened.Add(1)
	return f.FS.Open(name)
}

// A reload costs what has changed, and not the embedded bundle. Compiling takes two fifths of a first build's allocations,
// and grows with the policy in both; what reading the embedded bundle takes is spared. Both are the same on every machine.
func TestAReloadReadsWhatChangedAlone(t *testing.T) {
	if underRace {
		t.Skip("pools lose things under the race detector")
	}
	e, change := reloadable(t)
	require.NoError(t, change())
	dir := t.TempDir()
	writeTree(t, dir, site("team", "", denying("scp")))
	first := testing.AllocsPerRun(1, func() {
		built, err := New(t.Context(), Options{FS: policies.FS, Source: dir})
		if err != nil {
			panic(err)
		}
		built.Close()
	})
	count := testing.AllocsPerRun(3, func() {
		if err := change(); err != nil {
			panic(err)
		}
	})
	t.Logf("allocations: %v, of a first build %v", count, first)
	require.GreaterOrEqual(t, first-count, 304_000.0)
	require.NotNil(t, e.Current())
}

func TestTheEmbeddedBundleIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, site("team", "", denying("scp")))
	opened := &atomic.Int64{}
	e, err := New(t.Context(), Options{FS: countingFS{policies.FS, opened}, Source: dir})
	require.NoError(t, err)
	t.Cleanup(e.Close)
	first := opened.Load()
	require.Positive(t, first)
	replaceFile(t, filepath.Join(dir, "site/team/team.rego"), []byte("package site.team\n\n"+denying("rsync")+"\n"))
	require.NoError(t, e.Reload(t.Context()))
	require.Equal(t, first, opened.Load())
}

// Builds share parsed modules and data: none may leave a trace in them.
func TestABuildChangesNothingThatIsKept(t *testing.T) {
	e, change := reloadable(t)
	kept := func() string {
		p := e.local[0]
		text, err := json.Marshal(p.Data)
		require.NoError(t, err)
		values, err := p.values()
		require.NoError(t, err)
		all := string(text) + values.String()
		for _, module := range p.Modules {
			parsed, err := json.Marshal(module.Parsed)
			require.NoError(t, err)
			all += module.Parsed.String() + string(parsed)
		}
		return all
	}
	before, decided := kept(), judge(t, e)
	require.NoError(t, change())
	require.NoError(t, change())
	require.Equal(t, before, kept())
	require.Equal(t, decided, judge(t, e))
}

// What is the same is not built again, but what follows from the disk is made anew.
func TestTheSameFilesAreNotBuiltAgain(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, deciding(prompting("good")))
	prepared := 0
	e := newEngine(t, Options{Source: dir, Prepare: func(map[string]any) (any, error) { prepared++; return prepared, nil }})
	before := e.Current()
	main := filepath.Join(dir, "policyd/main/main.rego")
	good, err := os.ReadFile(main)
	require.NoError(t, err)

	replaceFile(t, main, good)
	require.NoError(t, e.Reload(t.Context()))
	require.Same(t, before.compiler, e.Current().compiler)
	require.Equal(t, 2, e.Current().Prepared())
	require.Equal(t, 1, before.Prepared(), "a snapshot is immutable")

	replaceFile(t, main, []byte("package policyd.main\n\ndecision := {\n"))
	require.Error(t, e.Reload(t.Context()))
	require.NotEmpty(t, e.Status().LastError)
	replaceFile(t, main, good)
	require.NoError(t, e.Reload(t.Context()))
	require.Empty(t, e.Status().LastError)
	require.Same(t, before.compiler, e.Current().compiler)

	replaceFile(t, main, []byte("package policyd.main\n\n"+prompting("better")))
	require.NoError(t, e.Reload(t.Context()))
	require.NotSame(t, before.compiler, e.Current().compiler)
	require.Equal(t, "better", judge(t, e).Hint)
}

func TestTheSameFilesCanBeRefusedForTheDisk(t *testing.T) {
	var gone error
	e := newEngine(t, Options{
		FS: mapFS(deciding(prompting("good"))), Prepare: func(map[string]any) (any, error) { return nil, gone },
	})
	gone = errors.New("the disk is gone")
	require.ErrorContains(t, e.Reload(t.Context()), "the disk is gone")
	require.Contains(t, e.Status().LastError, "the disk is gone")
}

// Tests are no part of a revision, and still count as a change.
func TestATestThatIsAddedIsRun(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, deciding(prompting("good")))
	e := newEngine(t, Options{Source: dir, TestOnActivate: true})
	replaceFile(t, filepath.Join(dir, "policyd/main/main_test.rego"), []byte("package policyd.main_test\n\ntest_nothing if false\n"))
	var refusal *RefusalError
	require.ErrorAs(t, e.Reload(t.Context()), &refusal)
	require.Equal(t, CheckTests, refusal.Check)
}

// Rules are checked under the operator's settings: a rule that fails under them is refused.
func TestSmokeCasesAreJudgedWithTheSettings(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, site("team", "t", `deny contains f if {
	1 / data.policyd.settings.agents.x.zero == 1
	f := {"rule": "site/team", "code": "x", "message": "x", "item": -1}
}`))
	options := Options{FS: policies.FS, Source: dir}
	e, err := New(t.Context(), options)
	require.NoError(t, err)
	e.Close()
	options.Settings = map[string]any{"agents": map[string]any{"x": map[string]any{"zero": 0}}}
	_, err = New(t.Context(), options)
	require.ErrorContains(t, err, "with the settings")
}

// What the evaluator reads and what plain Go reads are merged alike.
func FuzzValuesAreMergedLikeMaps(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		base, over := someMap(random, 4), someMap(random, 4)
		written, err := json.Marshal([]any{base, over})
		require.NoError(t, err)
		want, err := ast.InterfaceToValue(merge(base, over))
		require.NoError(t, err)
		below, err := ast.InterfaceToValue(base)
		require.NoError(t, err)
		above, err := ast.InterfaceToValue(over)
		require.NoError(t, err)
		got := mergeValues(below.(ast.Object), above.(ast.Object))
		require.Zero(t, want.Compare(got), "%s, and not %s", want, got)
		after, err := json.Marshal([]any{base, over})
		require.NoError(t, err)
		require.Equal(t, string(written), string(after), "merging changes what is merged")
	})
}

func someMap(random *rand.Rand, depth int) map[string]any {
	made := map[string]any{}
	for range random.IntN(5) {
		name := strconv.Itoa(random.IntN(4))
		switch kind := random.IntN(4); {
		case kind < 2 && depth > 0:
			made[name] = someMap(random, depth-1)
		case kind == 2:
			made[name] = []any{json.Number(strconv.Itoa(random.IntN(9)))}
		default:
			made[name] = nil
		}
	}
	return made
}

// A source that changes all the time takes no more than its share.
func TestAReloadIsFollowedByAPause(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var p pause
	require.Negative(t, p.remaining(begin))
	p.reloaded(begin, begin.Add(20*time.Millisecond))
	require.Equal(t, 180*time.Millisecond, p.remaining(begin.Add(20*time.Millisecond)))
	require.Equal(t, 80*time.Millisecond, p.remaining(begin.Add(120*time.Millisecond)))
	p.reloaded(begin, begin.Add(time.Minute))
	require.Equal(t, time.Second, p.remaining(begin.Add(time.Minute)), "a reload that took long is no reason to wait for minutes")
}
