package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func BenchmarkOpenPrompt(b *testing.B) {
	opened := open(b, sqliteBackend{}.fresh(b))
	b.ReportAllocs()
	number := 0
	for b.Loop() {
		number++
		require.NoError(b, opened.OpenPrompt(b.Context(), prompt(numbered("p", number), "s")))
	}
}

// Two approvals and a one-shot answer, without the prompt's opening.
func BenchmarkResolvePrompt(b *testing.B) {
	opened := open(b, sqliteBackend{}.fresh(b))
	b.ReportAllocs()
	number := 0
	for b.Loop() {
		b.StopTimer()
		number++
		id := numbered("p", number)
		require.NoError(b, opened.OpenPrompt(b.Context(), prompt(id, "s")))
		resolution := answered(id, "s")
		resolution.Approvals = []v1.ApprovalEntry{approval(id+"a", id+"a", nil), approval(id+"b", id+"b", pointer("/srv"))}
		b.StartTimer()
		_, _, err := opened.ResolvePrompt(b.Context(), resolution)
		require.NoError(b, err)
	}
}

func BenchmarkPutApprovals(b *testing.B) {
	for name, size := range map[string]int{"1": 1, "1000": 1000} {
		b.Run(name, func(b *testing.B) {
			opened := open(b, sqliteBackend{}.fresh(b))
			b.ReportAllocs()
			number := 0
			for b.Loop() {
				_, err := opened.PutApprovals(b.Context(), manyEntries(number, size)...)
				require.NoError(b, err)
				number += size
			}
		})
	}
}

// What a start and a lost connection cost.
func BenchmarkApprovals(b *testing.B) {
	options := sqliteBackend{}.fresh(b)
	options.Timeout = time.Minute
	opened := open(b, options)
	_, err := opened.PutApprovals(b.Context(), manyEntries(0, 100_000)...)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		read, err := opened.Approvals(b.Context(), start())
		require.NoError(b, err)
		require.Len(b, read, 100_000)
	}
}

func manyEntries(first, size int) []v1.ApprovalEntry {
	entries := make([]v1.ApprovalEntry, size)
	for i := range entries {
		id := numbered("a", first+i)
		entries[i] = approval(id, id, pointer("/srv/proj"))
	}
	return entries
}
