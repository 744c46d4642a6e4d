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
		return releaseProgram()
	}
}
