//go:build unix

package extract_test

import (
	"net"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// P1: a file tool would open the streams of its own process: no name below
// /proc or /dev gives it anything, but for the null device.
func TestProcessFiles(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Symlink("/dev/stdin", p.project+"/input"))
	require.NoError(t, os.Symlink("/dev/zero", p.project+"/zeros"))
	require.NoError(t, os.Symlink("/proc/self/cwd", p.project+"/here"))
	for _, raw := range []string{
		"/dev/stdin", "/dev/fd/0", "/dev/fd/3", "/dev/zero", "/dev/random", "/dev/tty", "/proc/self/fd/0", "/proc/self/cwd/README.md",
		"/proc/self/root" + p.project + "/README.md", "/proc/1/root/etc/passwd", "/proc/thread-self/cwd", "input", "zeros", "here/README.md",
		"//dev/stdin", "/dev/./stdin", "/dev/../dev/stdin",
	} {
		for tool, args := range map[string]map[string]any{"Read": {"file_path": raw}, "Write": {"file_path": raw, "content": ""}} {
			facts := p.facts(tool, args)
			require.Len(t, facts.Paths, 1, raw)
			assert.Contains(t, []string{v1.SpaceOutside, v1.SpaceUnknown}, facts.Paths[0].Space, "%s %s", tool, raw)
		}
	}
	assert.Equal(t, "path:read.none", touches(p.facts("Read", map[string]any{"file_path": "/dev/null"})))
	for _, line := range []string{"cat < /dev/stdin", "head -c 1 /dev/zero", "ls 2> /dev/stderr"} {
		assert.NotContains(t, p.facts("Bash", map[string]any{"command": line}).About, "outside", line)
	}
	for _, raw := range []string{"/proc/self/environ", "/proc/1/environ", "/proc/1/task/1/environ", "/proc/self/root/proc/1/environ"} {
		assert.Contains(t, p.facts("Read", map[string]any{"file_path": raw}).About, "secret", raw)
	}
}

// P1: what is neither file nor directory says so, since opening it may wait
// for ever or reach another program.
func TestSpecialFiles(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, syscall.Mkfifo(p.project+"/pipe", 0o600))
	listener, err := net.Listen("unix", p.project+"/s")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	for _, name := range []string{"pipe", "s"} {
		assert.Equal(t, v1.Set{"special"}, p.facts("Read", map[string]any{"file_path": name}).Paths[0].Caveats, name)
		assert.Equal(t, v1.Set{"special"}, p.facts("Write", map[string]any{"file_path": name, "content": ""}).Paths[0].Caveats, name)
		assert.Contains(t, p.facts("Bash", map[string]any{"command": "cat " + name}).Items[0].Caveats, "special", name)
		assert.NotContains(t, p.facts("Bash", map[string]any{"command": "ls -l " + name}).Items[0].Caveats, "special", name)
	}
}

// S3: patterns and walks meet a secret by its other names, too.
func TestHardLinksOfSecretsInPatternsAndWalks(t *testing.T) {
	for name, secret := range map[string]string{
		"beside": "/proj/.env", "in the home": "/.ssh/id_ed25519", "of policyd": "/state/agent.token", "none": "/proj/README.md",
	} {
		p := newPlace(t)
		require.NoError(t, os.Mkdir(p.project+"/notes", 0o755))
		require.NoError(t, os.Link(p.home+secret, p.project+"/notes/a.txt"))
		require.NoError(t, os.Symlink("a.txt", p.project+"/notes/z.txt"))
		for _, line := range []string{
			"cat notes/a*", "cat notes/z*", "grep -r x notes", "grep -R x notes", "rg x notes", "find notes -type f -exec cat {} +",
			"find notes -type f | xargs cat",
		} {
			items := p.facts("Bash", map[string]any{"command": line}).Items
			reaches := slices.ContainsFunc(items, func(item v1.Item) bool {
				return item.Caveats.Has("reaches_secret") || item.Caveats.Has("reaches_unknown")
			})
			assert.Equal(t, name != "none", reaches, "%s: %s", name, line)
		}
	}
}

