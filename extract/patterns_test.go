package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// S3: where ** is one name it may be a link, and what lies behind it is read.
func TestDeepPatternsGoThroughLinks(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Remove(p.project+"/.env"))
	require.NoError(t, os.Remove(p.project+"/out"))
	caveats := func(line string) []string {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		return items[len(items)-1].Caveats
	}
	const line = "cat **/passwd"
	require.Empty(t, caveats(line))
	require.NoError(t, os.Symlink("src", p.project+"/inside"))
	assert.Empty(t, caveats(line))
	require.NoError(t, os.Symlink("nothing", p.project+"/dangling"))
	assert.Empty(t, caveats(line))
	require.NoError(t, os.Symlink("/etc", p.project+"/lib"))
	assert.Contains(t, caveats(line), "reaches_unknown")
	assert.Contains(t, caveats("wc -l **/*.conf"), "reaches_unknown")
}

// S2, S3: where a variable holds one match of a pattern, cd and git -C lead to each of the
// directories that match.
func TestDirectoriesThatAPatternMatches(t *testing.T) {
	p := newPlace(t)
	p.files(t, "a/m/m.go", "a/n/x", "b/o/.env", "c/x y/z", "d/-P/z", "e/f")
	require.NoError(t, os.Mkdir(p.project+"/l", 0o700))
	require.NoError(t, os.Symlink("../../other", p.project+"/l/k"))
	require.NoError(t, os.Symlink("../../../other/file", p.project+"/a/n/k"))
	for line, known := range map[string]bool{
		`for d in a/*/; do (cd "$d" && ls); done`: true, `for d in a/*; do (cd $d && grep x m.go); done`: true, `for d in a/*; do git -C "$d" log --oneline -- m.go; done`: true,
		`for d in a/*/; do (cd "$d" && echo "$d: $(ls | wc -l)"); done`: true, `for d in a/*; do (cd c && cat "$d"); done`: false, `for d in a/*; do (cd c && echo $d); done`: false,
		`for d in a/*; do (cd c && echo "$d" | xargs cat); done`: false, `for d in a/*; do (cd c && x="$d"; cat "$x"); done`: false, `for d in a/*; do (cd c && "$d"); done`: false,
		`for d in a/*/; do (cd "$d" && cat k); done`: false, `for d in a/*/; do (cd "$d" && cat *); done`: false, `for d in a/*/; do tar -C "$d" -cf - k; done`: false,
		`for d in b/*; do (cd "$d" && cat .env); done`: false, `for d in b/*; do (cd "$d" && cat .e*); done`: false, `for d in b/*; do (cd "$d" && grep -r x .); done`: false,
		`for d in l/*; do (cd "$d" && cat file); done`: false, `for d in c/*; do (cd "$d" && ls); done`: false, `cd d; for d in *; do (cd "$d" && ls); done`: false,
		`for d in e/*; do (cd "$d" && ls); done`: false, `for d in a/*; do cd "$d"; cd ..; cat ../.env; done`: false, `for d in ../*/; do (cd "$d" && ls); done`: false,
		`e=/etc; for d in *; do cd "$d"; cat passwd; done`: false, `CDPATH=/etc; for d in a/*; do (cd "$d" && ls); done`: false, `cd a/*/ && ls`: false,
		`mkdir a/q; for d in a/*; do (cd "$d" && ls); done`: false, `for d in a/*; do (cd -P "$d" && ls); done`: false, `for d in ./**/; do (cd "$d" && ls); done`: false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		require.NotEmptyf(t, items, "%q", line)
		asked := someItemHas(items, "cwd_unknown", "dynamic_word", "reaches_outside", "reaches_unknown", reachesSecret, "assigns", "executes", "unknown_program")
		for _, path := range p.facts("Bash", map[string]any{"command": line}).Paths {
			asked = asked || path.Space == "outside" || len(path.Class) > 0
		}
		assert.Equal(t, !known, asked, line)
	}
	// Too many are none.
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17"} {
		require.NoError(t, os.MkdirAll(p.project+"/many/d"+name, 0o700))
	}
	assert.True(t, someItemHas(p.facts("Bash", map[string]any{"command": `for d in many/*; do (cd "$d" && ls); done`}).Items, "cwd_unknown"))
	// What is there now counts, and not what was there when a line was last explained.
	again := `for d in a/*/; do (cd "$d" && ls); done`
	require.NoError(t, os.Symlink("../../other", p.project+"/a/z"))
	found := false
	for _, item := range p.facts("Bash", map[string]any{"command": again}).Items {
		found = found || item.Touches.Has("list.outside")
	}
	assert.True(t, found)
}

