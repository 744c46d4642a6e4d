// Package test checks the whole program: the imports between packages, the policy
// files, and the container.
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

// row is a row of the import table: the packages at path and below, and what they may import in addition
// to themselves and the standard library.
type row struct {
	path string
	// own lists packages of this module; "/..." includes what is below.
	own []string
	// modules lists path prefixes of other modules.
	modules []string
	reason  string
}

var importTable = []row{
	{
		path:   "api/v1",
		reason: "clients use the contract without linking an engine, so it knows the standard library alone",
	},
	{
		path:   "api",
		reason: "the contract doesn't depend on a server",
	},
	{
		path:   "internal/credential",
		reason: "one package detects credentials, for git's output and for records",
	},
	{
		path: "extract/shell/guard", own: []string{"extract/value"}, modules: []string{"mvdan.cc/sh/v3"},
		reason: "whether a line can be trusted to the parser depends on its text alone, and not on what it does",
	},
	{
		path:   "extract/shell/symbols",
		reason: "a symbol table doesn't depend on what its symbols stand for",
	},
	{
		path: "extract/shell/lexical", own: []string{"extract/shell/guard", "extract/value"},
		reason: "what a text of a line is quoted, matched or printed as follows from the text alone",
	},
	{
		path: "extract/shell/tree", own: []string{"extract/shell/guard", "extract/shell/lexical", "extract/value"}, modules: []string{"mvdan.cc/sh/v3"},
		reason: "what a word or a redirection of the source is follows from the syntax tree, and not from what the line did before",
	},
	{
		path: "extract/shell/stream", own: []string{"extract/argv/filter", "extract/shell/lexical", "extract/value"},
		reason: "which names a command prints is described without the line that it is in, and without a disk",
	},
	{
		path: "extract/shell/expansion",
		own: []string{
			"extract/argv", "extract/shell/guard", "extract/shell/lexical", "extract/shell/stream", "extract/shell/tree", "extract/value",
		}, modules: []string{"mvdan.cc/sh/v3"},
		reason: "what a word can be follows from what its parts expand to, and neither from the line's state nor from a disk",
	},
	{
		path: "extract/shell/command", own: []string{
			"api/v1", "extract/argv", "extract/shell/expansion", "extract/shell/lexical", "extract/shell/stream", "extract/value",
		},
		reason: "who judges a command depends on its description, and not on the interpreter that made it",
	},
	{
		path: "extract/shell/output", own: []string{
			"api/v1", "extract/argv", "extract/argv/filter", "extract/argv/script", "extract/git/syntax", "extract/shell/command", "extract/shell/expansion",
			"extract/shell/host", "extract/shell/lexical", "extract/shell/stream", "extract/shell/tree", "extract/value",
		}, modules: []string{"mvdan.cc/sh/v3"},
		reason: "what a command prints follows from its description, and not from the line that it is in",
	},
	{
		path: "extract/shell/effect", own: []string{
			"api/v1", "extract/argv", "extract/argv/find", "extract/argv/script", "extract/git/syntax", "extract/shell/command", "extract/shell/expansion",
			"extract/shell/guard", "extract/shell/lexical", "extract/shell/output", "extract/shell/stream", "extract/sql", "extract/value", "extract/windows",
		},
		reason: "what a command does with its words follows from the table, and is the same whatever interpreter expanded them",
	},
	{
		path: "extract/shell/host", own: []string{"extract/shell/lexical"},
		reason: "what an explanation asks about the disk is answered by its caller, and kept whatever it was asked for",
	},
	{
		path: "extract/shell/state", own: []string{
			"api/v1", "extract/shell/command", "extract/shell/expansion", "extract/shell/symbols", "extract/value",
		}, modules: []string{"mvdan.cc/sh/v3"},
		reason: "what is known at a point of a line is joined and compared without the walk that leads there",
	},
	{
		path: "extract/lists", own: []string{"api/v1", "extract/git/history", "extract/paths"},
		reason: "what facts are matched against follows from a policy's data, and not from a call",
	},
	{
		path:   "extract/arguments",
		reason: "arguments are split before anything is known of the tool that gets them",
	},
	{
		path: "extract/ownaddress", own: []string{"extract/shell/expansion"},
		reason: "whether a text names an address follows from its text alone, or from what a shell makes of it",
	},
	{
		path:   "extract/versions",
		reason: "what a file of versions chooses follows from its text alone",
	},
	{
		path: "extract/disk", own: []string{"api/v1", "extract/paths", "extract/stat", "extract/value", "extract/watched"},
		reason: "what lies on the disk doesn't depend on the call that asks: answers are values, and neither items nor facts",
	},
	{
		path: "extract/scope", own: []string{"api/v1", "extract/disk", "extract/git/history", "extract/git/object", "extract/git/trust", "extract/lists", "extract/paths", "extract/stat", "internal/credential"},
		reason: "whose a path is, and which lists it is on, depends on the session and the policy, and not on what a call does with it",
	},
	{
		path: "extract/obligation", own: []string{"api/v1", "extract/disk", "extract/git/history", "extract/git/object", "extract/git/trust", "extract/lists", "extract/paths", "extract/scope", "extract/stat"},
		reason: "what a contained run sees follows from the session and the policy, and not from what it runs",
	},
	{
		path: "extract/gitreach", own: []string{
			"api/v1", "extract/disk", "extract/git/history", "extract/git/object", "extract/git/syntax", "extract/git/trust", "extract/paths", "extract/scope", "extract/shell/command", "extract/value", "internal/credential",
		},
		reason: "what git prints follows from a command and a repository, and not from the line that the command is in",
	},
	{
		path: "extract/which", own: []string{"api/v1", "extract/disk", "extract/paths", "extract/scope", "extract/shell/command", "extract/stat", "extract/versions"},
		reason: "which program a command runs follows from its name and from the files beside it",
	},
	{
		path: "extract/producers", own: []string{"api/v1", "extract/disk", "extract/scope", "extract/versions"}, modules: []string{"golang.org/x/mod"},
		reason: "what a program prints of where things lie is known before its line is read",
	},
	{
		path: "extract/spelling", own: []string{"extract/paths"},
		reason: "what a text may name, if a program reads it otherwise than it stands, follows from the text alone",
	},
	{
		path: "extract/patch", own: []string{"api/v1"},
		reason: "what a patch changes follows from its text alone",
	},
	{
		path: "extract/catalog", own: []string{"api/v1", "extract/argv"},
		reason: "what a tool does with its arguments follows from its name, and not from who calls it or what lies on the disk; " +
			"an operator's entry that can't be used is reported as those of programs are",
	},
	{
		path:   "extract/git/syntax",
		reason: "what git is told is read from its text alone, by whoever meets it: the shell's words and the repository's settings",
	},
	{
		path: "extract/value", own: []string{"extract/git/syntax"},
		reason: "what a word can expand to depends on strings alone; whether git takes one for a hash is part of its syntax",
	},
	{
		path: "extract/git/object", own: []string{"extract/git/syntax", "extract/stat"},
		reason: "what a repository holds is read in one way, whether git may be run there or not",
	},
	{
		path: "extract/git/trust", own: []string{"extract/git/object", "extract/git/syntax", "extract/stat", "internal/credential"},
		reason: "whether a repository can make git run something follows from its settings and its layout, whatever it holds",
	},
	{
		path: "extract/git/history", own: []string{"extract/git/object", "extract/git/syntax", "extract/stat"},
		reason: "what commits hold follows from their ids; who asks has made sure that git may be run",
	},
	{
		path: "extract/argv/script", own: []string{"extract/sql", "extract/value"},
		reason: "what a program text can do follows from the text alone",
	},
	{
		path: "extract/argv/filter", own: []string{"api/v1", "extract/value"},
		reason: "what a filter leaves of lines follows from its arguments",
	},
	{
		path: "extract/argv/find", own: []string{"extract/argv", "extract/value"},
		reason: "which files come to an action of find follows from its expression alone",
	},
	{
		path: "extract/argv", own: []string{"api/v1", "extract/argv/script"}, modules: []string{"github.com/goccy/go-json"},
		reason: "what programs make of their arguments is described by data, and doesn't depend on the shell that starts them",
	},
	{
		path:   "extract/windows",
		reason: "how PowerShell and cmd split a line follows from its text alone",
	},
	{
		path: "extract", own: []string{
			"api/v1", "extract/arguments", "extract/argv", "extract/argv/filter", "extract/argv/find", "extract/argv/script", "extract/catalog", "extract/disk", "extract/git/history", "extract/git/object",
			"extract/git/syntax",
			"extract/git/trust", "extract/gitreach", "extract/lists",
			"extract/obligation", "extract/ownaddress", "extract/patch", "extract/producers", "extract/scope",
			"extract/shell/command", "extract/shell/effect", "extract/shell/expansion", "extract/shell/guard", "extract/shell/host", "extract/shell/lexical", "extract/shell/output",
			"extract/shell/state", "extract/shell/stream", "extract/shell/symbols", "extract/shell/tree", "extract/spelling",
			"extract/value", "extract/which", "extract/windows", "internal/credential",
		}, modules: []string{"mvdan.cc/sh/v3", "golang.org/x/mod", "golang.org/x/text", "golang.org/x/sys/unix", "github.com/goccy/go-json"},
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
		reason:  "the engine judges facts, independent of extraction and callers",
	},
	{
		path: "internal/gate", own: []string{"api/v1", "internal/shellquote", "internal/visible"}, modules: []string{"github.com/google/uuid"},
		reason: "the pipeline declares the interfaces that it needs, so every part of it can be replaced in a test",
	},
	{
		path: "internal/store", own: []string{"api/v1"},
		modules: []string{"modernc.org/sqlite", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3"},
		reason:  "stored answers don't depend on the policy",
	},
	{
		path: "internal/visible", modules: []string{"golang.org/x/net/idna"},
		reason: "all channels make text visible for a person in the same way",
	},
	{
		path: "internal/render", own: []string{"api/v1", "internal/visible"},
		reason: "a question has the same forms in all channels, so they depend on the contract alone",
	},
	{
		path: "internal/console", own: []string{"api/v1", "internal/events", "internal/render", "internal/shellquote", "internal/visible"},
		reason: "pages show the data of other packages; cmd wires listeners, credentials and the sidecar",
	},
	{
		path: "internal/signin", modules: []string{"github.com/coreos/go-oidc/v3", "golang.org/x/oauth2"},
		reason: "it verifies a person's identity by the provider's signature; other packages authorize the person",
	},
	{
		path: "internal/notify", own: []string{"api/v1", "internal/render"},
		reason: "notifications depend on prompts alone; cmd wires the source of prompts",
	},
	{
		path: "internal/watch", own: []string{"api/v1", "internal/render", "internal/visible"},
		reason: "a view draws and reads keys; cmd wires the terminal and the source of prompts",
	},
	{
		path: "internal/jsonmembers", modules: []string{"github.com/tailscale/hujson"},
		reason: "parsers disagree on duplicate members, so each file of another program is checked for them",
	},
	{
		path:   "internal/shellquote",
		reason: "all commands for a person or a shell are quoted in the same way",
	},
	{
		path: "internal/explain", own: []string{"api/v1", "internal/shellquote", "internal/visible"},
		reason: "an explanation depends on the decision alone, not on the part that decided",
	},
	{
		path: "internal/sessions", own: []string{"api/v1", "internal/store", "internal/visible"},
		reason: "grants depend on stored sessions; paths and policy come through the interface Scope",
	},
	{
		path: "internal/runs", own: []string{"api/v1", "internal/gate"},
		reason: "calls that wait to run are in memory, and the launcher claims them over HTTP",
	},
	{
		path: "internal/prompts", own: []string{"api/v1", "internal/store"},
		reason: "a question depends on its answer and its store, not on its caller",
	},
	{
		path: "internal/approvals", own: []string{"api/v1", "internal/store"},
		reason: "remembered answers are looked up here, and judged by the policy",
	},
	{
		path: "internal/terminals", own: []string{"api/v1"},
		reason: "the owner of a terminal follows from decisions and reports",
	},
	{
		path:   "internal/events",
		reason: "an event is JSON of any kind",
	},
	{
		path: "internal/toolapprovals", own: []string{"api/v1", "internal/approvals", "internal/strict"},
		reason: "a file of another program is parsed into requests, which the server handles",
	},
	{
		path: "internal/approvalbundle", own: []string{"api/v1"},
		reason: "it makes a bundle of approvals and rules; the engine checks it like any other",
	},
	{
		path: "internal/clientrules", own: []string{"api/v1", "internal/jsonmembers", "internal/shellquote"},
		modules: []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2", "go.starlark.net/syntax"},
		reason:  "rules of other programs are parsed into requests; other packages parse command lines and handle the requests",
	},
	{
		path: "internal/wire", own: []string{"api/v1"}, modules: []string{"github.com/goccy/go-json"},
		reason: "it writes the contract's types in the form of the JSON package",
	},
	{
		path: "internal/record", own: []string{"api/v1", "internal/credential", "internal/wire"},
		modules: []string{"gopkg.in/natefinch/lumberjack.v2", "github.com/go-json-experiment/json", "github.com/goccy/go-json"},
		reason:  "a record depends on the contract alone, so that another program can judge it again",
	},
	{
		path: "internal/clients", own: []string{"api/v1", "internal/clients/reply", "internal/strict", "internal/visible"},
		reason: "an adapter turns one client's JSON into the contract and back, and decides nothing; it parses as strictly as " +
			"the server, and makes its text for a model visible like text for a person",
	},
	{
		path: "internal/config", own: []string{"api/v1"}, modules: []string{"go.yaml.in/yaml", "github.com/knadh/koanf"},
		reason: "settings are read before any other part exists",
	},
	{
		path: "internal/strict", own: []string{"api/v1"}, modules: []string{"github.com/go-json-experiment/json"},
		reason: "server and command line share request decoding, which depends on the contract alone",
	},
	{
		path: "internal/schema", own: []string{"api/v1"}, modules: []string{"github.com/invopop/jsonschema"},
		reason: "schemas are generated from the contract's types and from nothing else",
	},
	{
		path: "internal/writers", own: []string{"api/v1"},
		reason: "the writers are generated from the contract's types and from nothing else",
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
		reason:  "the server passes calls to the gate; cmd wires extraction, engine and store",
	},
	{
		path:   "internal/secretfile",
		reason: "tokens and keys are read in one way for all packages",
	},
	{
		path: "internal/certificates", own: []string{"internal/secretfile"},
		reason: "a certificate is independent of the server",
	},
	{
		path: "internal/quota", modules: []string{"golang.org/x/time"},
		reason: "quotas depend on names alone",
	},
	{
		path: "internal/metrics", own: []string{"api/v1"}, modules: []string{"github.com/prometheus"},
		reason: "it counts what it is called with; cmd wires the sources",
	},
	{
		path: "internal/tracing", own: []string{"api/v1", "internal/gate", "internal/metrics"},
		modules: []string{"go.opentelemetry.io", "github.com/prometheus/client_golang"},
		reason:  "the one package that imports OpenTelemetry, so that nothing else pays for it",
	},
	{
		path:   "internal/cgroup",
		reason: "limits are in files of the kernel",
	},
	{
		path:   "internal/clients/reply",
		reason: "the hook program denies for an unreachable sidecar, and starts with every tool call",
	},
	{
		path:   "internal/pdp",
		reason: "hook, gates and tools ask the sidecar; a hook starts with every tool call, so it links the standard library alone",
	},
	{
		path: "internal/pep", own: []string{"api/v1", "internal/pdp"},
		reason: "requests of gates and tools are the contract's; the transport reaches the sidecar",
	},
	{
		path:   "internal/stdio",
		reason: "lines are relayed without being parsed",
	},
	{
		path: "internal/jsonrpc", modules: []string{"github.com/go-json-experiment/json"},
		reason: "a message is parsed in one way, by a decoder that refuses ambiguous input",
	},
	{
		path: "internal/gates", own: []string{"api/v1", "internal/jsonrpc", "internal/pdp", "internal/pep", "internal/stdio", "internal/strict"},
		modules: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/coder/acp-go-sdk"},
		reason:  "a gate decides nothing: it asks the sidecar and passes messages on",
	},
	{
		path: "internal/hinttools", own: []string{"api/v1", "internal/clients/reply", "internal/pep"}, modules: []string{"github.com/modelcontextprotocol/go-sdk"},
		reason: "the tools ask the sidecar for the agent; the sidecar decides",
	},
	{
		path: "internal/hook", own: []string{"internal/clients/reply", "internal/pdp"},
		reason: "it starts with every tool call: it asks and prints, and judges nothing",
	},
	{
		path: "internal/install", own: []string{"internal/clients/reply", "internal/hook", "internal/jsonmembers", "internal/shellquote"},
		modules: []string{"github.com/tailscale/hujson", "github.com/pelletier/go-toml/v2", "github.com/rogpeppe/go-internal/diff"},
		reason:  "it edits settings of other programs in place, with their comments, and decides nothing",
	},
	{
		path: "internal/contain", own: []string{"api/v1", "internal/credential"},
		modules: []string{"github.com/landlock-lsm/go-landlock/landlock/syscall", "golang.org/x/sys/unix", "golang.org/x/net/bpf"},
		reason:  "the kernel enforces an obligation, independent of the decision and its caller",
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
		reason: "an example does what a host can do: it has the contract and the wire",
	},
	{
		path: "internal/sidecar", own: []string{
			"api/v1", "bundles", "extract", "extract/argv", "extract/catalog", "extract/shell/command", "internal/approvals", "internal/config", "internal/contain", "internal/events", "internal/explain",
			"internal/clients", "internal/gate", "internal/metrics", "internal/prompts", "internal/record", "internal/runs", "internal/server", "internal/sessions",
			"internal/store", "internal/terminals", "internal/tracing", "policies",
		},
		modules: []string{"github.com/google/uuid"},
		reason:  "it assembles the parts, which don't import one another; the command line, the console and listeners stay in cmd",
	},
	{path: "cmd/policyd", own: []string{"..."}, modules: []string{""}, reason: "wires everything"},
	{path: "test", own: []string{"..."}, modules: []string{""}, reason: "tests the whole"},
}

// unrelated packages never import each other, not even in tests: a test that needs two of them belongs
// to test/ or cmd/.
var unrelated = []string{"extract", "bundles", "internal/server", "internal/store"}

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
		home, found := rowFor(path)
		if !assert.Truef(t, found, "%s has no row: add one to the table in test/arch_test.go, with a reason", path) {
			continue
		}
		for _, imported := range pkg.Imports {
			assert.Truef(t, home.mayImport(imported), "%s imports %s, but %s", path, imported, home.reason)
		}
	}
}

