// Package guard refuses command lines that shells and the parser may read differently: by their bytes,
// by a lexer of its own that has to agree with the parser, and by constructs that the versions and
// dialects of shells read in several ways. Its codes say why a line is not explained.
//
// Its functions may be used concurrently.
package guard
