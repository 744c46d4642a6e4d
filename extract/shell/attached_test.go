package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/host"
)

// V9: text that only the run can tell is the value of the option that stands in
// front of it in the same word, where nothing hangs on the value; anywhere else
// the word may be any option.
func TestValuesInTheOptionsWord(t *testing.T) {
	for line, option := range map[string]string{
		`git log --author="$(git config user.name)" -3`: "--author", `git log "--since=$(date)"`: "--since",
		`a=$(cat f); git log --grep="x $a"`: "--grep", `n=$(wc -l < f); git log --max-count="$n"`: "--max-count",
		`a=$(cat f); git log README.md --author="$a"`: "--author",
	} {
		c := last(t, line)
		kind, _ := c.Form.Get(option)
		assert.Containsf(t, []string{"value", "pattern"}, kind, "%q", line)
		assert.Falsef(t, c.Caveats.Has("dynamic_option") || c.Caveats.Has("dynamic_word"), "%q: %v", line, c.Caveats)
	}
	for _, line := range []string{
		`git log --author=$(cat f)`, `git log --auth"$(cat f)"=x`, `git log --"$(cat f)"=x`, `git log --outp="$(cat f)"`,
		`git log --output="$(cat f)"`, `git log "$(cat f)=x"`, `git log --author="$x"`, `git log --format="$(cat f)"`,
		`git log $'--author='"$(cat f)"`, `git log --author"=$(cat f)"`, `sort --compress-program="$(cat f)" a`,
		`grep --file="$(cat f)" x a`, `git grep --open-files-in-pager="$(cat f)" x`, `sed --expression="$(cat f)" a`,
		`a='--output=x --author='; git log "$a$(cat f)"`, `jq --arg="$(cat f)" . a`,
	} {
		c := last(t, line)
		assert.Truef(t, c.Caveats.Has("dynamic_option") || c.Caveats.Has("dynamic_word"), "%q: %v %v", line, c.Form, c.Caveats)
	}
	darwin := newTable(t).Parse(`n=$(wc -l < f); grep x a --max-count="$n"`, host.Options{Platform: "darwin", Cwd: "/srv/proj"}).Commands
	_, counted := darwin[len(darwin)-1].Form.Get("-m")
	assert.False(t, counted, "BSD's options end at the first operand")
}
