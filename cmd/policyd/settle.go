package main

import (
	"runtime"
	"runtime/debug"
)

// startQuickly puts off the collection of garbage while a server starts, and returns what
// ends that: nearly all that a start allocates is in use when it is over. What is not, and
// the parts of the program that only the start needed, go back to the system then. A
// target that the environment sets is kept.
func (p *Program) startQuickly() (settle func() error) {
	if _, set := p.LookupEnv("GOGC"); set {
		return releaseProgram
	}
	usual := debug.SetGCPercent(-1)
	return func() error {
		debug.SetGCPercent(usual)
		runtime.GC() // what pools hold outlives one collection
		debug.FreeOSMemory()
		boundMemory(p.LookupEnv)
		return releaseProgram()
	}
}

// The collector's target is a multiple of what is in use, so that a busy server would keep
// several times of what it needs. What it keeps between calls is bounded, so memory is, too:
// by leastMemory in bytes, or by memoryFactor times what is in use after the start, where a
// policy or its answers are large.
const (
	leastMemory  = 128 << 20
	memoryFactor = 3
)

// boundMemory sets the limit, unless the environment states what to keep to.
func boundMemory(env func(string) (string, bool)) {
	if _, set := env("GOMEMLIMIT"); set {
		return
	}
	var used runtime.MemStats
	runtime.ReadMemStats(&used)
	bound := max(int64(leastMemory), memoryFactor*int64(used.HeapAlloc)) //nolint:gosec // no heap has 2^63 bytes
	if before := debug.SetMemoryLimit(-1); bound < before {
		debug.SetMemoryLimit(bound)
	}
}
