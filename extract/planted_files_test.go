package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// caveatsOf are the caveats of the first item of a line.
func (p *place) caveatsOf(t *testing.T, line string) []string {
	t.Helper()
	facts := p.facts("Bash", map[string]any{"command": line})
	require.NotEmptyf(t, facts.Items, "%q", line)
	return facts.Items[0].Caveats
}

// plant writes a file of the project, or makes a link where its target is given.
func (p *place) plant(t *testing.T, name, content, target string) {
	t.Helper()
	full := p.project + "/" + name
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o700))
	if target != "" {
		require.NoError(t, os.Symlink(target, full))
		return
	}
	require.NoError(t, os.WriteFile(full, []byte(content), 0o600))
}

// S3: a search prints the lines of ignore rules that make no sense to it, so that a
// link in place of such a file prints what it leads to.
func TestIgnoreFilesThatAreLinks(t *testing.T) {
	lines := []string{"rg x src", "rg x", "rg --files src", "rg --no-ignore x src", "rg x src/*", "cd src && rg x ."}
	for _, name := range []string{".ignore", ".rgignore", ".gitignore", "src/.ignore", "src/deep/.rgignore"} {
		for target, want := range map[string]string{"other/file": "reaches_outside", "proj/.env": "reaches_secret", "proj/README.md": ""} {
			p := newPlace(t)
			require.NoError(t, os.WriteFile(p.project+"/.env", []byte("KEY={x"), 0o600))
			require.NoError(t, os.MkdirAll(p.project+"/src/deep", 0o700))
			p.plant(t, name, "", p.home+"/"+target)
			for _, line := range lines {
				facts := p.facts("Bash", map[string]any{"command": line})
				last := facts.Items[len(facts.Items)-1]
				if want == "" {
					assert.NotContainsf(t, last.Caveats, "reaches_outside", "%q with %s", line, name)
					assert.NotContainsf(t, last.Caveats, "reaches_secret", "%q with %s", line, name)
					continue
				}
				assert.Containsf(t, last.Caveats, want, "%q with %s", line, name)
			}
			assert.Empty(t, p.caveatsOf(t, "rg x README.md"), "no rules are read for a file")
		}
	}
}

// S3: the file of rules that git keeps for a work tree counts as well.
func TestExcludeFileThatIsALink(t *testing.T) {
	p := newPlace(t)
	p.plant(t, "src/sub/.git/info/exclude", "", p.home+"/other/file")
	assert.Contains(t, p.caveatsOf(t, "rg x src"), "reaches_outside")
	assert.Contains(t, p.caveatsOf(t, "rg x src/sub"), "reaches_outside")
	assert.NotContains(t, p.caveatsOf(t, "rg x lib"), "reaches_outside")
}

// S3: node reads another file than the one that is named, where a directory has the
// name or a suffix is left out, and the package that a file belongs to.
func TestFilesThatNodeFinds(t *testing.T) {
	p := newPlace(t)
	p.plant(t, "app/n.js", "1", "")
	p.plant(t, "app/foo.js", "", p.home+"/other/file")
	for line, want := range map[string]string{
		"node --check app":                          "reaches_unknown",
		"node -c ./app/":                            "reaches_unknown",
		"node -c ap*":                               "reaches_unknown",
		"for f in a*; do node -c \"$f\"; done":      "reaches_unknown",
		"for f in app/n*; do node --check $f; done": "",
		"node -c app/n.js":                          "",
		"node -c app/n":                             "",
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		last := facts.Items[len(facts.Items)-1]
		if want == "" {
			assert.Emptyf(t, last.Caveats, "%q", line)
			continue
		}
		assert.Containsf(t, last.Caveats, want, "%q", line)
	}
	facts := p.facts("Bash", map[string]any{"command": "node -c app/foo"})
	assert.Contains(t, facts.Items[0].Touches, "read.outside", "a suffix is added")
	p.plant(t, "app/package.json", "", p.home+"/other/file")
	assert.Contains(t, p.caveatsOf(t, "node -c app/n.js"), "reaches_outside")
}

