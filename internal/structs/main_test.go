package main

import (
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommittedFilesAreUpToDate(t *testing.T) {
	root := filepath.Join("..", "..")
	files, err := generate(root)
	require.NoError(t, err)
	require.Len(t, files, len(roots))
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), "%s is out of date: run make generate", name)
	}
}

// A field that can't be compared or measured is an error, and not left out.
func TestFieldsOfOtherTypesAreErrors(t *testing.T) {
	for _, typ := range []types.Type{
		types.NewMap(types.Typ[types.String], types.Typ[types.Bool]), types.Typ[types.Invalid], types.NewSignatureType(nil, nil, nil, nil, nil, false),
	} {
		pkg := types.NewPackage("policyd/x", "x")
		field := types.NewField(0, pkg, "field", typ, false)
		w := writer{pkg: pkg, imports: map[string]bool{}}
		w.equalMethod("T", types.NewStruct([]*types.Var{field}, nil))
		assert.Len(t, w.errors, 1, typ)
		w.sizeMethod("T", types.NewStruct([]*types.Var{field}, nil))
		assert.Len(t, w.errors, 2, typ)
	}
}
