// Package wire writes what is written for every call, records and decisions, as JSON.
//
// It writes what the JSON package makes of the same value without escaping HTML, byte
// for byte, and is there for speed alone: nothing is looked up, and text that needs no
// escape is copied. What is seldom there, and text that needs an escape, is left to the
// JSON package. A field that is added to the contract and not here fails a test.
package wire
