// Package syntax holds what git's command line and settings are written in: magic of pathspecs,
// abbreviated hashes, formats of dates. It looks at texts alone, neither at a repository nor at
// the disk.
package syntax
