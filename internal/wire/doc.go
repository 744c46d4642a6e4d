// Package wire writes what is written for every call, records and decisions, as JSON.
//
// It writes the JSON that the JSON package makes of the same value without escaping HTML, byte for byte, and
// exists for speed alone. Rare values, and text that needs an escape, are left to the JSON package. The
// fields are generated from the types of the contract. Those parts whose text a record keeps are written by
// hand; a test fails for a missing field.
package wire
