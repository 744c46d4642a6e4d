package extract_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkExtract measures facts on the real disk, git's own files included.
func BenchmarkExtract(b *testing.B) {
	p := newPlace(b)
	output, err := exec.Command("git", "init", "-q", p.project).CombinedOutput()
	require.NoErrorf(b, err, "%s", output)
	for _, c := range []struct{ name, line string }{
		{"git_status", "git status"},
		{"three_commands", "cd src && git status && ls -la"},
		{"three_readers", "cat README.md | head -5; wc -l src/main.go"},
		{"ten_commands", strings.TrimSuffix(strings.Repeat("wc -l src/main.go && ", 10), "&& ")},
	} {
		call := p.call("Bash", map[string]any{"command": c.line})
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.extractor.Extract(call, nil)
			}
		})
	}
	call := p.call("Read", map[string]any{"file_path": "README.md"})
	b.Run("file_read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.extractor.Extract(call, nil)
		}
	})
}
