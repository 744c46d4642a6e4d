// Package stdio is what a program needs that is between another one and its standard streams: lines with
// their exact bytes, a stream into which whole lines can be put without tearing others, and a child process
// that is ended politely.
//
// It knows nothing of what the lines say. Bytes are passed on as they came, line
// ends included.
package stdio
