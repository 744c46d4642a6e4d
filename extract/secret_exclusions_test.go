package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSecretsThatAnExclusionLeavesOut holds that the caveat stands where a program's exclusion
// leaves out each secret that it reaches, and that trying it leaves nothing in the facts.
func TestSecretsThatAnExclusionLeavesOut(t *testing.T) {
	for line, want := range map[string]bool{
		`grep -r x .`: true, `grep -r x src`: true, `rg -uu x`: true,
		`grep -r --include='*' x .`:  false, // what is taken in counts
		`rg -uu -g '#x' x`:           false,
		`grep -r x keys`:             false, // of a name that no hint lists
		`grep -r x src .env`:         true,  // .env is read by its name, and denied so
		`find . -exec cat {} +`:      false,
		`find src | xargs grep -r x`: false,
		`ls -A | xargs grep -r x`:    false,
		`tar cf /dev/null .`:         true, // whether it has an option for it, policy knows
		`cp -r . ../copy`:            true,
	} {
		p := newPlace(t)
		p.files(t, "src/a", "keys/a")
		for _, name := range []string{"/.env", "/src/server.pem", "/keys/id_rsa"} {
			if name != "/keys/id_rsa" || line == `grep -r x keys` {
				require.NoError(t, os.WriteFile(p.project+name, []byte("x"), 0o600))
			}
		}
		facts := p.facts("Bash", map[string]any{"command": line})
		found := false
		for i := range facts.Items {
			found = found || facts.Items[i].Caveats.Has("secret_excludable")
		}
		assert.Equal(t, want, found, "%q: %v", line, facts.Items)
	}
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.project+"/.env", []byte("x"), 0o600))
	facts := p.facts("Bash", map[string]any{"command": "grep -r x ."})
	assert.Len(t, facts.Items, 1)
	assert.Len(t, facts.Paths, 1)
	assert.True(t, facts.Complete)
}

// TestWorkingInASensitiveDirectory holds the caveat of a directory that no session may have.
func TestWorkingInASensitiveDirectory(t *testing.T) {
	for line, want := range map[string]bool{
		`cd /etc && make`: true, `cd /etc/ssl && make`: true, `cd ~/.ssh && make`: true, `cd ../other && make`: false, `make`: false,
	} {
		p := newPlace(t)
		require.NoError(t, os.MkdirAll(p.home+"/.ssh", 0o700))
		facts := p.facts("Bash", map[string]any{"command": line})
		item := facts.Items[len(facts.Items)-1]
		assert.Equal(t, want, item.Caveats.Has("sensitive_directory"), "%q: %+v", line, item)
	}
}