// S3: a pattern that matches nothing is handed on as it stands, and brackets don't match
// their own text.
func TestFilesCalledLikeAPattern(t *testing.T) {
	lines := []string{
		`cat d/[z]`, `sort d/[z]`, `cat < d/[z]`, `cat [q]/*`, `grep -r x d/[y]`, `cat d/[y]/file`, `for f in d/[z]; do cat "$f"; done`,
		`for f in d/[z]; do cat "d/${f##*/}"; done`, `a=(d/[z]); cat "${a[0]}"`,
	}
	for _, planted := range []bool{false, true} {
		p := newPlace(t)
		p.files(t, "d/Z", "src/a")
		if planted {
			for name, target := range map[string]string{"d/[z]": "other/file", "[q]/*": "other/file", "d/[y]": "other"} {
				p.plant(t, name, "", p.home+"/"+target)
			}
		}
		for _, line := range lines {
			if planted {
				assert.Containsf(t, p.lastOf(line), "reaches_outside", "%q", line)
			} else {
				assert.Emptyf(t, p.lastOf(line), "%q", line)
			}
		}
	}
	p := newPlace(t)
	require.NoError(t, os.WriteFile(p.project+"/.env", []byte("x"), 0o600))
	p.plant(t, "d/[z]", "", p.project+"/.env")
	assert.Contains(t, p.lastOf(`cat d/[z]`), "reaches_secret")
}

// S2: what is made is then called like the pattern.
func TestFilesMadeOfAPattern(t *testing.T) {
	p := newPlace(t)
	p.plant(t, "src/X.none", "", "/dev/null") // a match only where case doesn't count
	for line, want := range map[string]string{
		`tee src/x*.none`: v1.SpaceProject,
		`tee docs/*.none`: v1.SpaceProject, `for f in nodir/*; do tee "$f"; done`: v1.SpaceProject, `a=(src/[x]); tee "${a[0]}"`: v1.SpaceProject,
		`tee ../other/*.none`: v1.SpaceOutside, `touch docs/*.none`: v1.SpaceProject,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		touches := facts.Items[slices.IndexFunc(facts.Items, func(item v1.Item) bool { return item.Verb == "tee" || item.Verb == "touch" })].Touches
		assert.Truef(t, touches.Has(v1.OpWrite+"."+want), "%q touches %v", line, touches)
	}
}

// S3: a link may be made to what isn't there.
func TestLinksNamedByAPattern(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/a")
	facts := p.facts("Bash", map[string]any{"command": "ln -s x/*.none src"})
	var names []string
	for i := range facts.Paths {
		names = append(names, facts.Paths[i].Real)
	}
	assert.Contains(t, names, p.project+"/src/*.none")
}

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

// S3: a search that git does takes what is included for pathspecs: stars match slashes, a name
// is all below it, and a colon begins magic. V12: a pattern in front of it may be an option.
func TestSearchesThatGitDoes(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	p.files(t, "conf/server.pem", "conf/a.go")
	require.NoError(t, os.WriteFile(p.project+"/.gitignore", []byte(".env\n"), 0o600))
	ask := func(agent, tool string, args map[string]any, caveats ...string) bool {
		call := p.call(tool, args)
		call.Session.Agent = agent
		return someItemHas(p.extractor.Extract(call, nil).Items, caveats...)
	}
	for include, want := range map[string]bool{
		"*.go": false, "**/*.go": false, "src": false, "s*.go": false, "*a*.go": false, "x*": false,
		":": true, ":^x": true, ":x": true, "conf": true, "con?": true, "c*": true, "*n*m": true, "**/c*": true, "s*": true,
	} {
		args := map[string]any{"pattern": "x", "include": include}
		for agent, tool := range map[string]string{"gemini": "grep_search", "other": "grep_search"} {
			assert.Equal(t, want, ask(agent, tool, args, "reaches_secret"), "%s %s", agent, include)
		}
	}
	for pattern, want := range map[string]bool{"x": false, "a-b": false, "": false, " -x": false, "-Otouch x;#": true, "--no-index": true, "-f.env": true} {
		args := map[string]any{"pattern": pattern, "include": "*.go"}
		for _, tool := range []string{"grep_search", "search_file_content"} {
			assert.Equal(t, want, ask("gemini", tool, args, "unknown_argument"), "%s %s", tool, pattern)
		}
		assert.Equal(t, want, ask("other", "search_files", map[string]any{"regex": pattern}, "unknown_argument"), pattern)
	}
	assert.False(t, ask("claude-code", "Grep", map[string]any{"pattern": "-x"}, "unknown_argument"), "it is handed on behind -e")
}

