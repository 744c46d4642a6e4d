//go:build linux && (amd64 || arm64)

package contain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// build is a small project of testdata, with the commands that people run in it.
type build struct {
	name string
	// tool is what must be installed. warm fills the caches, uncontained.
	tool       string
	warm, runs []string
	// made must be there afterwards.
	made []string
	// caches are directories below the test's home directory.
	caches []string
	env    []string
	// check reports whether the tool works at all, offline.
	network string
}

var builds = []build{
	{
		name: "go", tool: "go", network: v1.NetworkNone,
		warm: []string{"go build ./...", "go test ./..."},
		runs: []string{"go vet ./...", "go build -o bin/app .", "go test -count=1 ./...", "gofmt -l ."},
		made: []string{"bin/app"}, caches: []string{"go"}, env: []string{"GOPROXY=off", "GOFLAGS=-mod=mod"},
	},
	{
		name: "go", tool: "go", network: v1.NetworkLoopback,
		warm:   []string{"go test ./..."},
		runs:   []string{"go test -count=1 -run Server -tags server ./..."},
		caches: []string{"go"}, env: []string{"GOPROXY=off"},
	},
	{
		name: "npm", tool: "npm", network: v1.NetworkNone,
		runs: []string{"npm install --offline --no-audit --no-fund", "npm run build", "npm test"},
		made: []string{"dist/app.js", "package-lock.json"}, caches: []string{".npm"},
	},
	{
		name: "cargo", tool: "cargo", network: v1.NetworkNone,
		warm: []string{"cargo build --offline"},
		runs: []string{"cargo build --offline", "cargo test --offline"},
		made: []string{"target/debug/app"}, caches: []string{".cargo"},
	},
	{
		name: "pytest", tool: "python3", network: v1.NetworkNone,
		runs: []string{"$PYTHON -m pytest -q", "$PYTHON -m compileall -q ."},
	},
}

// TestRealBuilds builds and tests projects contained and offline.
func TestRealBuilds(t *testing.T) {
	need(t, v1.ProfileProject)
	for i := range builds {
		b := &builds[i]
		t.Run(b.name+"/"+b.network, func(t *testing.T) {
			t.Parallel()
			b.run(t)
		})
	}
}

func (b *build) run(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(b.tool); err != nil {
		t.Skipf("skipped: %s is not installed", b.tool)
	}
	project, home := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(project, os.DirFS(filepath.Join("testdata", b.name))))
	o := &v1.Obligation{
		Kind: v1.ObligationContain, Profile: v1.ProfileProject, Read: []string{"/"}, Write: []string{project},
		Protect: []string{project + "/.git", project + "/.mcp.json", project + "/.vscode"}, Links: []string{project + "/.git"}, Network: b.network,
	}
	env := append([]string{"HOME=" + home, "CI=1", "RUSTUP_HOME=" + original("RUSTUP_HOME", ".rustup"), "GOCACHE=", "GOMODCACHE="}, b.env...)
	for _, cache := range b.caches {
		require.NoError(t, os.MkdirAll(filepath.Join(home, cache), 0o755))
		o.Write = append(o.Write, filepath.Join(home, cache))
	}
	plain, contained := &launch{dir: project, env: env, uid: os.Geteuid()}, &launch{dir: project, env: env, uid: os.Geteuid(), obligation: o}
	if got := plain.run(t, "bash", "-c", b.tool+" --version || "+b.tool+" version"); got.state.ExitCode() != 0 {
		t.Skipf("skipped: %s doesn't work here: %s", b.tool, got.stderr)
	}
	if b.name == "pytest" {
		python := pythonWithPytest(t)
		plain.env, contained.env = append(plain.env, "PYTHON="+python), append(contained.env, "PYTHON="+python)
	}
	if b.name == "go" { // the person's own cache of builds, as a policy would name it
		cache := strings.TrimSpace((&launch{dir: project}).run(t, "go", "env", "GOCACHE").stdout)
		o.Write = append(o.Write, cache)
		plain.env, contained.env = append(plain.env, "GOCACHE="+cache), append(contained.env, "GOCACHE="+cache)
	}
	for _, line := range b.warm {
		got := plain.run(t, "bash", "-c", line)
		require.Equal(t, 0, got.state.ExitCode(), "%s, uncontained: %s%s", line, got.stdout, got.stderr)
	}
	for _, line := range b.runs {
		got := contained.run(t, "bash", "-c", line)
		require.Equal(t, 0, got.state.ExitCode(), "%s: %s%s", line, got.stdout, got.stderr)
		assert.Empty(t, got.result.Refused, line)
	}
	for _, file := range b.made {
		assert.FileExists(t, filepath.Join(project, file))
	}
	for _, left := range []string{".git", ".mcp.json", ".vscode"} {
		assert.NoDirExists(t, filepath.Join(project, left))
	}
}

func pythonWithPytest(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import pytest").Run() == nil {
			return python
		}
	}
	t.Skip("skipped: pytest is not installed")
	return ""
}

// original is a directory of the person who tests, for toolchains that are there.
func original(variable, below string) string {
	if set := os.Getenv(variable); set != "" {
		return set
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(home, "/") + "/" + below
}
