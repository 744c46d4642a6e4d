package record_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"policyd/internal/record"
)

// BenchmarkWrite measures one record in the file, by how many callers write at once.
func BenchmarkWrite(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers-%d", callers), func(b *testing.B) {
			writer, err := record.New(record.Options{File: filepath.Join(b.TempDir(), "decisions.jsonl"), MaxSizeMB: 1024})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = writer.Close() })
			entry, left := sample("1"), atomic.Int64{}
			left.Store(int64(b.N))
			b.ReportAllocs()
			b.ResetTimer()
			var group sync.WaitGroup
			for range callers {
				group.Go(func() {
					for left.Add(-1) >= 0 {
						if err := writer.Write(b.Context(), entry); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
		})
	}
}
