package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"
)

func TestDataCacheReadsWhatIsThere(t *testing.T) {
	cache := dataCache{ast.MustParseTerm(`{"a": {"b": [10, {"c": true}]}, "n": null}`).Value.(ast.Object)}
	for text, want := range map[string]string{
		"data.a":           `{"b": [10, {"c": true}]}`,
		"data.a.b[0]":      `10`,
		"data.a.b[1].c":    `true`,
		"data.n":           `null`,
		"data.a.b[2]":      ``,
		"data.a.b.c":       ``,
		"data.a.b[0].c":    ``,
		"data.x":           ``,
		"data.a.b[1].c.d":  ``,
		"data.a.b[x].c":    ``,
		"data.a[input.b]":  ``,
		`data.a["b"][0.5]`: ``,
	} {
		got := cache.Get(ast.MustParseRef(text))
		if want == "" {
			require.Nil(t, got, text)
			continue
		}
		require.Zero(t, ast.MustParseTerm(want).Value.Compare(got), text)
	}
	require.Nil(t, cache.Get(ast.Ref{ast.DefaultRootDocument}), "data as a whole is the store's to answer")
}
