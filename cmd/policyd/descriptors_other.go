//go:build !unix

package main

// descriptorLimit is how many file descriptors this process may have, 0 for any number.
func descriptorLimit() int { return 0 }
