// Package jsonrpc parses JSON-RPC messages for a program that relays between two others and decides by their
// content. It accepts a message only if every reader must parse it in the same way. It refuses a key that
// occurs twice, also escaped; keys that differ by case or by signs alone; text that isn't UTF-8; and white
// space at which some readers end a line.
//
// It never changes a message: what it returns are parts of the line itself.
package jsonrpc
