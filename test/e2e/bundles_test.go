package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

const (
	bundleToken = "tr0ub4dor-and-three"
	readyURL    = "/readyz?verbose"
)

// shelf is a service that offers what is in a directory to those who have the token.
type shelf struct {
	*httptest.Server
	dir string
	mu  sync.Mutex
	// refused is true after a request without the token.
	refused bool
}

func newShelf(t *testing.T, dir string) *shelf {
	t.Helper()
	s := &shelf{dir: dir}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+bundleToken {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.refused = true
		http.Error(w, "who are you", http.StatusUnauthorized)
		return
	}
	http.FileServer(http.Dir(s.dir)).ServeHTTP(w, r)
}

// TestTheBundlesPageRuns does what the page shows, and serves the bundle that comes out
// of it by the settings that it shows.
func TestTheBundlesPageRuns(t *testing.T) {
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("skipped: openssl is not installed")
	}
	text, err := os.ReadFile("../../docs/bundles.md")
	require.NoError(t, err)
	dir := t.TempDir()
	env := append(environment(t.TempDir()), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	out, settings, ran := "", "", 0
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		switch language, content := block[1], block[2]; language {
		case "sh":
			command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", content)
			command.Dir, command.Env = dir, env
			var problems output
			command.Stderr = &problems
			said, err := command.Output()
			require.NoErrorf(t, err, "%s\n%s%s", content, said, &problems)
			out = string(said)
			ran++
		case "text":
			assert.Equal(t, content, out)
		case "json":
			assertHolds(t, content, out)
		case "yaml":
			settings = content
		}
	}
	require.Equal(t, 6, ran)
	serveThePage(t, dir, settings)
}

// serveThePage starts a server with the settings of the page.
func serveThePage(t *testing.T, dir, settings string) {
	t.Helper()
	tree := newTree(t)
	offered := t.TempDir()
	service := newShelf(t, offered)
	require.Contains(t, settings, "https://bundles.example.com")
	put(t, dir, "policyd.yaml", strings.ReplaceAll(settings, "https://bundles.example.com", service.URL))
	key, err := os.ReadFile(filepath.Join(dir, "public.pem"))
	require.NoError(t, err)
	t.Setenv("BUNDLE_TOKEN", bundleToken)
	t.Setenv("BUNDLE_KEY", string(key))
	s := startServer(t, "--config", filepath.Join(dir, "policyd.yaml"))
	fetch := v1.Call{
		Tool: "WebFetch", Args: json.RawMessage(`{"url":"https://example.org/","prompt":"read"}`), Session: session(tree, "claude-code"),
	}
	body, err := json.Marshal(fetch)
	require.NoError(t, err)
	_, _, waiting := s.post(t, "/v1/decide", string(body))
	assertHolds(t, `{"decision": "deny", "reasons": [{"code": "policy_not_ready", "effect": "deny"}]}`, string(waiting))

	copyFile(t, filepath.Join(dir, "team.tar.gz"), filepath.Join(offered, "team.tar.gz"))
	eventually(t, "the bundle is in force", func() bool { return strings.Contains(s.ready(t), "revision team-1, confirmed at ") })
	require.Equal(t, "site/team", s.decide(t, fetch).Reasons[0].Rule)
	revision := s.decide(t, fetch).Policy.Revision
	require.Contains(t, revision, "+team-1")

	// An unsigned one is refused, and what was active stays.
	repack := exec.CommandContext(t.Context(), program, "bundle", "build", "team", "--revision", "unsigned", "--output", filepath.Join(offered, "team.tar.gz"))
	repack.Dir, repack.Env = dir, environment(s.home)
	said, err := repack.CombinedOutput()
	require.NoErrorf(t, err, "%s", said)
	eventually(t, "the unsigned bundle is refused", func() bool {
		return strings.Contains(s.ready(t), "bundle missing .signatures.json file") &&
			strings.Contains(s.stderr.String(), "bundle missing .signatures.json file")
	})
	require.Equal(t, revision, s.decide(t, fetch).Policy.Revision)

	// Without the service the stored bundle decides from the start on, and that is reported.
	service.Close()
	s = s.restart(t)
	require.Equal(t, revision, s.decide(t, fetch).Policy.Revision)
	eventually(t, "the outage is said", func() bool { return strings.Contains(s.ready(t), "connection refused") })
	require.Contains(t, s.ready(t), "kept by an earlier start")
	assert.NotContains(t, s.ready(t)+s.stderr.String(), bundleToken)
	assert.False(t, service.refused)
}

// ready is what the server says of itself.
func (s *server) ready(t *testing.T) string {
	t.Helper()
	response, err := http.Get(s.url + readyURL)
	require.NoError(t, err)
	defer response.Body.Close()
	var body strings.Builder
	_, err = io.Copy(&body, response.Body)
	require.NoError(t, err)
	return body.String()
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to+".new", content, 0o600))
	require.NoError(t, os.Rename(to+".new", to))
}

