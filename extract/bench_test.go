package extract_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
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
		b.Run(c.name+"_first", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.extractor.Forget()
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

// BenchmarkGrants measures a read among a thousand grants, one of which holds it.
func BenchmarkGrants(b *testing.B) {
	p := newPlace(b)
	grants := make([]v1.PathGrant, 0, 1000)
	for i := range 999 {
		grants = append(grants, v1.PathGrant{Root: fmt.Sprintf("%s/repositories/number-%d", p.home, i), Mode: "read"})
	}
	grants = append(grants, v1.PathGrant{Root: p.home + "/other", Mode: "read"})
	for _, platform := range []string{"linux", "darwin"} {
		call := p.call("Read", map[string]any{"file_path": p.home + "/other/file"})
		call.Session.Platform = platform
		b.Run(platform, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.extractor.Extract(call, grants)
			}
		})
	}
}

// BenchmarkContain measures the obligation of a run in a project of 20,000 files: all of its
// directories are looked through for secrets.
func BenchmarkContain(b *testing.B) {
	p := newPlace(b)
	for i := range 1000 {
		dir := fmt.Sprintf("%s/node_modules/package-%d/lib", p.project, i)
		require.NoError(b, os.MkdirAll(dir, 0o700))
		for j := range 20 {
			require.NoError(b, os.WriteFile(fmt.Sprintf("%s/module-%d.js", dir, j), nil, 0o600))
		}
	}
	duty := v1.Duty{Kind: v1.ObligationContain, Profile: v1.ProfileProject, Reads: v1.ReadsListed}
	call := p.call("Bash", map[string]any{"command": "make"})
	for b.Loop() {
		_, err := p.extractor.Contain(b.Context(), call, nil, duty)
		require.NoError(b, err)
	}
}
