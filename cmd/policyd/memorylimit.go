package main

import (
	"io/fs"
	"runtime/debug"

	"policyd/internal/cgroup"
)

// The garbage collector may fill 9 of 10 parts of a container's memory. The rest is for what it doesn't
// count: the program itself and SQLite's files.
const (
	memoryParts = 10
	memoryShare = 9
)

// limitMemory makes the garbage collector keep to the container's limit, unless the environment states what
// to keep to. It returns the limit, 0 for none.
func limitMemory(env func(string) (string, bool), root fs.FS) int64 {
	if _, set := env("GOMEMLIMIT"); set {
		return 0
	}
	limit, found := cgroup.MemoryLimit(root)
	if !found {
		return 0
	}
	share := limit / memoryParts * memoryShare
	debug.SetMemoryLimit(share)
	return share
}
