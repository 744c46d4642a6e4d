package clients_test

import (
	"flag"
	"path/filepath"
	"testing"

	"policyd/internal/contain"
	"policyd/test/binary"
)

// update rewrites the golden replies.
var update = flag.Bool("update", false, "rewrite the golden replies")

// program is the binary under test, built once.
var program string

// hookProgram is what clients start, and what runs their lines contained.
func hookProgram() string { return filepath.Join(filepath.Dir(program), "policyd-hook") }

func TestMain(m *testing.M) {
	contain.Stage() // probes start this program again
	flag.Parse()
	binary.Main(m, &program)
}
