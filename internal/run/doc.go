// Package run is `policyd run` and `policyd-hook run`: it claims a decision from the sidecar, and runs
// the program that was decided about under the decision's obligation.
//
// Guarantee: without a granted claim and a working containment nothing runs, and the exit status is 126.
// Otherwise exit status, signals, streams and terminal are the program's own.
package run
