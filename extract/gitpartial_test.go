package extract_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// partialRemote is a repository that partial clones are made of: three commits on main, one on a branch, and tags
// of a commit, a tree and a file.
func partialRemote(t *testing.T) (dir string, git func(dir string, args ...string) string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git = func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+base, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		output, err := cmd.CombinedOutput()
		require.NoErrorf(t, err, "git %q: %s", args, output)
		return strings.TrimSpace(string(output))
	}
	dir = base + "/remote"
	require.NoError(t, os.Mkdir(dir, 0o700))
	git(dir, "init", "-q", "-b", "main")
	git(dir, "config", "uploadpack.allowFilter", "true")
	git(dir, "config", "uploadpack.allowAnySHA1InWant", "true")
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(dir+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(dir+"/"+name, []byte(text), 0o600))
	}
	for i, text := range []string{"one", "two", "three"} {
		write("README.md", text+"\n")
		write("docs/guide.md", strings.Repeat(text+"\n", 10))
		write("docs/.gitignore", "*.o\n")
		write("src/"+text+"/a.go", "package "+text+"\n"+strings.Repeat("// same\n", 20))
		write(".gitattributes", "*.md text=auto\n")
		git(dir, "add", ".")
		git(dir, "commit", "-q", "-m", text)
		if i == 0 {
			git(dir, "tag", "v1")
			git(dir, "tag", "treetag", git(dir, "rev-parse", "HEAD^{tree}"))
			git(dir, "tag", "blobtag", git(dir, "rev-parse", "HEAD:docs/guide.md"))
			git(dir, "tag", "-a", "-m", "annotated", "v1a")
		}
	}
	git(dir, "checkout", "-q", "-b", "side", "HEAD~1")
	write("side.md", "side\n")
	git(dir, "add", ".")
	git(dir, "commit", "-q", "-m", "side")
	git(dir, "checkout", "-q", "main")
	return dir, git
}

// V5: a partial clone lacks objects, and git fetches each that a command opens. Whatever the clone left out, what
// is allowed opens none that is missing.
func TestPartialClonesAndRealGit(t *testing.T) {
	remote, git := partialRemote(t)
	text, err := os.ReadFile("testdata/partial_clones.txt")
	require.NoError(t, err)
	text = []byte(strings.NewReplacer("ABSENT", strings.Repeat("5716ca5987", 4), "BLOB", git(remote, "rev-parse", "HEAD~2:docs/guide.md")).Replace(string(text)))
	for name, clone := range map[string][]string{
		"blob:none":     {"--filter=blob:none"},
		"tree:0":        {"--filter=tree:0", "--no-tags"},
		"blob:limit":    {"--filter=blob:limit=40"},
		"sparse":        {"--filter=blob:none", "--sparse"},
		"no checkout":   {"--filter=blob:none", "--no-checkout"},
		"shallow":       {"--filter=blob:none", "--depth=1", "--no-single-branch"},
		"commits alone": {"--filter=tree:0", "--no-checkout", "--no-tags"},
		"whole":         {},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			require.NoError(t, os.RemoveAll(p.project))
			git(p.home, append([]string{"clone", "-q", "file://" + remote, p.project}, clone...)...)
			var local, fetching []string
			for line := range strings.Lines(string(text)) {
				mark, line := line[0], strings.TrimSpace(line[2:])
				switch reaches := someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "network"); {
				case mark == '#':
				case !reaches:
					local = append(local, line)
				case len(clone) == 0 || name == "blob:none" && mark == '+':
					assert.Failf(t, "prompts", "%q", line)
				case mark == '-':
					fetching = append(fetching, line)
				}
			}
			t.Logf("%d lines are local", len(local))
			assert.Greater(t, len(local), 80)
			assert.Empty(t, fetchingOf(t, p, local), "fetch and are allowed")
			if len(clone) > 0 {
				assert.Greater(t, len(fetching), 20)
				assert.Equal(t, fetching, fetchingOf(t, p, fetching), "fetch")
			}
		})
	}
}

// fetchingOf runs lines, and returns those for which git starts to fetch.
func fetchingOf(t *testing.T, p place, lines []string) (fetching []string) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	var script strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&script, "echo line %d >>'%s'; ( %s ) >/dev/null 2>&1 </dev/null\n", i, trace, line)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script.String())
	cmd.Dir = p.project
	cmd.Env = append(os.Environ(), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat", "GIT_TRACE="+trace, "GIT_TERMINAL_PROMPT=0")
	_ = cmd.Run() // some lines fail
	text, err := os.ReadFile(trace)
	require.NoError(t, err)
	parts := strings.Split("\n"+string(text), "\nline ")[1:]
	require.Len(t, parts, len(lines))
	for i, part := range parts {
		if strings.Contains(part, "upload-pack") {
			fetching = append(fetching, lines[i])
		}
	}
	return fetching
}
