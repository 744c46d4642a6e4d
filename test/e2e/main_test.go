// Package e2e starts the real program and talks to it as an enforcement point
// does: over HTTP with a token, over the socket, and from the command line.
package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// program is the binary under test, built once.
var program string

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "policyd-e2e")
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
