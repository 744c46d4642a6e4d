package bundles

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// Additions are asked for at each activation, and their removal counts as well.
func TestRenewPutsAdditionsInForce(t *testing.T) {
	var additions map[string]any
	var seen []any
	refuse := false
	e := newEngine(t, Options{
		FS:        policies.FS,
		Settings:  map[string]any{"shell": map[string]any{"remote_readers": true}},
		Additions: func() map[string]any { return additions },
		Prepare: func(policyd map[string]any) (any, error) {
			if refuse {
				return nil, errors.New("not this one")
			}
			settings, _ := policyd["settings"].(map[string]any)
			seen = append(seen, settings["safe_verbs"])
			return nil, nil
		},
	})
	plain := e.Current().Revision()
	additions = map[string]any{"safe_verbs": map[string]any{"common": map[string]any{"x": []any{}}}}
	require.NoError(t, e.Renew(t.Context()))
	added := e.Current().Revision()
	require.NotEqual(t, plain, added)
	require.Equal(t, additions["safe_verbs"], seen[len(seen)-1])

	refuse, additions = true, nil
	require.ErrorContains(t, e.Renew(t.Context()), "not this one")
	require.Equal(t, added, e.Current().Revision())
	require.Empty(t, e.Status().LastError)

	refuse = false
	require.NoError(t, e.Renew(t.Context()))
	require.Equal(t, plain, e.Current().Revision())
	require.Equal(t, map[string]any{}, seen[len(seen)-1])
}
