package extract_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: git ls-files names what lies beside the index, too, and with --exclude-standard nothing
// that is ignored.
func TestNamesBesideTheIndex(t *testing.T) {
	for _, test := range []struct {
		setup, line string
		safe        bool
	}{
		{":", "git ls-files -o --exclude-standard | xargs cat", true},
		{":", "git ls-files -z -mo --exclude-standard | xargs -0 cat", true},
		{":", "git ls-files -co --exclude-standard '*.go' | while read -r f; do cat \"$f\"; done", true},
		{":", "cd src && git ls-files -o --exclude-standard | xargs cat", true},
		{"mv .gitignore src/rules; ln -s src/rules .gitignore; echo x > src/.env", "cd src && git ls-files -o --exclude-standard | xargs cat", false},
		{"rm .gitignore", "git ls-files -o --exclude-standard | xargs cat", false},
		{"echo x > 'src/a b'", "git ls-files -o --exclude-standard | xargs cat", true},
		{"echo x > 'src/a links'; ln -s /etc/hostname links", "git ls-files -o --exclude-standard | xargs cat", false},
		{"mkdir ./-f; echo x > ./-f/x", "git ls-files -o --exclude-standard | xargs cat", false},
		{":", "git ls-files -o | xargs cat", false},
		{":", "git ls-files -o -X src/main.go | xargs cat", false}, // no place to look in
		{":", "git ls-files -o --exclude-standard -X src/main.go | xargs cat", false},
		{":", "git ls-files -o -X src/main.go src | xargs cat", true},
		{":", "git grep -l -f src/main.go | xargs cat", true},
		{"ln -s /etc/hostname out; git add out", "git grep -l -f src/main.go | xargs cat", false},
		{":", "git ls-files -o -i --exclude-standard | xargs cat", false},
		{":", "cd src; git ls-files -o --exclude-standard :/ | xargs cat", false},
		{":", "cd src; git ls-files -o --exclude-standard .. | xargs cat", false},
		{":", "git ls-files -o --exclude-standard | xargs -r grep -r x", false},
	} {
		p := newPlace(t)
		prepare(t, p, test.setup)
		facts := p.facts("Bash", map[string]any{"command": test.line})
		last := facts.Items[len(facts.Items)-1].Caveats
		assert.Equal(t, test.safe, len(last) == 0 && !facts.Messy, "%s: %s: %v %v", test.setup, test.line, last, facts.Doubts)
	}
}

// prepare makes a place's project a repository that ignores .env and links, and runs a script.
func prepare(t *testing.T, p place, setup string) {
	t.Helper()
	require.NoError(t, os.Remove(p.project+"/out"))
	script := "set -e; git() { command git -c user.name=a -c user.email=a@b \"$@\"; }; git init -q; printf '.env\\nlinks\\n' > .gitignore; git add .gitignore; git commit -qm x; " + setup
	run := exec.Command("bash", "-c", script)
	run.Dir = p.project
	output, err := run.CombinedOutput()
	require.NoErrorf(t, err, "%s: %s", setup, output)
}

// S3: which names are ignored follows from the rules as git reads them.
func TestIgnoredNames(t *testing.T) {
	const line = "git ls-files -o --exclude-standard | while read -r f; do cat \"$f\"; done"
	for _, test := range []struct {
		setup string
		safe  bool
	}{
		{"rm .gitignore", false},                                        // .env is named
		{`printf '.env\t\nlinks\n' > .gitignore`, false},                // git keeps the tab
		{`printf '.env\r\nlinks\n' > .gitignore`, true},                 // and takes this away
		{`printf '!.env\n' > src/.gitignore; echo x > src/.env`, false}, // taken back in
		{"mv .gitignore rules; ln -s rules .gitignore", false},          // git follows no such link
		{`printf '\xef\xbb\xbf!.env\n' > src/.gitignore; echo x > src/.env`, false},
		{`printf '\xef\xbb\xbf.env\nlinks\n' > .gitignore`, false}, // git skips the mark, others don't
		{`printf '!.env\n' > src/.gitignore; git add src; git update-index --skip-worktree src/.gitignore; rm src/.gitignore; echo x > src/.env`, false}, // read in the index
		{`mkdir src/b; echo x > src/b/.gitignore; git add src; git commit -qm y; git update-index --skip-worktree src/b/.gitignore; rm -r src/b`, true},
		{"ln -s /etc/hostname src/out", false},
		{"ln -s /etc/hostname src/links", true}, // ignored
		{"echo x > ./-s", false},
		{"echo x > ./-s; git add ./-s; git commit -qm y; rm ./-s", false},
	} {
		p := newPlace(t)
		prepare(t, p, test.setup)
		facts := p.facts("Bash", map[string]any{"command": line})
		last := facts.Items[len(facts.Items)-1].Caveats
		assert.Equal(t, test.safe, len(last) == 0 && !facts.Messy, "%s: %v %v", test.setup, last, facts.Doubts)
	}
}

// S3: what git status prints beside the names isn't followed.
func TestNamesOfStatus(t *testing.T) {
	p := newPlace(t)
	prepare(t, p, ":")
	for _, line := range []string{
		"git status --porcelain | awk '{print $2}' | xargs cat", "git status --porcelain | awk '{print $2}' | while read -r f; do cat \"$f\"; done", "cat $(git status --porcelain)",
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.True(t, facts.Messy || len(facts.Items[len(facts.Items)-1].Caveats) > 0, line)
	}
}
