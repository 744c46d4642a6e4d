//go:build unix

// Command golden computes the facts of every line of every corpus, of every captured payload
// and of generated lines, so that a change of the extraction shows what it changes.
//
//	go run ./test/golden -write FILE    writes the facts, one JSON object per case
//	go run ./test/golden -diff OLD NEW  lists the cases whose facts differ
//
// Its test compares digests of the facts with those in testdata; -update rewrites them.
// Facts don't depend on the machine: calls are about a disk of their own, which a path map
// puts in the place of the machine's, and its repositories have fixed dates.
package main
