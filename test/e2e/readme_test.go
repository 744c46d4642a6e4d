package e2e

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	readmeProgram = "go run ./cmd/policyd"
	readmeAddress = "127.0.0.1:7483"
)

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// TestPagesRun runs every example of these pages in an ordinary project, and
// compares what they show with what comes out.
func TestPagesRun(t *testing.T) {
	for _, page := range []string{"README.md", "docs/install.md", "docs/sessions.md"} {
		t.Run(page, func(t *testing.T) { runPage(t, "../../"+page) })
	}
}

func runPage(t *testing.T, page string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	blocks := fence.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, blocks)
	r := newReadme(t)
	out := ""
	for _, block := range blocks {
		switch language, content := block[1], block[2]; language {
		case "sh":
			out = r.run(t, content)
		case "text":
			assert.Equal(t, strings.TrimSpace(content), strings.TrimSpace(out))
		case "json":
			assertHolds(t, content, out)
		case "yaml": // settings, which TestDocumentedSettingsLoad reads
		default:
			assert.Failf(t, "an example that nobody runs", "language %q", language)
		}
	}
	assert.True(t, r.served, "the page starts the server")
}

// readme runs examples in one place, with one home and one server.
type readme struct {
	dir string
	env []string
	// exports are lines that later examples of the page need, too.
	exports string
	address string
	served  bool
}

func newReadme(t *testing.T) *readme {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("skipped: curl is not installed")
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	env := append(environment(shortDir(t)), "POLICYD_ADDR="+address)
	return &readme{dir: newTree(t).Project, env: env, address: address}
}

// run runs one example and returns what it printed. The server is started and
// left running; `make test` is what runs this.
func (r *readme) run(t *testing.T, example string) string {
	t.Helper()
	switch strings.TrimSpace(example) {
	case "make test":
		makefile, err := os.ReadFile("../../Makefile")
		require.NoError(t, err)
		require.Contains(t, string(makefile), "\ntest:")
		return ""
	case readmeProgram + " serve":
		r.serve(t)
		return ""
	}
	script := strings.NewReplacer(readmeProgram, program, readmeAddress, r.address).Replace(example)
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "export ") {
			r.exports += line
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", r.exports+script)
	cmd.Dir, cmd.Env = r.dir, r.env
	var problems output
	cmd.Stderr = &problems
	out, err := cmd.Output()
	require.NoErrorf(t, err, "%s\n%s%s", example, out, &problems)
	return string(out)
}

func (r *readme) serve(t *testing.T) {
	t.Helper()
	command := exec.Command(program, "serve")
	command.Dir, command.Env = r.dir, r.env
	launch(t, command)
	r.served = true
}

// assertHolds checks that all that want shows is in got.
func assertHolds(t *testing.T, want, got string) {
	t.Helper()
	var shown, answered any
	require.NoErrorf(t, json.Unmarshal([]byte(want), &shown), "%s", want)
	require.NoErrorf(t, json.Unmarshal([]byte(got), &answered), "%s", got)
	assert.Truef(t, holds(shown, answered), "%s\ndoes not hold\n%s", got, want)
}

func holds(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, isObject := got.(map[string]any)
		for key, value := range want {
			if !isObject || !holds(value, object[key]) {
				return false
			}
		}
		return isObject
	case []any:
		array, isArray := got.([]any)
		if !isArray || len(array) != len(want) {
			return false
		}
		for i := range want {
			if !holds(want[i], array[i]) {
				return false
			}
		}
		return true
	}
	return want == got
}

// TestDocumentedFilesExist holds that no link of a page leads nowhere.
func TestDocumentedFilesExist(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			assert.FileExistsf(t, filepath.Join(filepath.Dir(page), match[1]), "a link of %s", page)
		}
	}
}