// V5: settings that take in others, or that a query for the version reads.
func TestSettingsThatLeadOn(t *testing.T) {
	for name, lines := range map[string][]string{
		".cargo/config.toml": {"cargo metadata --no-deps", "cargo --version", "cargo locate-project"},
		".cargo/config":      {"cargo metadata --no-deps"},
		".ctags.d/x.ctags":   {"ctags --version"},
		".ctags":             {"ctags --version"},
	} {
		p := newPlace(t)
		for _, line := range lines {
			assert.NotContainsf(t, p.caveatsOf(t, line), "project_chooses_program", "%q", line)
		}
		p.plant(t, name, "include = ['x.toml']\n", "")
		for _, line := range lines {
			assert.Containsf(t, p.caveatsOf(t, line), "project_chooses_program", "%q with %s", line, name)
		}
	}
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.project+"/.env"))
	assert.NotContains(t, p.caveatsOf(t, "docker-compose --version"), "reaches_secret")
	p.plant(t, ".env", "K{Y", "")
	assert.Contains(t, p.caveatsOf(t, "docker-compose --version"), "reaches_secret")
}

// S3: git prints lines of its own files, and all of some: links in their place show
// what they lead to.
func TestLinksInARepository(t *testing.T) {
	for name, lines := range map[string][]string{
		"packed-refs":             {"git status", "git log", "cd src && git branch"},
		"shallow":                 {"git log --oneline"},
		"BISECT_LOG":              {"git bisect log"},
		"info/sparse-checkout":    {"git sparse-checkout list"},
		"objects/info/alternates": {"git log"},
		"rebase-merge/done":       {"git status"},
		"branches/evil":           {"git remote get-url evil"},
		"worktrees/x/gitdir":      {"git worktree list", "git branch -vv"},
	} {
		for target, want := range map[string]string{"other/file": "reaches_outside", "proj/.env": "reaches_secret", "proj/README.md": ""} {
			p := newPlace(t)
			p.plant(t, ".env", "KEY={x", "")
			for file, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "", "refs/x": "", "objects/pack/x": ""} {
				p.plant(t, ".git/"+file, text, "")
			}
			for _, line := range lines {
				facts := p.facts("Bash", map[string]any{"command": line})
				require.Emptyf(t, facts.Items[len(facts.Items)-1].Caveats, "%q", line)
			}
			p.plant(t, ".git/"+name, "", p.home+"/"+target)
			for _, line := range lines {
				facts := p.facts("Bash", map[string]any{"command": line})
				last := facts.Items[len(facts.Items)-1]
				if want == "" {
					assert.NotContainsf(t, last.Caveats, "git_untrusted", "%q with %s", line, name)
					assert.NotContainsf(t, last.Caveats, "reaches_outside", "%q with %s", line, name)
					assert.NotContainsf(t, last.Caveats, "reaches_secret", "%q with %s", line, name)
					continue
				}
				assert.Containsf(t, last.Caveats, want, "%q with %s", line, name)
			}
		}
	}
}

