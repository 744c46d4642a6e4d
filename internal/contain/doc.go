// Package contain runs a program so that the kernel enforces an obligation: what the program
// can read, what it can change, and that it reaches neither the network nor other processes.
//
// It trusts its caller for the obligation and for the argv, and the kernel. It doesn't trust the program.
// Guarantee: if any part of an obligation can't be enforced here, nothing is run (D6). On Linux it uses
// Landlock, a seccomp filter and, if the obligation needs them, namespaces; on macOS sandbox-exec.
// docs/decisions/0023 gives the reasons.
//
// A program that calls Run or Probe must call Stage first thing in main, in its tests, too: on Linux the program
// starts itself again.
package contain
