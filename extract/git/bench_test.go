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
	s.Commit(s.Project)
	return s, s.query(filepath.Join(s.Project, "sub"), "status")
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
		s.Write(filepath.Join(s.Project, "pkg", strconv.Itoa(n%20), strconv.Itoa(n)+".go"), "x")
	}
	s.Git(s.Project, "add", "-A")
	reader := newReader(b, nil)
	verdict := reader.Inspect(query)
	b.ReportAllocs()
	for b.Loop() {
		if err := reader.Tracked(verdict, []string{"*.go"}, s.Project, func(string) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}

// A history of 200 commits in one pack: walked for the first time, and again.
func BenchmarkHistory(b *testing.B) {
	s, query := benchSandbox(b)
	for n := range 200 {
		s.Write(filepath.Join(s.Project, "pkg", strconv.Itoa(n%20), strconv.Itoa(n)+".go"), "x")
		s.Git(s.Project, "add", "-A")
		s.Git(s.Project, "commit", "-qm", "more")
	}
	s.Git(s.Project, "repack", "-adfq")
	verdict := newReader(b, nil).Inspect(query)
	ask := func(past *Past) {
		of := History{Revisions: []string{"HEAD"}, Walks: true, Budget: &Budget{}}
		if err := past.Held(verdict, of, nil, s.Project, func(string) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ask(seekKeys())
		}
	})
	b.Run("again", func(b *testing.B) {
		past := seekKeys()
		ask(past)
		b.ReportAllocs()
		for b.Loop() {
			ask(past)
		}
	})
}