func TestUnrelatedPackagesNeverImportEachOther(t *testing.T) {
	for _, pkg := range listPackages(t) {
		home, _ := rowFor(strings.TrimPrefix(pkg.ImportPath, module))
		if !slices.Contains(unrelated, home.path) {
			continue
		}
		for _, imported := range slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports) {
			other, found := rowFor(strings.TrimPrefix(imported, module))
			if !strings.HasPrefix(imported, module) || !found || other.path == home.path {
				continue
			}
			assert.NotContainsf(t, unrelated, other.path,
				"%s imports %s: %s never import one another, so that each can be tested and replaced alone",
				pkg.ImportPath, imported, strings.Join(unrelated, ", "))
		}
	}
}

func TestTheTableIsSharp(t *testing.T) {
	for _, wrong := range []struct{ path, imported string }{
		{"api/v1", "github.com/goccy/go-json"},
		{"extract/shell", "policyd/bundles"},
		{"extract/shell/guard", "policyd/extract/shell"},
		{"extract/shell/stream", "policyd/extract/shell"},
		{"extract/shell/expansion", "policyd/extract/shell"},
		{"extract/shell/command", "policyd/extract/shell"},
		{"extract/shell/output", "policyd/extract/shell/effect"},
		{"extract/shell/effect", "policyd/extract/shell"},
		{"extract/git/syntax", "policyd/extract/git/object"},
		{"extract/git/object", "policyd/extract/git/trust"},
		{"extract/git/history", "policyd/extract/git/trust"},
		{"extract/git/trust", "policyd/extract/git/history"},
		{"extract/catalog", "policyd/extract"},
		{"extract/patch", "policyd/extract/paths"},
		{"extract/disk", "policyd/extract/shell"},
		{"extract/disk", "policyd/extract/scope"},
		{"extract/scope", "policyd/extract/shell"},
		{"extract/gitreach", "policyd/extract/shell"},
		{"extract/which", "policyd/extract/shell"},
		{"extract/disk", "policyd/extract/catalog"},
		{"extract/value", "policyd/extract/shell"},
		{"extract/argv", "policyd/extract/shell"},
		{"bundles", "policyd/extract"},
		{"internal/gate", "policyd/bundles"},
		{"api", "policyd/internal/server"},
		{"internal/server", "policyd/extract"},
		{"policies", "policyd/api/v1"},
	} {
		home, found := rowFor(wrong.path)
		require.True(t, found, wrong.path)
		assert.Falsef(t, home.mayImport(wrong.imported), "%s may import %s", wrong.path, wrong.imported)
	}
}

// TestTheArchitecturePageNamesThePackagesOfExtraction: it is the map that people who join begin with.
func TestTheArchitecturePageNamesThePackagesOfExtraction(t *testing.T) {
	page, err := os.ReadFile("../docs/architecture.md")
	require.NoError(t, err)
	for _, pkg := range listPackages(t) {
		name := strings.TrimPrefix(pkg.ImportPath, module)
		if strings.HasPrefix(name, "extract") {
			assert.Containsf(t, string(page), "`"+name+"`", "docs/architecture.md has no row for %s", name)
		}
	}
}

func TestTopLevelHasKnownEntriesOnly(t *testing.T) {
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

// rowFor finds the longest row that path is in.
func rowFor(path string) (row, bool) {
	var best row
	found := false
	for _, candidate := range importTable {
		if (path == candidate.path || strings.HasPrefix(path, candidate.path+"/")) && len(candidate.path) >= len(best.path) {
			best, found = candidate, true
		}
	}
	return best, found
}

func (r row) mayImport(imported string) bool {
	if own, isOwn := strings.CutPrefix(imported, module); isOwn {
		home, _ := rowFor(own)
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
