// Package wire writes what is written for every call, records and decisions, as JSON.
//
// It writes what the JSON package makes of the same value without escaping HTML, byte
// for byte, and is there for speed alone: nothing is looked up, and text that needs no
// escape is copied. What is seldom there, and text that needs an escape, is left to the
// JSON package. Which fields there are is generated from the types of the contract; what a
// record keeps the text of is written by hand, and a field that is missing fails a test.
package wire
