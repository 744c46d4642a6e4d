// Package shell turns a command line into the simple commands that a shell
// would run, with their verb chains, forms and the paths that they touch.
//
// It trusts nothing that it can't explain. Whatever the byte gate, the parser,
// the second lexer or the walk does not fully understand makes the line messy,
// and says why in a stable code; the commands that could be found are still
// reported, so that deny rules see them. The package runs nothing and reads no
// disk; words that name files are left to package extract.
//
// How programs read their command lines is data: see programs/README.md.
package shell
