package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

const (
	// garbagePercent is how policyd sets the garbage collector for itself. Everything in Go that it is
	// measured beside is set so, too, except for OPA, which is left as it comes.
	garbagePercent = 400
	// line is the command line that is decided over and over: three commands, all of
	// them read. In form, %04d is the number of a file, so that no two calls in a row
	// are the same.
	line     = "cd src && git status && ls -la"
	lineForm = line + " f%04d.go"
	// variants has to be more than anything remembers between calls.
	variants = 8192
)

// bench is what suites share.
type bench struct {
	options
	dir  string
	tree project.Tree
	// programs are built once, by the arguments that they are built with.
	programs map[string]string
}

func newBench(ctx context.Context, o options) (*bench, error) {
	dir, err := os.MkdirTemp("", "pdbench")
	if err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	b := &bench{options: o, dir: dir, programs: map[string]string{}}
	if b.tree, err = project.New(ctx, dir); err != nil {
		return nil, err
	}
	for i := range variants {
		path := filepath.Join(b.tree.Project, "src", fmt.Sprintf("f%04d.go", i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return nil, fmt.Errorf("write file: %w", err)
		}
	}
	return b, nil
}

// build builds a program of the module in the working directory, as it is shipped.
func (b *bench) build(ctx context.Context, pkg string, flags ...string) (string, error) {
	return b.compile(ctx, pkg, append([]string{"build"}, flags...)...)
}

// buildTests builds a package's benchmarks.
func (b *bench) buildTests(ctx context.Context, pkg string) (string, error) {
	return b.compile(ctx, pkg, "test", "-c")
}

// compile runs go, unless it has built the same before.
func (b *bench) compile(ctx context.Context, pkg string, arguments ...string) (string, error) {
	key := strings.Join(append(arguments, pkg), " ")
	if built, done := b.programs[key]; done {
		return built, nil
	}
	built := filepath.Join(b.dir, fmt.Sprintf("%d-%s", len(b.programs), filepath.Base(pkg)))
	cmd := exec.CommandContext(ctx, "go", append(arguments, "-o", built, pkg)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", pkg, err, out)
	}
	b.programs[key] = built
	return built, nil
}

// call is a shell call of the session that everything is measured with.
func (b *bench) call(line string) ([]byte, error) {
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	body, err := json.Marshal(v1.Call{Tool: "Bash", Args: args, Cwd: b.tree.Project, Session: v1.Session{
		ID: "bench", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: b.tree.Project,
		Interactive: new(true), Platform: "linux", Home: b.tree.Home,
	}})
	if err != nil {
		return nil, fmt.Errorf("encode call: %w", err)
	}
	return body, nil
}

// calls are calls that differ in what the policy judges.
func (b *bench) calls() ([][]byte, error) {
	bodies := make([][]byte, variants)
	for i := range bodies {
		var err error
		if bodies[i], err = b.call(fmt.Sprintf(lineForm, i)); err != nil {
			return nil, err
		}
	}
	return bodies, nil
}
