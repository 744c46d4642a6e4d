//go:build race

package sidecar

// underRace states that pools lose things on purpose, so that allocations can't be counted.
const underRace = true
