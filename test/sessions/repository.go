package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// largestFile bounds the files of a placeholder: what is larger matters to nobody.
const largestFile = 64 << 10

// build makes the placeholder repository of every session. Sessions of Windows have
// none: their disk is not visible to a sidecar that runs elsewhere.
func build(ctx context.Context, dir, home string, sessions []Session) error {
	built := map[string]bool{}
	for i := range sessions {
		s := &sessions[i]
		if built[s.Root] || s.windows() {
			continue
		}
		built[s.Root] = true
		root := here(s.Root, home)
		if err := files(filepath.Join(dir, s.Tree), root); err != nil {
			return err
		}
		if err := commit(ctx, root, home, s.Repository); err != nil {
			return err
		}
	}
	return nil
}

// scratch makes the scratch directory that Claude Code has for a session's project, and returns
// what takes it away again: one for a placeholder's project is of no use to anybody.
func scratch(s *Session, home string) (func() error, error) {
	if s.Client != "claude-code" || s.windows() {
		return func() error { return nil }, nil
	}
	dir := filepath.Join(scratchOf(os.Getuid()), dashed(here(s.LaunchDir, home)))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make scratch directory: %w", err)
	}
	return func() error { return os.RemoveAll(dir) }, nil
}

// files writes the files that a tree file lists.
func files(list, root string) error {
	file, err := os.Open(list)
	if err != nil {
		return fmt.Errorf("open tree: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		fields := strings.SplitN(lines.Text(), " ", 3)
		if len(fields) != 3 || !filepath.IsLocal(fields[2]) {
			return fmt.Errorf("%s:%d: not a line of the form \"mode size path\"", list, number)
		}
		size, err := strconv.Atoi(fields[1])
		if err != nil {
			size = largestFile // "BAD": git could not tell
		}
		if err := placeholder(filepath.Join(root, fields[2]), fields[0], min(max(size, 0), largestFile)); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", list, err)
	}
	if err := placeholder(filepath.Join(root, ".gitignore"), "100644", 0); err != nil {
		return err
	}
	return nil
}

// placeholder writes one file. Of a symbolic link only the length of its target is recorded, so that an
// ordinary file is in its place.
func placeholder(path, mode string, size int) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	permissions := os.FileMode(0o644)
	if mode == "100755" {
		permissions = 0o755
	}
	content, known := manifests[filepath.Base(path)]
	if !known {
		content = string(bytes.Repeat([]byte("placeholder\n"), size/12+1)[:size])
	}
	if err := os.WriteFile(path, []byte(content), permissions); err != nil {
		return fmt.Errorf("write placeholder: %w", err)
	}
	return nil
}

// manifests are files whose content decides what tools do.
var manifests = map[string]string{
	".gitignore":     "node_modules/\ndist/\nbuild/\nbin/\ntarget/\n.venv/\n__pycache__/\n*.log\n.env\n",
	"go.mod":         "module example.org/placeholder\n\ngo 1.21\n",
	"go.sum":         "",
	"package.json":   `{"name": "placeholder", "version": "1.0.0", "scripts": {"build": "true", "test": "true", "lint": "true"}}` + "\n",
	"Makefile":       "build:\n\ttrue\n\ntest:\n\ttrue\n\nlint:\n\ttrue\n",
	"Cargo.toml":     "[package]\nname = \"placeholder\"\nversion = \"0.1.0\"\n",
	"pyproject.toml": "[project]\nname = \"placeholder\"\nversion = \"0.1.0\"\n",
	"tox.ini":        "[tox]\nenvlist = lint, unit\n",
	"tsconfig.json":  "{}\n",
	"Gemfile":        "source \"https://rubygems.org\"\n",
	".gitattributes": "",
	".gitmodules":    "",
}

// commit makes a repository of the files: one commit, branches main and dev, a remote.
func commit(ctx context.Context, root, home, name string) error {
	for _, arguments := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "-A", "-f"},
		{"commit", "-q", "-m", "Initial commit"},
		{"branch", "dev"},
		{"remote", "add", "origin", "https://git.example.org/team/" + name + ".git"},
	} {
		command := exec.CommandContext(ctx, "git", arguments...)
		command.Dir = root
		command.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=dev", "GIT_AUTHOR_EMAIL=dev@example.org",
			"GIT_COMMITTER_NAME=dev", "GIT_COMMITTER_EMAIL=dev@example.org",
		}
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s in %s: %w: %s", arguments[0], root, err, out)
		}
	}
	return nil
}