// S3: BSD's grep matches what is included against whole paths as well.
func TestIncludesOverPaths(t *testing.T) {
	p := newPlace(t)
	p.files(t, "conf/server.pem", "conf/a.go", "deep/conf/server.pem")
	for line, want := range map[string]bool{
		"grep -r --include='*.go' x .": false, "grep -r --include='c*' x src": false, "grep -r --include='a*' x conf": false,
		"grep -r --include='*.md' --include='*.go' x conf": false,
		"grep -r --include='c*' x conf":                    true, "grep -r --include='c*' x deep/conf": true, "grep -r --include='*o*m' x .": true,
		"grep -r --include='.*' x conf/.": true, "grep -r --include='c?n?*' x co*": true, "grep -rl --include='c*' x conf | xargs cat": true,
		"grep -r --exclude-dir='con*' x conf/.. --include='*.pem' --exclude-dir=deep": true, "grep -r --exclude-dir=conf --include='*.pem' x": false,
	} {
		for platform, counts := range map[string]bool{"linux": false, "darwin": true} {
			call := p.call("Bash", map[string]any{"command": line})
			call.Session.Platform = platform
			facts := p.extractor.Extract(call, nil)
			assert.Equal(t, want && counts, someItemHas(facts.Items, "reaches_secret", "reaches_unknown"), "%s: %s", platform, line)
		}
	}
}

// S3: magic in front of a path pattern says which tracked files git prints, as far as git
// does, and a word that is the path of a tracked file is no pattern.
func TestPathspecsWithMagic(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	for _, name := range []string{"conf/.env", "!x/.env", "(glob)y/.env", "src/a.go", "src/deep/b.go"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("KEY=1\n"), 0o600))
	}
	output, err := exec.Command("git", "-C", p.project, "add", "-f", "conf", "!x", "(glob)y", "src").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for line, want := range map[string]string{
		"git grep KEY -- ':(glob)src/**/*.go'":               "",
		"git grep KEY -- ':(glob)*/*.go'":                    "",
		"git grep KEY ':(top,icase)SRC'":                     "unknown_option",
		"git diff -- ':(literal)src'":                        "",
		"git log -p -- ':(top)src' ':(exclude)*.md'":         "",
		"git log -p -- ':(top)src' ':(exclude,glob)**/*.md'": "unknown_option",
		"git ls-files ':(glob)src/**/*.go' | xargs cat":      "",
		"git ls-files ':(attr:x)src'":                        "unknown_option",
		"git ls-files ':(glob,literal)src'":                  "unknown_option",
		"git grep KEY -- ':(glob)**'":                        reachesSecret,
		"git grep KEY -- ':(glob)*/*'":                       reachesSecret,
		"git grep KEY -- ':(icase)CONF'":                     "reaches_unknown",
		"git ls-files ':(glob)*/*v' | xargs cat":             reachesSecret,
		"git grep KEY -- src ':(literal)conf'":               reachesSecret,
		"git grep KEY -- ':(icase)../conf'":                  "reaches_unknown",
		// Behind a backslash a wildcard is none, and excludes nothing.
		`git grep KEY -- . ':!\*.env'`:         reachesSecret,
		`git grep KEY -- . ':(exclude)\*.env'`: reachesSecret,
		"git grep KEY -- . ':!*.env'":          "",
		// What counts from the top is taken as it is written.
		"git grep KEY -- . ':!/./conf/.env' ':!*x*' ':!*y*'": "reaches_unknown",
		"git grep KEY -- ':!/.'":                             "reaches_unknown",
		// A range may end before it begins.
		"git grep KEY -- 'conf/[.-*]env'": reachesSecret,
		// git ls-files takes off what excludes as much as the directory has.
		"git ls-files conf/ ':!**/.env' | xargs cat":   reachesSecret,
		"git ls-files conf/ ':!*/.env' | xargs cat":    reachesSecret,
		"git ls-files conf/ ':!conf/.env' | xargs cat": "",
		"git show ':!x/.env' src":                      reachesSecret,
		"git show --stat ':^x/.env' ':!x/.env'":        reachesSecret,
		"git diff ':(glob)y/.env' HEAD:src/a":          reachesSecret,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		if want == "" {
			assert.False(t, someItemHas(items, reachesSecret, "reaches_unknown", "unknown_option"), line)
			continue
		}
		assert.True(t, someItemHas(items, want), line)
	}
}
