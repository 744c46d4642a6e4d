package e2e

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/binary"
	"policyd/test/postgres"
)

const readmeProgram = "go run ./cmd/policyd"

// shownDatabase is the database that pages name.
const shownDatabase = "postgres://policyd:secret@db.example.org/policyd"

// shownAddress matches the addresses that pages name for servers; exampleRun a
// program of docs/examples.
var (
	shownAddress = regexp.MustCompile(`127\.0\.0\.1:748\d`)
	exampleRun   = regexp.MustCompile(`go run \./(docs/examples/\w+)`)
)

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// TestPagesRun runs every example of these pages in an ordinary project, and
// compares what they show with what comes out.
func TestPagesRun(t *testing.T) {
	for _, page := range []string{
		"README.md",
		"docs/agent-guidance.md",
		"docs/clients.md",
		"docs/coordinator.md",
		"docs/decision-log.md",
		"docs/explain.md",
		"docs/gates.md",
		"docs/install.md",
		"docs/namespaces.md",
		"docs/operations.md",
		"docs/sessions.md",
		"docs/shared-store.md",
	} {
		t.Run(page, func(t *testing.T) {
			assert.True(t, runPage(t, "../../"+page).served, "the page starts the server")
		})
	}
	t.Run("docs/operators.md", func(t *testing.T) { runPage(t, "../../docs/operators.md") })
}

func runPage(t *testing.T, page string) *readme {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	blocks := fence.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, blocks)
	r := newReadme(t)
	example, out := "", ""
	for _, block := range blocks {
		switch language, content := block[1], block[2]; language {
		case "sh":
			example, out = content, r.run(t, content)
		case "text":
			if want := strings.TrimSpace(content); strings.Contains(example, " list --state-dir") {
				// Another sidecar learns of a change within a second.
				require.Eventually(t, func() bool { return strings.TrimSpace(out) == want || strings.TrimSpace(r.run(t, example)) == want },
					patience, 200*time.Millisecond, "%s", example)
			} else {
				assert.Equal(t, want, strings.TrimSpace(out))
			}
		case "json":
			assertHolds(t, content, out)
		case "jsonc": // a file, which TestOperatorsExamplesWork loads
		case "rego": // parts of rules, which nothing loads alone
		case "sql": // a database that the tests make by the same statements
		case "yaml": // settings, which TestDocumentedSettingsLoad reads
		default:
			assert.Failf(t, "an example that nobody runs", "language %q", language)
		}
	}
	return r
}

// readme runs examples in one place, with one home and one server.
type readme struct {
	dir string
	env []string
	// exports are lines that later examples of the page need, too.
	exports string
	// addresses are free ones that represent those that the page names.
	addresses map[string]string
	served    bool
}

func newReadme(t *testing.T) *readme {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("skipped: curl is not installed")
	}
	// Pages call policyd by its name, once it is installed. Its directory is one that
	// stays: temporary ones are elsewhere.
	installed := shortDir(t)
	require.NoError(t, os.Symlink(program, filepath.Join(installed, "policyd")))
	env := []string{"TMPDIR=" + shortDir(t)}
	for _, variable := range environment(shortDir(t)) {
		if path, is := strings.CutPrefix(variable, "PATH="); is {
			variable = "PATH=" + installed + string(os.PathListSeparator) + path
		}
		env = append(env, variable)
	}
	return &readme{dir: newTree(t).Project, env: env, addresses: map[string]string{}}
}

// address is a free address, the same one each time for what the page names.
func (r *readme) address(t *testing.T, shown string) string {
	t.Helper()
	if r.addresses[shown] == "" {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		require.NoError(t, err)
		r.addresses[shown] = listener.Addr().String()
		require.NoError(t, listener.Close())
	}
	return r.addresses[shown]
}

// run runs one example and returns what it printed; `make test` is what runs this, and
// `make install` would change this machine.
func (r *readme) run(t *testing.T, example string) string {
	t.Helper()
	if target, is := strings.CutPrefix(strings.TrimSpace(example), "make "); is && (target == "test" || target == "install") {
		makefile, err := os.ReadFile("../../Makefile")
		require.NoError(t, err)
		require.Contains(t, string(makefile), "\n"+target+":")
		return ""
	}
	if strings.TrimSpace(example) == "policyd serve" {
		example = readmeProgram + " serve"
	}
	script := strings.ReplaceAll(example, readmeProgram, program)
	script = shownAddress.ReplaceAllStringFunc(script, func(shown string) string { return r.address(t, shown) })
	if strings.Contains(script, shownDatabase) {
		script = strings.ReplaceAll(script, shownDatabase, "'"+postgres.Start(t).Fresh(t)+"'")
	}
	script = exampleRun.ReplaceAllStringFunc(script, func(shown string) string {
		return buildExample(t, exampleRun.FindStringSubmatch(shown)[1])
	})
	if strings.HasPrefix(script, program+" serve") {
		r.serve(t, script)
		return ""
	}
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

// buildExample builds a program that a page runs.
func buildExample(t *testing.T, path string) string {
	t.Helper()
	built, err := binary.Build(t.Context(), t.TempDir(), path)
	require.NoError(t, err)
	return built
}

// serve starts the server and leaves it running; one that the page gives no
// address has the first.
func (r *readme) serve(t *testing.T, line string) {
	t.Helper()
	command := exec.Command("bash", "-euc", r.exports+"exec "+line)
	command.Dir, command.Env = r.dir, slices.Concat(r.env, []string{"POLICYD_ADDR=" + r.address(t, "127.0.0.1:7483")})
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

// TestDocumentedFilesExist checks that no link of a page leads nowhere.
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
