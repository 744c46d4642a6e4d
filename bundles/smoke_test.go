package bundles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

func TestTheBuiltInPolicyPassesTheSmokeCases(t *testing.T) {
	e := newEngine(t, Options{FS: policies.FS})
	require.NotNil(t, e.Current())
}
