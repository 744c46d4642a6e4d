//go:build !race

package bundles

const underRace = false
