// Package test holds what is true of the whole program: which package may know
// which, what the policy files may declare, and that the container works.
package test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// room is one row of the import table: who lives at path and below, and what it
// may import besides itself and the standard library.
type room struct {
	path string
	// own lists packages of this module; "/..." includes what lies below.
	own []string
	// modules lists path prefixes of other modules.
	modules []string
	reason  string
}

var rooms = []room{
	{
		path:   "api/v1",
		reason: "clients use the contract without linking an engine, so it knows the standard library alone",
	},
	{
		path:   "api",
		reason: "the contract knows nothing of who serves it",
	},
	{
		path:   "internal/credential",
		reason: "what a credential looks like is said once, for what git would print and for what records keep",
	},
	{
		path: "extract/shell/guard", modules: []string{"mvdan.cc/sh/v3"},
		reason: "whether a line can be trusted to the parser depends on its text alone, and not on what it does",
	},
	{
		path:   "extract/git/syntax",
		reason: "what git is told is read from its text alone, by whoever meets it: the shell's words and the repository's settings",
	},
	{
		path:   "extract/value",
		reason: "what a word can stand for is a matter of strings alone, whoever expands it and whoever looks at the disk",
	},
	{
		path:   "extract/windows",
		reason: "how PowerShell and cmd split a line follows from its text alone",
	},
	{
		path: "extract", own: []string{"api/v1", "extract/git/syntax", "extract/value", "extract/windows", "extract/shell/guard", "internal/credential"}, modules: []string{"mvdan.cc/sh/v3", "golang.org/x/mod", "golang.org/x/text", "golang.org/x/sys/unix", "github.com/goccy/go-json"},
		reason: "extraction says what a call is and never judges, so it knows neither engine nor store nor server; " +
			"Unicode's tables say when a disk takes two names for one, and the kernel's when a directory changes",
	},
	{
		path:   "policies",
		reason: "policy is data; its one Go file embeds it",
	},
	{
		path: "bundles", own: []string{"api/v1", "policies"},
		modules: []string{"github.com/open-policy-agent/opa", "github.com/fsnotify/fsnotify", "github.com/goccy/go-json"},
		reason:  "the engine judges the facts that it is given and doesn't know how they are made or who asks",
	},
	{
		path: "internal/gate", own: []string{"api/v1", "internal/shellquote", "internal/visible"}, modules: []string{"github.com/google/uuid"},
		reason: "the pipeline declares the interfaces that it needs, so every part of it can be replaced in a test",
	},
	{
		path: "internal/store", own: []string{"api/v1"},
		modules: []string{"modernc.org/sqlite", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3"},
		reason:  "what is remembered doesn't depend on how it is judged",
	},
	{
		path: "internal/visible", modules: []string{"golang.org/x/net/idna"},
		reason: "what a person sees is made the same way wherever a question is asked",
	},
	{
		path: "internal/render", own: []string{"api/v1", "internal/visible"},
		reason: "a question looks the same whoever sends it, so its forms are made of the contract alone",
	},
	{
		path: "internal/console", own: []string{"api/v1", "internal/events", "internal/render", "internal/shellquote", "internal/visible"},
		reason: "pages show what others keep; listeners, credentials and who decides are wired by cmd",
	},
	{
		path: "internal/signin", modules: []string{"github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"},
		reason: "who a person is follows from what a provider signed; what the person may do is said elsewhere",
	},
	{
		path: "internal/notify", own: []string{"api/v1", "internal/render"},
		reason: "who is told, and what they answer, follows from prompts alone; where prompts come from is wired by cmd",
	},
	{
		path: "internal/watch", own: []string{"api/v1", "internal/render", "internal/visible"},
		reason: "a view draws and reads keys; which terminal it is on and where prompts come from is wired by cmd",
	},
	{
		path: "internal/jsonmembers", modules: []string{"github.com/tailscale/hujson"},
		reason: "of two members with one name parsers disagree which counts, so each file of another program is checked for them",
	},
	{
		path:   "internal/shellquote",
		reason: "commands that a person or a shell runs are quoted the same way, whoever writes them",
	},
	{
		path: "internal/explain", own: []string{"api/v1", "internal/shellquote", "internal/visible"},
		reason: "a decision is put into words from what was decided, whoever decided it",
	},
	{
		path: "internal/sessions", own: []string{"api/v1", "internal/store", "internal/visible"},
		reason: "who may hold a grant is decided over what is stored; paths and policy reach it through the interface Scope",
	},
	{
		path: "internal/runs", own: []string{"api/v1", "internal/gate"},
		reason: "calls that wait to be run are kept in memory, and who runs them asks over HTTP",
	},
	{
		path: "internal/prompts", own: []string{"api/v1", "internal/store"},
		reason: "a question knows its answer and its store, and not what asked it",
	},
	{
		path: "internal/approvals", own: []string{"api/v1", "internal/store"},
		reason: "remembered answers are looked up, and judged elsewhere",
	},
	{
		path: "internal/terminals", own: []string{"api/v1"},
		reason: "whose a terminal is follows from decisions and reports; it is kept nowhere else",
	},
	{
		path:   "internal/events",
		reason: "what happens is told as JSON, whatever it is",
	},
	{
		path: "internal/toolapprovals", own: []string{"api/v1", "internal/approvals", "internal/strict"},
		reason: "a file of another program is read into requests, and what becomes of them is the server's to say",
	},
	{
		path: "internal/approvalbundle", own: []string{"api/v1"},
		reason: "a bundle is made of approvals and of rules, and whoever loads it checks it as any other",
	},
	{
		path: "internal/clientrules", own: []string{"api/v1", "internal/jsonmembers", "internal/shellquote"},
		modules: []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2", "go.starlark.net/syntax"},
		reason:  "rules of other programs are read into requests; what a command line is, and what becomes of the requests, others say",
	},
	{
		path: "internal/wire", own: []string{"api/v1"}, modules: []string{"github.com/goccy/go-json"},
		reason: "what is written for every call is made of the contract alone, as the JSON package makes it",
	},
	{
		path: "internal/record", own: []string{"api/v1", "internal/credential", "internal/wire"},
		modules: []string{"gopkg.in/natefinch/lumberjack.v2", "github.com/goccy/go-json"},
		reason:  "a record is written from the contract alone, so that it can be judged again elsewhere",
	},
	{
		path: "internal/clients", own: []string{"api/v1", "internal/clients/reply", "internal/strict", "internal/visible"},
		reason: "an adapter turns one client's JSON into the contract and back, and decides nothing; what it reads is read as " +
			"strictly as any request, and what it tells a model is made visible as it is for a person",
	},
	{
		path: "internal/config", own: []string{"api/v1"}, modules: []string{"go.yaml.in/yaml", "github.com/knadh/koanf"},
		reason: "settings are read before anything but the contract exists",
	},
	{
		path: "internal/strict", own: []string{"api/v1"}, modules: []string{"github.com/go-json-experiment/json"},
		reason: "request decoding is used by server and command line alike and knows the contract alone",
	},
	{
		path: "internal/schema", own: []string{"api/v1"}, modules: []string{"github.com/invopop/jsonschema"},
		reason: "schemas are generated from the contract's types and from nothing else",
	},
	{
		path: "internal/writers", own: []string{"api/v1"},
		reason: "what is written for every call is generated from the contract's types and from nothing else",
	},
	{
		path:   "internal/structs",
		reason: "it reads the source of structs and links none of them, so that it writes their methods also while these don't fit",
	},
	{
		path: "internal/server", own: []string{
			"api", "api/v1", "internal/gate", "internal/clients", "internal/clients/reply", "internal/events", "internal/quota", "internal/render", "internal/secretfile", "internal/shellquote",
			"internal/strict", "internal/wire",
		},
		modules: []string{"github.com/labstack/echo/v4", "github.com/goccy/go-json", "github.com/google/uuid", "golang.org/x/sys"},
		reason:  "the server hands calls to the gate; extraction, engine and store reach it through cmd alone",
	},
	{
		path:   "internal/secretfile",
		reason: "tokens and keys are read one way, whoever needs them",
	},
	{
		path: "internal/certificates", own: []string{"internal/secretfile"},
		reason: "a certificate is served without knowing what",
	},
	{
		path: "internal/quota", modules: []string{"golang.org/x/time"},
		reason: "who may ask how much is counted by names alone",
	},
	{
		path: "internal/metrics", own: []string{"api/v1"}, modules: []string{"github.com/prometheus"},
		reason: "what is counted is told to it; where it comes from is wired by cmd",
	},
	{
		path: "internal/tracing", own: []string{"api/v1", "internal/gate", "internal/metrics"},
		modules: []string{"go.opentelemetry.io", "github.com/prometheus/client_golang"},
		reason:  "the one room that knows OpenTelemetry, so that nothing else pays for it",
	},
	{
		path:   "internal/cgroup",
		reason: "a limit is read from files of the kernel",
	},
	{
		path:   "internal/clients/reply",
		reason: "the hook program answers for a sidecar that is away, and starts with every tool call",
	},
	{
		path:   "internal/pdp",
		reason: "hook, gates and tools ask the sidecar; a hook starts with every tool call, so it links the standard library alone",
	},
	{
		path: "internal/pep", own: []string{"api/v1", "internal/pdp"},
		reason: "what gates and tools ask is the contract, and how they reach the sidecar is the transport's",
	},
	{
		path:   "internal/stdio",
		reason: "lines and programs are passed on without knowing what they say",
	},
	{
		path: "internal/jsonrpc", modules: []string{"github.com/go-json-experiment/json"},
		reason: "a message is read in one way, by a decoder that refuses what others would guess",
	},
	{
		path: "internal/gates", own: []string{"api/v1", "internal/jsonrpc", "internal/pdp", "internal/pep", "internal/stdio", "internal/strict"},
		modules: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/coder/acp-go-sdk"},
		reason:  "a gate decides nothing: it asks the sidecar and passes messages on",
	},
	{
		path: "internal/hinttools", own: []string{"api/v1", "internal/clients/reply", "internal/pep"}, modules: []string{"github.com/modelcontextprotocol/go-sdk"},
		reason: "the tools ask the sidecar for the agent; what they may be given is decided there",
	},
	{
		path: "internal/hook", own: []string{"internal/clients/reply", "internal/pdp"},
		reason: "it starts with every tool call: it asks and prints, and judges nothing",
	},
	{
		path: "internal/install", own: []string{"internal/clients/reply", "internal/hook", "internal/jsonmembers", "internal/shellquote"},
		modules: []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2", "github.com/rogpeppe/go-internal/diff"},
		reason:  "it edits settings of other programs in place, comments and all; who decides is not its business",
	},
	{
		path: "internal/contain", own: []string{"api/v1"},
		modules: []string{"github.com/landlock-lsm/go-landlock/landlock/syscall", "golang.org/x/sys/unix", "golang.org/x/net/bpf"},
		reason:  "an obligation is enforced by the kernel alone: who decided it, and who asked, isn't known here",
	},
	{
		path: "internal/run", own: []string{"api/v1", "internal/contain", "internal/pdp"},
		reason: "it starts with every contained call: it claims, contains and runs, and judges nothing",
	},
	{
		path: "cmd/policyd-hook", own: []string{"internal/clients/reply", "internal/pdp", "internal/hook", "internal/contain", "internal/run"},
		reason: "it starts with every tool call: no engine, no server, no parser is linked",
	},
	{
		path: "docs/examples", own: []string{"api/v1", "internal/pdp"},
		reason: "an example does what a host can do: it knows the contract and asks over the wire",
	},
	{
		path: "internal/sidecar", own: []string{
			"api/v1", "bundles", "extract", "extract/shell", "internal/approvals", "internal/config", "internal/contain", "internal/events", "internal/explain",
			"internal/clients", "internal/gate", "internal/metrics", "internal/prompts", "internal/record", "internal/runs", "internal/server", "internal/sessions",
			"internal/store", "internal/terminals", "internal/tracing", "policies",
		},
		modules: []string{"github.com/google/uuid"},
		reason:  "it assembles the parts, which don't know one another; the command line, the console and listeners stay in cmd",
	},
	{path: "cmd/policyd", own: []string{"..."}, modules: []string{""}, reason: "wires everything"},
	{path: "test", own: []string{"..."}, modules: []string{""}, reason: "tests the whole"},
}

// strangers never meet, in tests neither: a test that needs two of them belongs
// to test/ or cmd/.
var strangers = []string{"extract", "bundles", "internal/server", "internal/store"}

const module = "policyd/"

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestImportsKeepToTheTable(t *testing.T) {
	packages := listPackages(t)
	require.NotEmpty(t, packages)
	for _, pkg := range packages {
		path := strings.TrimPrefix(pkg.ImportPath, module)
		home, found := roomOf(path)
		if !assert.Truef(t, found, "%s is in no room: add it to the table of rooms in test/arch_test.go, with a reason", path) {
			continue
		}
		for _, imported := range pkg.Imports {
			assert.Truef(t, home.mayImport(imported), "%s imports %s, but %s", path, imported, home.reason)
		}
	}
}

func TestStrangersNeverMeet(t *testing.T) {
	for _, pkg := range listPackages(t) {
		home, _ := roomOf(strings.TrimPrefix(pkg.ImportPath, module))
		if !slices.Contains(strangers, home.path) {
			continue
		}
		for _, imported := range slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports) {
			other, found := roomOf(strings.TrimPrefix(imported, module))
			if !strings.HasPrefix(imported, module) || !found || other.path == home.path {
				continue
			}
			assert.NotContainsf(t, strangers, other.path,
				"%s imports %s: %s never import one another, so that each can be tested and replaced alone",
				pkg.ImportPath, imported, strings.Join(strangers, ", "))
		}
	}
}

