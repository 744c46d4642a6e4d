package bundles

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

func BenchmarkReload(b *testing.B) {
	dir := b.TempDir()
	writeTree(b, dir, site("team", "t", denying("no such verb")))
	e, err := New(b.Context(), Options{FS: policies.FS, Source: dir})
	require.NoError(b, err)
	defer e.Close()
	verbs := []string{"no such verb", "nor such a one"}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		i++
		require.NoError(b, os.WriteFile(filepath.Join(dir, "site/team/team.rego"), []byte("package site.team\n\n"+denying(verbs[i%2])+"\n"), 0o600))
		require.NoError(b, e.Reload(context.Background()))
	}
}
