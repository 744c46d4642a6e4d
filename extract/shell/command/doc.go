// Package command describes what one simple command does: its words, the paths that it accesses, the
// directories that it runs in, and what it reads and prints.
//
// A Line of them is the result of explaining a command line. The package has no program table and no shell: it says
// what is known of a command, and not how that was found out.
package command
