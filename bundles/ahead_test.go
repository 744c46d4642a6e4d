package bundles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// What is read ahead is what every other way to read it gives.
func TestWhatIsReadAheadIsTheBundle(t *testing.T) {
	ahead, err := ReadAhead(policies.FS).part()
	require.NoError(t, err)
	usual, err := readEmbedded(policies.FS)
	require.NoError(t, err)
	require.NotEmpty(t, usual.Modules)
	require.Equal(t, usual.Manifest, ahead.Manifest)
	require.NotNil(t, ahead.embedded, "the embedded bundle is not the one that was proven: make generate")
	for range 2 {
		one, err := usual.data()
		require.NoError(t, err)
		other, err := ahead.data()
		require.NoError(t, err)
		require.NotEmpty(t, one)
		require.Equal(t, one, other)
		ahead.embedded.drop()
	}
	require.Equal(t, usual.version(), ahead.version())
	require.Equal(t, usual.digest, ahead.digest)
	require.Len(t, ahead.Modules, len(usual.Modules))
	for i := range usual.Modules {
		require.Equal(t, usual.Modules[i].Path, ahead.Modules[i].Path)
		require.Equal(t, usual.Modules[i].Raw, ahead.Modules[i].Raw)
		require.True(t, usual.Modules[i].Parsed.Equal(ahead.Modules[i].Parsed))
	}
	first, err := usual.values()
	require.NoError(t, err)
	second, err := ahead.values()
	require.NoError(t, err)
	require.Zero(t, first.Compare(second))
}
