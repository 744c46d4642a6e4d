package main

import (
	"runtime"
	"runtime/debug"
)

// startQuickly postpones garbage collection while a server starts, and returns a function that ends that:
// nearly all allocations of a start stay in use. The rest, and pages of the program that only the start
// needed, are then returned to the system. A target from the environment is kept.
func (p *Program) startQuickly() (settle func() error) {
	if _, set := p.LookupEnv("GOGC"); set {
		return releaseProgram
	}
	usual := debug.SetGCPercent(-1)
	return func() error {
		debug.SetGCPercent(usual)
		runtime.GC() // pools keep their content for one collection
		debug.FreeOSMemory()
		boundMemory(p.LookupEnv)
		return releaseProgram()
	}
}

// The collector's target is a multiple of the memory in use, so a busy server would keep several times of
// what it needs. What it keeps between calls is bounded, so memory is, too: by leastMemory in bytes, or by
// memoryFactor times the memory in use after the start, for a large policy or large answers.
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
