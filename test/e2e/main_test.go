// Package e2e starts the real program and talks to it as an enforcement point
// does: over HTTP with a token, over the socket, and from the command line.
package e2e

import (
	"testing"

	"policyd/test/binary"
)

// program is the binary under test, built once.
var program string

func TestMain(m *testing.M) { binary.Main(m, &program) }
