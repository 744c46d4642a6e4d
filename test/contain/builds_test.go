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
	env  []string
	// check reports whether the tool works at all, offline.
	network string
}

var builds = []build{
	{
		name: "go", tool: "go", network: v1.NetworkNone,
		warm: []string{"go build ./...", "go test ./..."},
		runs: []string{"go vet ./...", "go build -o bin/app .", "go test -count=1 ./...", "gofmt -l ."},
		made: []string{"bin/app"}, env: []string{"GOPROXY=off", "GOFLAGS=-mod=mod"},
	},
	{
		name: "go", tool: "go", network: v1.NetworkLoopback,
		warm: []string{"go test ./..."},
		runs: []string{"go test -count=1 -run Server -tags server ./..."},
		env:  []string{"GOPROXY=off"},
	},
	{
		name: "npm", tool: "npm", network: v1.NetworkNone,
		runs: []string{"npm install --offline --no-audit --no-fund", "npm run build", "npm test"},
		made: []string{"dist/app.js", "package-lock.json"},
	},
	{
		name: "cargo", tool: "cargo", network: v1.NetworkNone,
		warm: []string{"cargo build --offline"},
		runs: []string{"cargo build --offline", "cargo test --offline"},
		made: []string{"target/debug/app"},
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
	p := newPerson(t)
	require.NoError(t, os.CopyFS(p.project, os.DirFS(filepath.Join("testdata", b.name))))
	for _, dir := range []string{".npm/_cacache", ".cargo/registry", "go/pkg/mod", ".cache"} {
		require.NoError(t, os.MkdirAll(p.home+"/"+dir, 0o755))
	}
	for name, from := range map[string]string{
		".cargo/bin": original("CARGO_HOME", ".cargo") + "/bin", ".rustup": original("RUSTUP_HOME", ".rustup"), ".pyenv": original("PYENV_ROOT", ".pyenv"),
		".cache/go-build": strings.TrimSpace((&launch{dir: p.project}).run(t, "go", "env", "GOCACHE").stdout),
	} {
		require.NoError(t, os.Symlink(from, p.home+"/"+name))
	}
	env := append([]string{
		"HOME=" + p.home, "CI=1", "RUSTUP_HOME=" + p.home + "/.rustup", "CARGO_HOME=" + p.home + "/.cargo", "PYENV_ROOT=" + p.home + "/.pyenv", "GOCACHE=", "GOMODCACHE=",
	}, b.env...)
	o := p.obligation(t, v1.ProfileProject)
	require.NoError(t, p.refused)
	o.Network = b.network
	plain, contained := &launch{dir: p.project, env: env, uid: os.Geteuid()}, &launch{dir: p.project, env: env, uid: os.Geteuid(), obligation: o}
	if got := plain.run(t, "bash", "-c", b.tool+" --version || "+b.tool+" version"); got.state.ExitCode() != 0 {
		t.Skipf("skipped: %s doesn't work here: %s", b.tool, got.stderr)
	}
	if b.name == "pytest" {
		python := pythonWithPytest(t)
		plain.env, contained.env = append(plain.env, "PYTHON="+python), append(contained.env, "PYTHON="+python)
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
		assert.FileExists(t, filepath.Join(p.project, file))
	}
	for _, left := range []string{".git", ".mcp.json", ".vscode"} {
		assert.NoDirExists(t, filepath.Join(p.project, left))
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
