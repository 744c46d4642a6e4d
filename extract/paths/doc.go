// Package paths turns names of files into real paths, and says in which space
// a real path lies and which lists it is on.
//
// It reads the disk with lstat and readlink and nothing else. A Resolver
// remembers what it saw for one call and must not be kept across calls, since
// the disk changes. It is not safe for concurrent use; make one per call.
package paths
