// Package stdio relays the standard streams of another program: lines with their exact bytes, a stream into
// which whole lines can be inserted without tearing others, and a child process that is ended politely.
//
// It doesn't parse lines. Bytes are forwarded as they are, line ends included.
package stdio
