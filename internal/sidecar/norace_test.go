//go:build !race

package sidecar

const underRace = false
