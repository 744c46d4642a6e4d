// Package extract turns a call into facts: which commands it runs, which paths
// it touches and where they really lie, what it would reach.
//
// It reads the disk and runs nothing. It makes no judgement: whether a fact is
// good or bad is policy. What it can't establish becomes a fact that says so,
// a caveat or a doubt, so that policy can refuse to rely on it.
//
// The lists that facts are matched against (secrets, protected files, read_also)
// come from the active policy snapshot: an Extractor is made per snapshot and
// is safe for concurrent use.
package extract
