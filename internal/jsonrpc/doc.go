// Package jsonrpc reads JSON-RPC messages for a program that is between two others and decides by what a
// message says. So it reads a message in the one way that every reader must take it, and refuses what two
// readers could take differently: a key that occurs twice, also escaped; keys that differ by case or by signs
// alone; text that is no UTF-8; white space at which some readers end a line.
//
// It never changes a message: what it returns are parts of the line itself.
package jsonrpc
