package record_test

import (
	"os"
	"path/filepath"
	"testing"

	v1 "policyd/api/v1"
	"policyd/internal/record"
)

// BenchmarkRead measures what an operator waits for in a log of 100 MB.
func BenchmarkRead(b *testing.B) {
	file := filepath.Join(b.TempDir(), "decisions.jsonl")
	out, err := os.Create(file)
	if err != nil {
		b.Fatal(err)
	}
	const records = 57_000
	for second := range records {
		line, err := record.Encode(decided(second))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := out.Write(line); err != nil {
			b.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		b.Fatal(err)
	}
	reader := record.NewReader(file)
	for name, read := range map[string]func() error{
		"page": func() error {
			_, _, err := reader.List(b.Context(), v1.RecordFilter{}, "", 100)
			return err
		},
		"nothing-matches": func() error {
			_, _, err := reader.List(b.Context(), v1.RecordFilter{Session: "nobody"}, "", 100)
			return err
		},
		"all-is-read": func() error {
			_, _, err := reader.List(b.Context(), v1.RecordFilter{Session: "s", Code: "s"}, "", 100)
			return err
		},
		"oldest": func() error {
			_, err := reader.Record(b.Context(), id(0))
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
