package shell

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
)

// mostBytes is what explaining one line of 16 KiB may allocate.
const mostBytes = 32 << 20

// No line costs more memory than a line is worth, however it is made.
func TestHostileLinesAreBounded(t *testing.T) {
	table := newTable(t)
	for _, c := range costlyLines() {
		line := c.line[:min(len(c.line), guard.MaxLine)]
		table.Parse(line, host.Options{Home: "/home/dev", Cwd: "/srv/proj"}) // compiles the table's entries
		assert.LessOrEqual(t, allocated(func() { table.Parse(line, host.Options{Home: "/home/dev", Cwd: "/srv/proj"}) }), uint64(mostBytes), c.name)
	}
}

// allocated returns the bytes that f allocates. Nothing else may run beside it.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
