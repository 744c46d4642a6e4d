package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/approvalbundle"
	"policyd/test/project"
)

// exportedLines are lines that approvals cover, or nearly do.
var exportedLines = []string{
	"git push", "git push -f", "git push other", "git push && make lint", "make lint", "make deploy", "make lint V=1", "make lint > /tmp/x",
	"rm ./src/a", "rm ./b", "rm -r ./src", "rm -r .", "sudo make lint", "kubectl get pods", "kubectl get pods --context prod", "kubectl get pods --context test",
	"curl https://h.example/", "curl https://g.example/", "bash -c 'make lint'", "python3 x.py", "cd .. && make lint", "X=$(date) make lint", "for i in 1; do make lint; done",
	"go test ./...", "go install ./...", "npm test", "go test ./... > out.txt", "pytest", "go test ../...", "mkdir build && go build -o build/x .",
}

// TestAnExportedBundleAllowsWhatWasApproved checks that a server that loads the export decides as the one
// that it came from.
func TestAnExportedBundleAllowsWhatWasApproved(t *testing.T) {
	tree := newTree(t)
	first := startServer(t)
	src := filepath.Join(tree.Project, "src")
	for _, request := range []v1.ApprovalRequest{
		{Verb: "git push", Directory: &tree.Project},
		{Verb: "make lint", Directory: &tree.Project},
		{Verb: "rm", Directory: &src},
		{Verb: "kubectl get", Risks: []string{"context prod"}},
		{Verb: "curl", Risks: []string{"host h.example"}, Agent: "codex"},
		{Verb: "python3", Directory: &tree.Project, Audience: v1.AudienceTeam},
		{Verb: "fetch a.example", Tool: v1.ToolFetch},
		{Verb: "mcp:docs/search", Tool: v1.ToolMCP},
		{Verb: "go vet", Directory: &tree.Project, TTL: "1h"},
		{Tool: v1.ToolProject, Verb: v1.VerbProject, Directory: &tree.Project},
	} {
		must[v1.ApprovalEntry](t, http.StatusCreated, first.as(t, "operator", http.MethodPost, "/v1/approvals", request))
	}
	for name, flags := range map[string][]string{"as it is": nil, "for the project of every session": {"--project", tree.Project}} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "bundle")
			out := first.run(t, append([]string{"approvals", "export", "--bundle", dir}, flags...)...)
			assert.Contains(t, out, "9 approvals; load it with policyd serve --bundle")
			assert.Contains(t, out, "left out, since a bundle can't hold it: go vet in "+tree.Project)
			first.run(t, append([]string{"approvals", "export", "--bundle", dir}, flags...)...) // again, over its own
			second := startServer(t, "--bundle", dir)
			decidesAlike(t, tree, first, second)
		})
	}
}

// TestAnyExportedBundleLoads checks that no approval makes a bundle that a server refuses.
func TestAnyExportedBundleLoads(t *testing.T) {
	text, err := os.ReadFile("../../bundles/smoke/facts.json") // of the cases that every bundle has to decide right
	require.NoError(t, err)
	var cases map[string]v1.Facts
	require.NoError(t, json.Unmarshal(text, &cases))
	verbs := map[string]v1.ApprovalEntry{}
	for name := range cases {
		facts := cases[name]
		for _, item := range facts.Items {
			for _, audience := range []v1.Audience{v1.AudiencePersonal, v1.AudienceTeam, v1.AudiencePublic} {
				for _, directory := range []*string{nil, new("/srv/proj")} {
					entry := v1.ApprovalEntry{Audience: audience, Agent: "*", Tool: facts.Tool.JudgedAs(), Verb: item.Verb, Directory: directory, Risks: item.Risks}
					if item.Verb != "" {
						verbs[entry.Words()+string(audience)+entry.Tool] = entry
					}
				}
			}
		}
	}
	for _, project := range []string{"", "/srv/proj"} {
		files, err := approvalbundle.Files(slices.Collect(maps.Values(verbs)), project)
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, approvalbundle.Write(dir, files))
		out, err := exec.CommandContext(t.Context(), program, "bundle", "build", dir, "--output", filepath.Join(t.TempDir(), "out.tar.gz")).CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
	}
}

// TestTheExportsOfTheGuideRun does what docs/prompts.md shows of sharing approvals.
func TestTheExportsOfTheGuideRun(t *testing.T) {
	text, err := os.ReadFile("../../docs/prompts.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "## Sharing approvals")
	require.True(t, found)
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "shared", "repo"), 0o755))
	env := append(environment(t.TempDir()), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	out, ran := "", 0
	for _, block := range fence.FindAllStringSubmatch(section, -1) {
		if block[1] == "text" {
			assert.Equal(t, block[2], out)
			continue
		}
		command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", block[2])
		command.Dir, command.Env = dir, env
		var problems output
		command.Stderr = &problems
		printed, err := command.Output()
		require.NoErrorf(t, err, "%s\n%s", block[2], &problems)
		lines := slices.Collect(strings.Lines(string(printed)))
		out = lines[len(lines)-1]
		ran++
	}
	assert.Equal(t, 2, ran)
}

func decidesAlike(t *testing.T, tree project.Tree, first, second *server) {
	t.Helper()
	allowed := 0
	for _, agent := range []string{"claude-code", "codex"} {
		for _, server := range []*server{first, second} {
			if server.as(t, "agent", http.MethodGet, sessionPath("export-"+agent), nil).status != http.StatusOK {
				server.register(t, tree, "export-"+agent, func(session *v1.Session) { session.Agent = agent })
			}
		}
		for _, line := range exportedLines {
			given, loaded := first.shell(t, "export-"+agent, line), second.shell(t, "export-"+agent, line)
			if strings.HasPrefix(line, "rm ") {
				assert.NotEqual(t, v1.EffectAllow, loaded.Effect, "%s: no bundle covers a deletion", line)
				continue
			}
			assert.Equal(t, given.Effect, loaded.Effect, "%s: %s", agent, line)
			for i := range given.Items {
				want := given.Items[i].CoveredBy
				if want == "approvals/remembered" || want == "approvals/project" {
					want = "site/approvals"
					allowed++
				}
				assert.Equal(t, want, loaded.Items[i].CoveredBy, "%s: %s", agent, line)
			}
		}
	}
	require.Greater(t, allowed, len(exportedLines)/3)
}
