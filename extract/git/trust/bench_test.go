package trust

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func benchQuery(b *testing.B) Query {
	b.Helper()
	s := newSandbox(b)
	s.Commit(s.Project)
	return s.query(filepath.Join(s.Project, "sub"), "status")
}

func BenchmarkInspectWarm(b *testing.B) {
	query := benchQuery(b)
	reader := newReader(b, NewCache(8))
	require.True(b, reader.Inspect(query).Trusted)
	b.ReportAllocs()
	for b.Loop() {
		if !reader.Inspect(query).Trusted {
			b.Fatal("not trusted")
		}
	}
}

func BenchmarkInspectCold(b *testing.B) {
	query := benchQuery(b)
	reader := newReader(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		if !reader.Inspect(query).Trusted {
			b.Fatal("not trusted")
		}
	}
}
