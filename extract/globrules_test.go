package extract_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: ripgrep reads its globs as lines of ignore rules: an empty one and a comment leave
// nothing out, and blanks at the end are no part of a name.
func TestGlobsThatAreReadAsRules(t *testing.T) {
	p := newPlace(t)
	for line, want := range map[string]bool{
		"rg -g '*.md' x": false, "rg -g '!.env' x": false, "rg -g '!.env ' x": false, "rg -g '*.go' -g '*.md' x": false,
		"rg -g '.env ' x": true, "rg -g '' x": true, "rg -g '#' x": true, "rg -g ' ' x": true, "rg --glob='.env\n' x": true,
		"rg --iglob '.ENV ' x": true, "rg -g '*.go' -g '#x' x": true, "rg --files -g '.env ' | xargs cat": true,
	} {
		assert.Equal(t, want, p.reachesMore(line), line)
	}
}

// S3: fd takes all dots in front of an extension away.
func TestExtensionsOfFd(t *testing.T) {
	p := newPlace(t)
	p.files(t, "conf/server.pem")
	for line, want := range map[string]bool{
		"fd -e .go -X cat": false, "fd -e ..pem -X cat": true, "fd -He ...pem | xargs cat": true, "fd -e pem -X cat": true,
	} {
		assert.Equal(t, want, p.reachesMore(line), line)
	}
}

// reachesMore reports whether a line reaches a secret, or what is not known.
func (p place) reachesMore(line string) bool {
	return someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "reaches_secret", "reaches_unknown")
}

// S3: what stands behind an option of ripgrep's may be an option of its own.
func TestValuesThatAreOptions(t *testing.T) {
	p := newPlace(t)
	for line, want := range map[string]bool{
		"rg --engine pcre2 x": false, "rg -A 1 x": false, "rg -A -1 x": false, "rg -e -uu": false, "rg --engine -uu x": true, "rg x --sort -.": true,
		"fd -e go -d -HI": true, "bat -l go src/main.go": false,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.Equal(t, want, someItemHas(facts.Items, "unknown_option"), line)
	}
}

// S3: a backslash in a pathspec that the shell has no hand in is git's: it quotes a star.
func TestBackslashesOfPathspecs(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		out, err := exec.Command("git", append([]string{"-C", p.project}, args...)...).CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
	}
	git("init", "-q")
	git("add", "-f", ".env", "README.md")
	for line, want := range map[string]bool{
		"git grep x -- ':!*env'": false, "git grep x -- . ':!.env'": false, `git grep x -- ':!*.e\nv'`: false, `git grep x -- :!\*env`: false,
		`git grep x -- ':!\*env'`: true, `git grep x -- . ':!\*'`: true, `git grep x -- ':(exclude)\*env'`: true, `git diff -- . ':!\*env'`: true,
		`git ls-files ':!\*env' | xargs cat`: true, `git ls-files ':!*env' | xargs cat`: false, "git ls-files :!\\\\*env | xargs cat": true,
	} {
		facts := p.another(t).Extract(p.call("Bash", map[string]any{"command": line}), nil)
		assert.Equal(t, want, someItemHas(facts.Items, "reaches_secret", "reaches_unknown", "unknown_option"), line)
	}
}