// S3: settings make git print what lies in submodules, and what a stash holds.
func TestSettingsThatPrintMore(t *testing.T) {
	p := newPlace(t)
	git := func(dir string, args ...string) {
		args = append([]string{"-C", dir, "-c", "protocol.file.allow=always", "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)
		output, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	library := p.home + "/other/library"
	require.NoError(t, os.MkdirAll(library, 0o700))
	git(library, "init", "-q")
	git(library, "commit", "-q", "--allow-empty", "-m", "first")
	git(p.project, "init", "-q")
	git(p.project, "submodule", "add", "-q", library, "library")
	p.plant(t, "keys/server.pem", "x", "")
	git(p.project, "add", "keys")
	git(p.project, "config", "submodule.recurse", "false")
	git(p.project, "config", "stash.showPatch", "false")
	for _, line := range []string{"git grep x -- library", "git diff library", "git stash show"} {
		assert.Empty(t, p.caveatsOf(t, line), line)
	}
	git(p.project, "config", "submodule.recurse", "true")
	git(p.project, "config", "stash.showPatch", "true")
	assert.Contains(t, p.caveatsOf(t, "git grep x -- library"), "reaches_unknown")
	assert.Empty(t, p.caveatsOf(t, "git grep -l x"))
	git(p.project, "config", "submodule.recurse", "false")
	assert.Contains(t, p.caveatsOf(t, "git stash show"), "reaches_secret")
	assert.Empty(t, p.caveatsOf(t, "git stash show --stat"))
	git(p.project, "config", "stash.showPatch", "false")
	assert.Empty(t, p.caveatsOf(t, "git stash show"))
	assert.Contains(t, p.caveatsOf(t, "git stash show -w"), "reaches_secret") // any option makes it a patch
	assert.Empty(t, p.caveatsOf(t, "git stash show -w --numstat"))
	git(p.project, "rm", "-q", "-f", "keys/server.pem")
	assert.Empty(t, p.caveatsOf(t, "git stash show -p"))
	git(p.project, "config", "stash.showIncludeUntracked", "true")
	assert.Contains(t, p.caveatsOf(t, "git stash show -p"), "reaches_unknown")
	assert.Empty(t, p.caveatsOf(t, "git stash show"))
}

// S3: what prints names prints other words as well, or marks among them, with some of
// its options and settings: a link may have such a name.
func TestNamesWithMarksAmongThem(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		output, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	git("init", "-q")
	git("add", "src")
	for name := range map[string]bool{"\x1b[35msrc/main.go\x1b[m": true, "\x1b[0m\x1b[35msrc/main.go\x1b[0m": true, "matches": true} {
		p.plant(t, name, "", p.home+"/other/file")
	}
	last := func(line string) []string {
		facts := p.facts("Bash", map[string]any{"command": line})
		return facts.Items[len(facts.Items)-1].Caveats
	}
	for _, line := range []string{
		"rg -l x src | xargs cat", "rg -l --color=never x src | xargs cat", "rg --files --color auto src | xargs cat",
		"git grep -l x -- src | xargs cat", "git grep -l --color=never x -- src | xargs cat", "git grep -l --no-color x -- src | xargs cat",
		"grep -rl --color=never x src | xargs cat", "ls --color=never src/* | xargs cat", "fd -c never go src | xargs cat",
		"find src -name '*.go' -exec grep -l x {} + | xargs cat", "for f in $(ls src/*); do cat $f; done",
	} {
		assert.Empty(t, last(line), line)
	}
	for _, line := range []string{
		"rg -l --color=always x src | xargs cat", "rg -l --color=never --color=always x src | xargs cat", "rg -lp x src | xargs cat",
		"rg --files --color ansi src | xargs cat", "rg -l --stats x src | xargs cat", "rg -l -c x src | xargs cat", "rg -l --help src | xargs cat",
		"git grep -l --color=always x -- src | xargs cat", "git grep -l --color x -- src | xargs cat", "git -c color.grep=always grep -l x -- src | xargs cat", "git grep -l --heading x -- src | xargs cat",
		"grep -rl --color=always x src | xargs cat", "grep -rl --color x src | xargs cat", "ls --color src/* | xargs cat",
		"ls --full-time src/* | xargs cat", "fd --color=always go src | xargs cat", "fd -c always go src -x cat",
		"cat $(ls --color=always src/*)", "for f in $(rg -l --color=always x src); do cat \"$f\"; done",
	} {
		assert.NotEmpty(t, last(line), line)
	}
	git("config", "color.ui", "always")
	assert.Contains(t, last("git grep -l x -- src | xargs cat"), "reaches_unknown")
}
