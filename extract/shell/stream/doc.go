// Package stream describes what the commands of a line print, as far as that is known before they
// run: names of files and of refs, hashes of commits, numbers. A stream over-approximates what is
// printed. The zero value of each type knows nothing. The package reads no disk: Walk and Names are
// for those who do.
package stream
