// Package project builds the directories that end-to-end tests decide about: a real git repository of
// ordinary shape, and beside it a directory that is outside every space.
package project

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing/fstest"
)

// Tree is a home directory with a project in it. It is in for /home/dev in payloads that were captured
// elsewhere.
type Tree struct {
	// Home holds Project and Other, and nothing that names a real user.
	Home string
	// Project is a clean git repository with one tracked branch and two commits.
	Project string
	// Other is outside the project.
	Other string
}

// New builds a tree below dir, which has to exist. It needs git.
func New(ctx context.Context, dir string) (Tree, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Tree{}, fmt.Errorf("resolve directory: %w", err)
	}
	tree := Tree{
		Home: filepath.Join(real, "dev"), Project: filepath.Join(real, "dev", "proj"), Other: filepath.Join(real, "dev", "other"),
	}
	if err := write(tree.Other, map[string]string{"secret.txt": "not the agent's business\n"}); err != nil {
		return Tree{}, err
	}
	if err := write(tree.Project, files()); err != nil {
		return Tree{}, err
	}
	if err := os.Mkdir(filepath.Join(tree.Project, "build"), 0o755); err != nil {
		return Tree{}, fmt.Errorf("make directory: %w", err)
	}
	if err := commit(ctx, tree); err != nil {
		return Tree{}, err
	}
	// Secrets are never committed, but they are in many projects.
	return tree, write(tree.Project, map[string]string{".env": "TOKEN=abc\n"})
}

// Expose puts into the tree's project what careless projects have: secrets that
// are tracked, and links that lead out.
func Expose(ctx context.Context, tree Tree) error {
	if err := write(tree.Project, exposed()); err != nil {
		return err
	}
	for _, name := range []string{"aink", "[k]"} { // one of a name that its own pattern doesn't match
		if err := os.Symlink("/etc/passwd", filepath.Join(tree.Project, name)); err != nil {
			return fmt.Errorf("make link: %w", err)
		}
	}
	return git(ctx, tree, [][]string{{"add", "-A", "-f"}, {"commit", "-q", "-m", "feat: x"}})
}

// repository is what git made of the project's files: they and its dates are the same each time, so one run of
// it serves all trees of a process.
var repository struct {
	sync.Mutex
	files fstest.MapFS
}

// commit puts a repository into the project that holds its files.
func commit(ctx context.Context, tree Tree) error {
	repository.Lock()
	defer repository.Unlock()
	store := filepath.Join(tree.Project, ".git")
	if repository.files != nil {
		if err := os.CopyFS(store, repository.files); err != nil {
			return fmt.Errorf("copy repository: %w", err)
		}
		// The index holds times and numbers of the first tree's files.
		return git(ctx, tree, [][]string{{"update-index", "-q", "--refresh"}})
	}
	if err := git(ctx, tree, [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "."},
		{"commit", "-q", "-m", "first"},
		{"tag", "v1.0.0"},
		{"commit", "-q", "--allow-empty", "-m", "second"},
	}); err != nil {
		return err
	}
	files, err := read(store)
	repository.files = files
	return err
}

// read returns all that a directory holds.
func read(dir string) (fstest.MapFS, error) {
	held := fstest.MapFS{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		file := &fstest.MapFile{Mode: info.Mode(), ModTime: info.ModTime()}
		if info.Mode().IsRegular() {
			file.Data, err = os.ReadFile(path)
		}
		held[filepath.ToSlash(name)] = file
		return err
	})
	return held, err
}

// Environment is that of git in the tree: no settings of the machine, commits that are
// the same on every machine, and no upkeep after them.
func Environment(tree Tree) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + tree.Home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=maintenance.auto", "GIT_CONFIG_VALUE_0=false",
		"GIT_DEFAULT_HASH=sha1", "GIT_DEFAULT_REF_FORMAT=files",
		"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.org", "GIT_AUTHOR_DATE=2026-01-05T10:00:00Z",
		"GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.org", "GIT_COMMITTER_DATE=2026-01-05T10:00:00Z",
	}
}

func git(ctx context.Context, tree Tree, steps [][]string) error {
	for _, arguments := range steps {
		cmd := exec.CommandContext(ctx, "git", arguments...)
		cmd.Dir = tree.Project
		cmd.Env = Environment(tree)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", arguments[0], err, out)
		}
	}
	return nil
}

func write(root string, contents map[string]string) error {
	for name, text := range contents {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
		mode := os.FileMode(0o644)
		if name == "bin/app" {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			return fmt.Errorf("write file: %w", err)
		}
	}
	return nil
}

func files() map[string]string {
	return map[string]string{
		".gitignore":       ".env\nbuild/\n",
		"LICENSE":          "Permission is granted.\n",
		"README.md":        "# Project\n\nfoo and bar\n",
		"a.txt":            "one\ntwo\n",
		"b.txt":            "one\nthree\n",
		"big.txt":          "9\n8\n7\n",
		"bin/app":          "#!/bin/sh\nexit 0\n",
		"data.csv":         "id,name\n1,Ada\n2,Grace\n",
		"docs/My Notes.md": "# Notes\n",
		"docs/guide.md":    "# Guide\n",
		"go.mod":           "module example.org/proj\n\ngo 1.26\n",
		"logs/app.log":     "10.0.0.1 error one\n10.0.0.2 ok\n",
		"names.txt":        "grace:1\nada:2\n",
		"notes.txt":        "hello\n",
		"package.json":     "{\"version\": \"1.0.0\", \"scripts\": {\"build\": \"true\"}}\n",
		"src/app.py":       "import os\n\ndef hello():\n    return 'SENTINEL-APP'\n",
		"src/main.go":      "package main\n\n// TODO: greet.\nfunc main() {}\n",
		"src/util.go":      "package main\n\nfunc util() {}\n",
		"tests/test_a.py":  "def test_a():\n    pass\n",
	}
}

func exposed() map[string]string {
	return map[string]string{
		".gitignore": "build/\n", "go.mod": "module example.org/proj\n\ngo 1.99\n\ntoolchain go1.99.1\n",
		".env": "KEY=1\n", "blob": "x\x00\n", "server.pem": "k\n", "id_rsa": "x\n", "d1/.env": "s1\n", "d2/.env": "s2\n", "a.txt": "s1\n",
		"f": "x\n", "list": "x\n", "cfg/secretd/.env": "s\n", "k/1.md": "x\n", "k/2.md": "x\n", "v/n/env": "",
		"f1/x y.txt": "x\n", "y.txt": "what a name cut at its blank leads to\n", "f2/x": "x\n", "f3/x aink.go": "x\n", "nested/key.pem": "k\n", "src/a.ts": "x\n",
	}
}
