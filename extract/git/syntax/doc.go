// Package syntax holds what git's command line and settings are written in: pathspecs,
// revisions, names of refs, abbreviated hashes, formats of dates, configuration files. It looks
// at texts alone, neither at a repository nor at the disk.
package syntax
