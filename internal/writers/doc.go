// Command writers writes the code that writes what is written for every call, from the
// types in api/v1:
//
//   - bundles/input_gen.go: a policy input as terms of the engine, its key among the inputs
//     that were judged before, and what is kept of its parts;
//   - internal/wire/json_gen.go: records and decisions as JSON.
//
// A field that is added to a type is so written in all of them. A field of a type that no
// table here knows is an error, and not left out.
//
// It is run by go generate and takes no arguments; it writes below the module that the working directory is
// in.
package main

//go:generate go run .
