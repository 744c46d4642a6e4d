//go:build linux && (amd64 || arm64)

package stat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/stat"
)

// A look costs no memory: it is made for every segment of every path.
func TestPathAllocatesNothing(t *testing.T) {
	dir := t.TempDir()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = stat.Path(dir, false)
		_, _ = stat.Path("/none/such", true)
	}))
}
