//go:build race

package main

// underRace says that pools lose things on purpose, so that allocations can't be counted.
const underRace = true
