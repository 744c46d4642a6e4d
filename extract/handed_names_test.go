package extract_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S2, S3: what the disk calls a file is more than a path to programs that read
// their operands another way: a revision with a path, a hash, magic, an archive on
// another machine.
func TestNamesThatAreMoreThanPaths(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/odd/below", 0o700))
	for _, name := range []string{"HEAD:.env", "HEAD:keys", "host:x.tar", ":(top)", "65ec2679", "v1-2-g65ec2679", "plain.tar", "below/plain.txt"} {
		require.NoError(t, os.WriteFile(p.project+"/odd/"+name, []byte("x"), 0o600))
	}
	output, err := exec.Command("git", "-C", p.project, "init", "-q").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for line, want := range map[string]bool{
		"git cat-file -p H*":                                          true,
		"git cat-file -p 65*":                                         true,
		"git cat-file -p v*":                                          true,
		"git show H* --":                                              true,
		"git -C below show H*":                                        true,
		"git show HEAD:.e*":                                           true,
		`for f in H*; do git cat-file -p "$f"; done`:                  true,
		"ls H* | xargs git show --stat":                               true,
		`ls | while read -r f; do git cat-file -p "$f"; done`:         true,
		`rg --files | while read -r f; do git show --stat "$f"; done`: true,
		`ls | while read -r f; do git log --stat -- "$f"; done`:       true,
		"git log --stat -- *":                                         true,
		"tar tf host*":                                                true,
		`for f in *.tar; do tar tzf "$f"; done`:                       true,
		"fd -e tar | xargs -I{} tar tf {}":                            true,
		`printf '%s\n' plain.tar host:x.tar | xargs -I{} tar tf {}`:   true,
		"find . -name '*.tar' -exec tar tf {} \\;":                    false,
		"tar tf p*":            false,
		"tar tf ./ho*":         false, // of h* there may be two, where no case counts
		"git log --stat -- p*": false,
		"git show --stat p*":   false,
		`ls below | while read -r f; do wc -l "$f"; done`:                 false,
		`rg --files below | while read -r f; do git show --stat $f; done`: false,
		"cat *": false,
	} {
		facts := p.facts("Bash", map[string]any{"command": "cd odd && " + line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		assert.Equal(t, want, someItemHas(facts.Items, "reaches_unknown", "dynamic_option"), line)
	}
}

// S2: of names that a line writes and hands on, each counts for what it is to the
// command that gets it, and not the first alone.
func TestEveryNameThatIsHandedOn(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	require.NoError(t, os.Mkdir(p.project+"/keys", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/keys/server.pem", []byte("x"), 0o600))
	output, err := exec.Command("git", "-C", p.project, "add", "keys", "src", "README.md").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for line, want := range map[string]string{
		`printf '%s\n' HOME AWS_SECRET_ACCESS_KEY | xargs printenv`:                 "secret_variable",
		`echo HOME GITHUB_TOKEN | xargs -n1 printenv`:                               "secret_variable",
		`printf '%s\n' HOME GITHUB_TOKEN | while read v; do printenv "$v"; done`:    "secret_variable",
		`find HOME GITHUB_TOKEN -type f | xargs printenv`:                           "secret_variable",
		`echo HOME USER | xargs printenv`:                                           "",
		`printf '%s\n' HEAD:.env | xargs -I{} git cat-file -p {}`:                   "secret",
		`printf '%s\n' HEAD:README.md HEAD:.env | xargs -I{} git show {}`:           "secret",
		`echo HEAD:.env | while read f; do git cat-file -p "$f"; done`:              "secret",
		`printf '%s\n' HEAD:README.md HEAD:src/main.go | xargs -I{} git show {}`:    "",
		`printf '%s\n' README.md src keys | xargs -I{} git log -p -- {}`:            reachesSecret,
		`printf '%s\n' README.md keys | while read -r v; do git diff -- "$v"; done`: reachesSecret,
		`ls -d README* keys* | while read -r v; do git log -p -- "$v"; done`:        reachesSecret,
		`printf '%s\n' README.md src | xargs -I{} git log -p -- {}`:                 "",
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.Equal(t, want, gravest(facts), line)
	}
}

const reachesSecret = "reaches_secret"

// gravest names how a secret is reached: by its path, its variable, or a tree.
func gravest(facts v1.Facts) string {
	for _, path := range facts.Paths {
		if _, secret := path.Class.Get("secret"); secret {
			return "secret"
		}
	}
	for _, item := range facts.Items {
		for _, caveat := range []string{"secret_variable", reachesSecret} {
			if item.Caveats.Has(caveat) {
				return caveat
			}
		}
	}
	return ""
}

// S3: where only the words are printed that a pattern matches, the directory above may be one.
func TestDotsThatAreOnlyNamed(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.project+"/.github", 0o700))
	for line, named := range map[string]bool{
		"ls -d .*/": true, "ls -d .*": true, "ls -d1 .* */": true, "ls -d src/.*": true, "echo .*": true, "echo .*/ src/*": true,
		"ls .*": false, "ls -ld .*": false, "ls -dL .*": false, "ls -dR .*": false, "ls -d .*/*": false, "ls -d .*/..": false, "ls -d .*/./": false, "echo .*/*": false,
		"cat .*": false, "for d in .*/; do ls \"$d\"; done": false, "ls -d .* | xargs ls": false, "for d in $(ls -d .*); do ls \"$d\"; done": false,
		"echo .* | xargs ls": false, "ls -d .*/ | while read -r d; do ls \"$d\"; done": false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		require.NotEmptyf(t, items, "%q", line)
		assert.Equal(t, !named, someItemHas(items, "reaches_unknown", "dynamic_word", "executes"), line)
	}
}

// S3: a pattern that matches nothing stays as it is, also outside of quotes, where it is one word.
func TestPatternsThatMatchNothing(t *testing.T) {
	p := newPlace(t)
	p.files(t, "a/m/m.go")
	lines := []string{
		`for d in a/*; do grep x $d/Cargo.toml; done`, `for d in a/*/; do head -3 $d/*.rs; done`, `for f in *.tf; do cat $f; done`,
		`for d in a/* b/*; do wc -l < $d/x; done`,
	}
	for _, line := range lines {
		assert.Emptyf(t, p.lastOf(line), "%q", line)
	}
	for _, line := range []string{
		`for d in 'b c'*; do cat $d/x; done`, `for d in '{b,c}'*; do cat $d/x; done`, `for d in q[x]*; do cat $d/x; done`, `for d in a/*; do cat b/$d/x; done`,
		`for d in '+(b)'*; do cat $d/x; done`, `for d in 'b\'*; do cat $d/x; done`, `zcat q*.gz`, `for f in q*.gz; do zgrep x $f; done`, `for d in q*; do cd a; cat $d; done`,
	} {
		assert.NotEmptyf(t, p.lastOf(line), "%q", line)
	}
	// A match that is cut is another name, whether there is something below it or not.
	p.files(t, "a/x y/z.go")
	for _, line := range lines[:2] {
		assert.NotEmptyf(t, p.lastOf(line), "%q", line)
	}
}
