//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "policyd/api/v1"
	"policyd/test/decider"
	"policyd/test/project"
)

// Directories as the sessions name them.
const (
	homeDir    = "/home/dev"
	projectDir = homeDir + "/proj"
)

// world is a disk and the extractor that reads it.
type world struct {
	engine *decider.Decider
	// dir is where the disk is on that of the machine.
	dir string
}

// kind states which project a world holds.
type kind struct {
	// exposed adds tracked secrets and links that lead out.
	exposed bool
	// script builds the project instead, if set.
	script string
}

// newWorld builds a disk below dir. The caller closes the engine.
func newWorld(ctx context.Context, dir string, k kind) (*world, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("resolve directory: %w", err)
	}
	root := filepath.Join(dir, "root")
	if err := system(root); err != nil {
		return nil, err
	}
	tree, err := project.New(ctx, filepath.Join(root, "home"))
	if err != nil {
		return nil, fmt.Errorf("build project: %w", err)
	}
	if k.script != "" {
		command := exec.CommandContext(ctx, "bash", k.script, tree.Project)
		command.Env = append(project.Environment(tree), "LC_ALL=C")
		if output, err := command.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build project: %w: %s", err, output)
		}
	}
	if k.exposed {
		if err := project.Expose(ctx, tree); err != nil {
			return nil, fmt.Errorf("build project: %w", err)
		}
	}
	settings := filepath.Join(dir, "policyd.yaml")
	text := fmt.Sprintf("scope:\n  path_map:\n  - {agent: /, sidecar: %q}\n", root)
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		return nil, fmt.Errorf("write settings: %w", err)
	}
	made, err := decider.New(ctx, decider.Options{
		Home: tree.Home, Project: projectDir, Settings: settings, StateDir: filepath.Join(root, "state"),
	})
	if err != nil {
		return nil, fmt.Errorf("load extraction: %w", err)
	}
	return &world{engine: made, dir: dir}, nil
}

// system makes the directories that every system has.
func system(root string) error {
	var failures []error
	for _, dir := range []string{"home", "root", "tmp", "usr/bin", "usr/lib", "usr/share/doc", "usr/local/bin", "etc/ssh", "var/log", "dev", "proc", "opt", "srv"} {
		failures = append(failures, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for name, text := range map[string]string{
		"etc/passwd": "root:x:0:0::/root:/bin/sh\n", "etc/hosts": "127.0.0.1 localhost\n", "etc/os-release": "NAME=Debian\n",
		"etc/ssh/ssh_config": "Host *\n", "usr/bin/git": "", "usr/bin/ls": "", "var/log/syslog": "started\n", "usr/share/doc/README": "x\n",
	} {
		failures = append(failures, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	failures = append(failures, os.Symlink("usr/bin", filepath.Join(root, "bin")), os.Symlink("usr/lib", filepath.Join(root, "lib")))
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("build disk: %w", err)
	}
	return nil
}

// facts returns the facts of a call as JSON. Of the machine's disk they name policyd's own
// files alone.
func (w *world) facts(call *v1.Call) ([]byte, error) {
	facts := w.engine.Facts(call, nil)
	text, err := json.Marshal(&facts)
	if err != nil {
		return nil, fmt.Errorf("encode facts: %w", err)
	}
	return bytes.ReplaceAll(text, []byte(w.dir), []byte("/disk")), nil
}

// session is that of calls on the world's disk.
func session() v1.Session {
	return v1.Session{
		ID: "golden", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: projectDir,
		Interactive: new(true), Platform: "linux", Home: homeDir, Shell: "bash",
	}
}

// here puts the project's directory in the place of the one that a corpus names.
func here(text, named string) string {
	if named == "" {
		return text
	}
	return strings.ReplaceAll(text, named, projectDir)
}
