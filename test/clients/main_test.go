package clients_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// update rewrites the golden replies.
var update = flag.Bool("update", false, "rewrite the golden replies")

// program is the binary under test, built once.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "policyd-clients")
	if err != nil {
		return 1, fmt.Errorf("make directory: %w", err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "policyd")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "policyd/cmd/policyd")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build policyd: %w: %s", err, out)
	}
	return m.Run(), nil
}