// TestTheExamplesDecide checks each bundle of bundles/examples to the bars of the built-in policy, and shows
// what it changes.
func TestTheExamplesDecide(t *testing.T) {
	engines := []string{program}
	if !testing.Short() {
		engines = append(engines, stockOPA(t))
	}
	found, err := filepath.Glob("../../bundles/examples/*")
	require.NoError(t, err)
	tree, servers := newTree(t), map[string]*server{}
	for _, example := range found {
		servers[filepath.Base(example)] = startServer(t, "--bundle", example)
	}
	decided := map[string]bool{}
	for _, test := range []struct{ example, audience, line, effect, rule string }{
		{"team", "team", "go test ./... 2>&1 | tail -5", "allow", "site/team/commands"},
		{"team", "public", "go test ./...", "prompt", "approvals/required"},
		{"team", "team", "go test -exec ./run ./...", "prompt", "approvals/required"},
		{"no_force_push", "personal", "git push --force origin main", "deny", "site/no_force_push/protected"},
		{"no_force_push", "personal", "git push origin +main", "deny", "site/no_force_push/protected"},
		{"no_force_push", "personal", "git push origin :refs/heads/main", "deny", "site/no_force_push/protected"},
		{"no_force_push", "personal", "git push -f", "deny", "site/no_force_push/protected"},
		{"no_force_push", "personal", "git push -f origin HEAD", "deny", "site/no_force_push/protected"},
		{"no_force_push", "personal", "git -c push.default=upstream push -f origin feature", "deny", "site/no_force_push/protected"},
		{"no_force_push", "personal", "GIT_CONFIG_GLOBAL=/x git push -f origin feature", "deny", "site/no_force_push/protected"},
		{"no_force_push", "personal", "git push --no-such-option origin feature", "deny", "site/no_force_push/unknown"},
		{"no_force_push", "personal", "git push -f origin feature", "prompt", "site/no_force_push/elsewhere"},
		{"no_force_push", "personal", "git push origin feature:main", "prompt", "approvals/required"},
		{"no_force_push", "personal", "git status --short", "allow", "safe_verbs/read"},
		{"public_strict", "public", "ls", "deny", "site/public_strict/tool"},
		{"public_strict", "personal", "ls", "allow", "safe_verbs/read"},
	} {
		t.Run(test.example+" "+test.line, func(t *testing.T) {
			decided[filepath.Join("../../bundles/examples", test.example)] = true
			got := servers[test.example].decideFor(t, tree, test.audience, test.line)
			assert.Equal(t, test.effect, got.Effect.String())
			assert.Equal(t, test.rule, got.Reasons[0].Rule)
		})
	}
	for _, example := range found {
		assert.Truef(t, decided[example], "nothing shows what %s changes", example)
	}
	for _, engine := range engines {
		holdToTheBars(t, engine, found)
	}
}

// decideFor decides a command line for an audience.
func (s *server) decideFor(t *testing.T, tree project.Tree, audience, line string) v1.Decision {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": line})
	require.NoError(t, err)
	call := v1.Call{Tool: "Bash", Args: args, Cwd: tree.Project, Session: session(tree, "claude-code")}
	call.Session.ID, call.Session.Audience = audience, v1.Audience(audience)
	return s.decide(t, call)
}

// holdToTheBars runs an engine's own commands over the built-in policy and the examples.
func holdToTheBars(t *testing.T, engine string, examples []string) {
	t.Helper()
	// Each is a root of its own: below a common one their data would be elsewhere.
	all := append([]string{"../../policies"}, examples...)
	run := func(arguments ...string) []byte {
		arguments = append(arguments, all...)
		command := exec.CommandContext(t.Context(), engine, arguments...)
		command.Env = environment(t.TempDir())
		var problems output
		command.Stderr = &problems
		out, err := command.Output()
		require.NoErrorf(t, err, "%s %s\n%s%s", engine, strings.Join(arguments, " "), out, &problems)
		return out
	}
	run("fmt", "--diff", "--fail")
	run("check", "--strict", "--schema", "../../policies/schemas")
	var report struct {
		Files map[string]struct {
			Coverage float64 `json:"coverage"`
		} `json:"files"`
	}
	// A test is stopped after 5 s otherwise, which a busy machine takes. One that fails ends the run with it.
	require.NoError(t, json.Unmarshal(run("test", "--timeout", "10m", "--coverage", "--threshold", "95", "--fail-on-empty"), &report))
	covered := 0
	for name, file := range report.Files {
		if strings.Contains(name, "/site/") {
			covered++
			assert.GreaterOrEqualf(t, file.Coverage, 95.0, "coverage of %s", name)
		}
	}
	assert.GreaterOrEqual(t, covered, len(examples))
}

// stockOPA is OPA's own program, of the version that decides here.
func stockOPA(t *testing.T) string {
	t.Helper()
	opa := filepath.Join(t.TempDir(), "opa")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", opa, "github.com/open-policy-agent/opa")
	out, err := build.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return opa
}

// TestThePoliciesPageRuns does in a copy of the policies what their page shows.
func TestThePoliciesPageRuns(t *testing.T) {
	text, err := os.ReadFile("../../policies/README.md")
	require.NoError(t, err)
	tree := newTree(t)
	policies := filepath.Join(t.TempDir(), "policies")
	require.NoError(t, os.CopyFS(policies, os.DirFS("../../policies")))
	out, ran := "", 0
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		switch language, content := block[1], block[2]; language {
		case "sh":
			command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", content)
			command.Dir = policies
			command.Env = append(environment(tree.Home), "PROJECT="+tree.Project, "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
			var problems output
			command.Stderr = &problems
			said, err := command.Output()
			require.NoErrorf(t, err, "%s\n%s%s", content, said, &problems)
			out = string(said)
			ran++
		case "text":
			assert.Equal(t, content, out)
		default:
			assert.Failf(t, "an example that nobody runs", "language %q", language)
		}
	}
	require.Equal(t, 4, ran)
}
