// Command schema writes the descriptions that are derived from the types in api/v1:
// policies/schemas/facts.json, against which rules are checked, and api/openapi.json, which the server
// serves. The same types always give the same bytes, so a difference in a build means that a file is out of
// date.
//
// go generate runs it without arguments; it writes below the module of the working directory.
package main

//go:generate go run .
