// Package history answers what git could print of a repository, without running git: which files
// its index and its commits hold, and what its refs are called.
//
// It reads no settings: extract/git/trust answers whether git may be run, and what settings make it
// print. Each answer is read anew, except for what commits hold: Past remembers that by the ids of
// objects, which prove it.
package history
