// Package history answers what git could print of a repository, without running git: which files
// its index and its commits hold, and what its refs are called.
//
// It looks at no settings: whether git may be run at all, and what they make it print, is told by
// extract/git/trust. Each answer is read anew, but for what commits hold: that is remembered by the
// ids of objects, which prove it.
package history
