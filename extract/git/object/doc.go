// Package object reads what a git repository holds, without git: objects (loose, in packs, or
// borrowed from other repositories), refs and the index.
//
// It doesn't know whether git may be run in the repository, and trusts nothing that it reads but
// what the id of an object proves. A repository can change while it is read.
package object