func TestTheTableIsSharp(t *testing.T) {
	for _, wrong := range []struct{ path, imported string }{
		{"api/v1", "github.com/goccy/go-json"},
		{"extract/shell", "policyd/bundles"},
		{"extract/shell/guard", "policyd/extract/shell"},
		{"extract/git/syntax", "policyd/extract/git"},
		{"extract/value", "policyd/extract/shell"},
		{"bundles", "policyd/extract"},
		{"internal/gate", "policyd/bundles"},
		{"api", "policyd/internal/server"},
		{"internal/server", "policyd/extract"},
		{"policies", "policyd/api/v1"},
	} {
		home, found := roomOf(wrong.path)
		require.True(t, found, wrong.path)
		assert.Falsef(t, home.mayImport(wrong.imported), "%s may import %s", wrong.path, wrong.imported)
	}
}

func TestTopLevelHoldsTheRoomsOnly(t *testing.T) {
	known := []string{
		".ci", ".editorconfig", ".git", ".gitignore", ".dockerignore", ".golangci.yml", ".regal", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "LICENSE",
		"Makefile", "README.md", "SECURITY.md", "api", "bin", "bundles", "cmd", "deploy", "docs", "extract", "go.mod", "go.sum",
		"internal", "policies", "test",
	}
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	for _, entry := range entries {
		assert.Containsf(t, known, entry.Name(), "%s has no place in the layout of the repository", entry.Name())
	}
}

// roomOf finds the longest room that path lies in.
func roomOf(path string) (room, bool) {
	var best room
	found := false
	for _, candidate := range rooms {
		if (path == candidate.path || strings.HasPrefix(path, candidate.path+"/")) && len(candidate.path) >= len(best.path) {
			best, found = candidate, true
		}
	}
	return best, found
}

func (r room) mayImport(imported string) bool {
	if own, isOwn := strings.CutPrefix(imported, module); isOwn {
		home, _ := roomOf(own)
		return home.path == r.path || slices.Contains(r.own, own) || slices.Contains(r.own, "...")
	}
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(r.modules, func(prefix string) bool {
		return prefix == "" || imported == prefix || strings.HasPrefix(imported, prefix+"/")
	})
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = repository(t)
	out, err := cmd.Output()
	require.NoError(t, err)
	var packages []listed
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var pkg listed
		err := decoder.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, pkg)
	}
}

// repository is the root of the checkout.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	return root
}
