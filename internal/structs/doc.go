// Command structs writes the methods Equal and Size of structs that describe command lines:
//
//   - Equal reports whether two values are the same. A list that is nil differs from an empty one.
//   - Size returns the bytes that a value refers to. What two fields refer to counts twice.
//
// Both cover each field, and each struct of the package that a field is made of. A field of a
// type that it has no way to compare is an error, and not left out.
//
// It reads the source, without the files that it writes: these need not match the types yet. It
// is run by go generate and takes no arguments.
package main

//go:generate go run .
