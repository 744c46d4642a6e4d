package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSum(t *testing.T) {
	if sum(1, 2, 3) != 6 {
		t.Fatal("wrong sum")
	}
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o700); err != nil {
		t.Fatal(err)
	}
}
