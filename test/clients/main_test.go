package clients_test

import (
	"flag"
	"testing"

	"policyd/internal/contain"
	"policyd/test/binary"
)

// update rewrites the golden replies.
var update = flag.Bool("update", false, "rewrite the golden replies")

// program is the binary under test, built once.
var program string

func TestMain(m *testing.M) {
	contain.Stage() // probes start this program again
	flag.Parse()
	binary.Main(m, &program)
}
