// Command writers writes the code that writes what is written for every call, from the
// types in api/v1:
//
//   - bundles/input_gen.go: a policy input as terms of the engine, its key among the inputs
//     that were judged before, and what is kept of its parts;
//   - internal/wire/json_gen.go: records and decisions as JSON.
//
// A new field of a type is thus written in all of them. A field of an unknown type is an error, and not left
// out.
//
// go generate runs it without arguments; it writes below the module of the working directory.
package main

//go:generate go run .
