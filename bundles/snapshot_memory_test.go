package bundles

import (
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// A policy that was replaced goes with the next collection. One that stayed for longer
// would let memory grow with every activation, since collections get rarer as it grows.
func TestAReplacedPolicyIsCollectedAtOnce(t *testing.T) {
	e := newEngine(t, Options{FS: policies.FS})
	before := replaced(t, e)
	runtime.GC()
	require.Nil(t, before.Value())
	runtime.KeepAlive(e)
}

// replaced points to a policy that is active no more, by which the last call was judged.
//
//go:noinline
func replaced(t *testing.T, e *Engine) weak.Pointer[Snapshot] {
	t.Helper()
	snapshot := e.Current()
	require.NoError(t, e.Reload(t.Context()))
	_, err := snapshot.Judge(t.Context(), shortLine(t))
	require.NoError(t, err)
	return weak.Make(snapshot)
}
