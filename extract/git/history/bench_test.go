package history

import (
	"path/filepath"
	"strconv"
	"testing"

	"policyd/extract/git/object"
)

func BenchmarkTracked(b *testing.B) {
	s := newSandbox(b)
	s.Commit(s.Project)
	for n := range 1000 {
		s.Write(filepath.Join(s.Project, "pkg", strconv.Itoa(n%20), strconv.Itoa(n)+".go"), "x")
	}
	s.Git(s.Project, "add", "-A")
	repository := s.repository(s.Project)
	b.ReportAllocs()
	for b.Loop() {
		if err := Tracked(repository, []string{"*.go"}, s.Project, func(string) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
}

// A history of 200 commits in one pack: walked for the first time, and again.
func BenchmarkHistory(b *testing.B) {
	s := newSandbox(b)
	s.Commit(s.Project)
	for n := range 200 {
		s.Write(filepath.Join(s.Project, "pkg", strconv.Itoa(n%20), strconv.Itoa(n)+".go"), "x")
		s.Git(s.Project, "add", "-A")
		s.Git(s.Project, "commit", "-qm", "more")
	}
	s.Git(s.Project, "repack", "-adfq")
	repository := s.repository(s.Project)
	ask := func(past *Past) {
		of := Query{Revisions: []string{"HEAD"}, Walks: true, Budget: &object.Budget{}}
		if err := past.Held(repository, of, nil, s.Project, func(string) bool { return true }); err != nil {
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