// S3: a walk that passes over a secret may read it by another of its names.
func TestHardLinksOfSecretsThatAWalkPassesOver(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.project+"/notes", 0o755))
	require.NoError(t, os.WriteFile(p.project+"/notes/.env", nil, 0o600))
	hidden, included := map[string]any{"command": "rg x notes"}, map[string]any{"command": "grep -r --include='*.txt' x notes"}
	above := map[string]any{"command": "rg x ."} // which looks for secrets beside and above itself alone
	for _, args := range []map[string]any{hidden, included, above} {
		assert.False(t, p.facts("Bash", args).Items[0].Caveats.Has("reaches_unknown"), args["command"])
	}
	require.NoError(t, os.Link(p.project+"/notes/.env", p.project+"/notes/a.txt"))
	for _, args := range []map[string]any{hidden, included, above} {
		caveats := p.facts("Bash", args).Items[0].Caveats
		assert.True(t, caveats.Has("reaches_secret") || caveats.Has("reaches_unknown"), args["command"])
	}
}

// S3: what git prints of tracked files in the work tree may be a secret by another name.
func TestHardLinksOfSecretsThatGitTracks(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		output, err := exec.Command("git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	git("init", "-q")
	git("add", "README.md", "src")
	lines := map[string]bool{
		"git grep x": true, "git grep x -- src": false, "git grep -l x": false, "git grep --cached x": false,
		"git diff": true, "git diff HEAD": true, "git diff --stat": false, "git diff --cached": false, "git diff-files -p": true, "git diff-index -p HEAD": true,
	}
	for line := range lines {
		assert.Empty(t, p.caveatsOf(t, line), line)
	}
	require.NoError(t, os.Remove(p.project+"/README.md"))
	require.NoError(t, os.Link(p.home+"/.ssh/id_ed25519", p.project+"/README.md"))
	for line, want := range lines {
		assert.Equal(t, want, slices.Contains(p.caveatsOf(t, line), "reaches_secret"), line)
	}
}

// S1: another name of a secret is found where secrets lie.
func TestHardLinksOfSecrets(t *testing.T) {
	p := newPlace(t)
	link := func(secret, name string) {
		require.NoError(t, os.Link(p.home+secret, p.project+name))
	}
	link("/proj/.env", "/notes.txt")
	link("/proj/.env", "/docs/deep.txt")
	link("/.ssh/id_ed25519", "/letter.txt")
	link("/state/agent.token", "/token.txt")
	link("/proj/README.md", "/copy.md")
	for name, want := range map[string]string{
		"notes.txt": "secret", "docs/deep.txt": "secret", "letter.txt": "secret_directory", "token.txt": "own", "copy.md": "",
	} {
		for _, facts := range []v1.Facts{
			p.facts("Read", map[string]any{"file_path": name}),
			p.facts("Bash", map[string]any{"command": "cat " + name}),
			p.facts("Write", map[string]any{"file_path": name, "content": ""}),
		} {
			_, found := facts.Paths[0].Class.Get(want)
			assert.Equal(t, want != "", found, "%s: %v", name, facts.Paths[0].Class)
			assert.Equal(t, facts.Paths[0].Op == v1.OpWrite, facts.Paths[0].Caveats.Has("hard_link"), name)
		}
	}
	assert.NotContains(t, p.facts("Bash", map[string]any{"command": "ls notes.txt"}).About, "secret")
}

// S3, V5: settings that are a pipe or a device are never waited for, and what they
// would say counts as the worst.
func TestSettingsThatNeverEnd(t *testing.T) {
	for name, line := range map[string]string{
		"go.mod": "go version", "package.json": "node --version", ".tool-versions": "jq . a.json", "mise.toml": "rg x src",
		".gitignore": "rg x", ".ignore": "rg x", ".git/info/exclude": "rg --files | xargs cat",
	} {
		p := newPlace(t)
		p.initialize(t)
		require.NoError(t, os.RemoveAll(p.project+"/"+name))
		require.NoError(t, os.RemoveAll(p.project+"/out"))
		before := p.facts("Bash", map[string]any{"command": line})
		require.NoError(t, syscall.Mkfifo(p.project+"/"+name, 0o600))
		after := p.facts("Bash", map[string]any{"command": line})
		require.NotEmpty(t, before.Items)
		assert.NotEqual(t, before.Items, after.Items, "%s beside %s", line, name)
	}
	p := newPlace(t)
	require.NoError(t, syscall.Mkfifo(p.project+"/x.patch", 0o600))
	assert.NotEmpty(t, p.facts("Bash", map[string]any{"command": "git apply --check x.patch"}).Items)
	require.NoError(t, os.MkdirAll(p.project+"/.git", 0o700))
	require.NoError(t, syscall.Mkfifo(p.project+"/.git/config", 0o600))
	assert.NotEmpty(t, p.facts("Bash", map[string]any{"command": "cat .git/config"}).Items)
}
