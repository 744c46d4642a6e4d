package git

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func benchSandbox(b *testing.B) (*sandbox, Query) {
	b.Helper()
	s := newSandbox(b)
	s.commit(s.project)
	return s, s.query(filepath.Join(s.project, "sub"), "status")
}

func BenchmarkInspectWarm(b *testing.B) {
	_, query := benchSandbox(b)
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
	_, query := benchSandbox(b)
	reader := newReader(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		if !reader.Inspect(query).Trusted {
			b.Fatal("not trusted")
		}
	}
}

func BenchmarkTracked(b *testing.B) {
	s, query := benchSandbox(b)
	for n := range 1000 {
		s.write(filepath.Join(s.project, "pkg", strconv.Itoa(n%20), strconv.Itoa(n)+".go"), "x")
	}
	s.git(s.project, "add", "-A")
	reader := newReader(b, nil)
	verdict := reader.Inspect(query)
	b.ReportAllocs()
	for b.Loop() {
		if err := reader.Tracked(verdict, []string{"*.go"}, s.project, func(string) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}
