// Package binary builds the programs of this module for tests that start them.
package binary

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Variable names the environment variable with the directory of programs that are
// built already. The Makefile sets it, so that one build serves every package.
const Variable = "POLICYD_TEST_PROGRAMS"

// Build returns the program's file of the command at path, from the module's
// root. It builds the command into dir if Variable names no directory, or if the
// Makefile doesn't build it.
func Build(ctx context.Context, dir, path string) (string, error) {
	if programs := os.Getenv(Variable); programs != "" && filepath.Dir(path) == "cmd" {
		return prebuilt(filepath.Join(programs, filepath.Base(path)))
	}
	built := filepath.Join(dir, filepath.Base(path))
	out, err := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", built, "policyd/"+path).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build %s: %w: %s", path, err, out)
	}
	return built, nil
}

// prebuilt returns file if it is a program, and how to make it if it isn't there.
func prebuilt(file string) (string, error) {
	if _, err := exec.LookPath(file); err != nil {
		return "", fmt.Errorf("find program in $%s, run make build: %w", Variable, err)
	}
	return file, nil
}

// Main runs the tests of a package with policyd built once, and the hook program beside it, and ends the
// process. The program's file is in program before the first test.
func Main(m *testing.M, program *string) {
	code, err := run(m, program)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M, program *string) (code int, err error) {
	dir, err := os.MkdirTemp("", "policyd-test")
	if err != nil {
		return 1, fmt.Errorf("make directory: %w", err)
	}
	defer os.RemoveAll(dir)
	if *program, err = Build(context.Background(), dir, "cmd/policyd"); err != nil {
		return 1, err
	}
	if _, err = Build(context.Background(), dir, "cmd/policyd-hook"); err != nil {
		return 1, err
	}
	return m.Run(), nil
}
