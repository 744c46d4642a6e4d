package extract_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// toolReads asks about a tool of an agent's, and returns the call's items, their caveats, and the classes of their paths.
func (p place) toolReads(agent, tool string, args map[string]any) string {
	call := p.call(tool, args)
	call.Session.Agent = agent
	facts := p.extractor.Extract(call, nil)
	found := append(strings.Fields(touches(facts)), facts.Doubts...)
	for _, item := range facts.Items {
		found = append(found, item.Caveats...)
	}
	for _, path := range facts.Paths {
		for _, class := range path.Class {
			found = append(found, class.Name)
		}
	}
	return strings.Join(slices.Compact(found), " ")
}

// S2, S3: a pattern of npm's glob matches names in any case and hidden ones, and reads what links lead to, on the way
// and at the end.
func TestPatternsOfReadManyFiles(t *testing.T) {
	p := newPlace(t)
	p.files(t, "packages/a/.env", "packages/b/x.ts", "packages/b/X.Pem", "lib/one/two/y.ts", "lib/one/z.ts", "libs/n/x.ts", "lib/k.ts", "app/[id]/page.ts", "src2/a.go", "up/x.go", "in/a.go")
	require.NoError(t, os.Symlink("../.env", p.project+"/src2/conf"))
	require.NoError(t, os.Symlink("..", p.project+"/src/up"))
	require.NoError(t, os.Symlink("../../../other", p.project+"/libs/n/out"))
	require.NoError(t, os.Symlink("../other", p.project+"/out"))
	require.NoError(t, os.Symlink("../other/file", p.project+"/file.go"))
	require.NoError(t, os.Symlink("one", p.project+"/lib/same"))
	require.NoError(t, os.Symlink(".env", p.project+"/env.txt"))
	for pattern, want := range map[string]string{
		// What no secret matches.
		"*.ts": "", "**/*.ts": "", "src/*.go": "", "SRC/*": "", "docs/**": "", "*.{ts,tsx}": "", "**/*.{js,ts}": "", "{docs,lib}/*": "", "app/[id]/*.ts": "",
		"app/[id]/page.ts": "", "*.md": "", "packages/b/*.ts": "", "packages/*/*.ts": "", "lib/**/*.ts": "", "lib/**/same/*.ts": "", "gone/*": "", "gone/**": "", "*": "secret", "docs/..": "reaches_secret",
		"src/*": "", "docs/*/**": "", "up": "", "src2/*.go": "", "packages/b/@x/*.ts": "",
		// Case.
		"PACKAGES/**": "reaches_secret", "packages/A/*": "secret", "Packages/*/*": "secret", "packages/b/*.PEM": "secret", "PACKAGES/**/*.pem": "reaches_secret", "PACKAGES/A/.ENV": "secret",
		// Links.
		"src2/*": "secret", "SRC2/CONF": "secret", "src/*/.env": "secret", "src/up/.e*": "secret", "src/**": "reaches_unknown", "src/**/*.go": "reaches_unknown", "src2/**": "reaches_secret",
		"libs/n/*/file": "outside", "libs/**/file": "reaches_outside", "*.go": "reaches_outside", "out/**": "outside", "o*/**": "outside", "**/*.go": "reaches_outside", "**/n/*.ts": "reaches_outside",
		"?nv.txt/**": "secret", "env?txt/**/**": "secret", "e*/**": "secret",
		// Ranges across case, and characters that look alike.
		".[A-_]nv": "secret", ".[E-_]NV": "secret", "**/.[A-_]nv": "reaches_secret", "packages/[A-_]/*": "secret", "**/．env": "reaches_secret", ".ｅnv": "reaches_secret", "packages/ａ/*": "reaches_secret",
		// Other ways to spell it.
		".env*": "secret", "{.env,x}": "secret", "{a,.e}*": "secret", "[.]env": "secret", "**": "reaches_secret", "**/*": "reaches_secret", "**/.*": "reaches_secret", "{src,packages}/**": "reaches_secret",
		"packages/?/.env": "secret", "packages/**/..": "reaches_unknown", "*/../.env": "reaches_unknown", "packages/{1..3}/*": "reaches_secret", "packages/{a,..}/*": "pattern_leads_elsewhere",
		"packages/+(a|b)/*": "reaches_secret", `packages\a\*`: "reaches_secret", "!(x)": "reaches_secret", "packages/[[:alpha:]]/.env": "reaches_", "PACKAGES/+(a)/*": "reaches_unknown",
		"../other/*": "outside", "/etc/*": "outside", "{/etc,x}/passwd": "outside", "packages/*/**": "reaches_secret",
	} {
		for _, name := range []string{"include", "paths"} {
			got := p.toolReads("gemini", "read_many_files", map[string]any{name: []string{pattern}})
			if want == "" {
				assert.Equal(t, "path:read.project", got, "%s: %s", name, pattern)
				continue
			}
			assert.Contains(t, got, want, "%s: %s", name, pattern)
		}
	}
	// Where globs may be read in other ways, all below counts, and what isn't there may be there in another case.
	for pattern, want := range map[string]string{
		"packages/*.ts": "reaches_secret", "PACKAGES/**": "reaches_unknown", "src2/*": "reaches_secret", "src/**": "reaches_unknown", "docs/**": "", "libs/n*": "reaches_outside",
	} {
		got := p.toolReads("other", "read_many_files", map[string]any{"include": []string{pattern}})
		if want == "" {
			assert.Equal(t, "path:read.project", got, pattern)
			continue
		}
		assert.Contains(t, got, want, pattern)
	}
}

// S3: what lies below many directories that a pattern matches is walked, up to a bound.
func TestPatternsOverManyDirectories(t *testing.T) {
	p := newPlace(t)
	for _, name := range strings.Split("a b c d e f g h i j k l m n o p q r", " ") {
		p.files(t, "many/"+name+"/x/y.ts")
	}
	args := map[string]any{"include": []string{"many/*/**"}}
	require.Equal(t, "path:read.project", p.toolReads("gemini", "read_many_files", args))
	reads := func() v1.Set {
		call := p.call("read_many_files", args)
		call.Session.Agent = "gemini"
		return p.another(t).Extract(call, nil).Items[0].Caveats
	}
	p.files(t, "many/z/.env")
	assert.Contains(t, reads(), "reaches_secret")
	require.NoError(t, os.RemoveAll(p.project+"/many/z"))
	require.NotContains(t, reads(), "reaches_secret")
	for i := range 128 {
		p.files(t, "many/n"+strconv.Itoa(i)+"/y.ts")
	}
	assert.Contains(t, reads(), "reaches_unknown")
}

// S3: what a search includes is known by base names, whatever ripgrep and others take the text for: braces, a list, a
// path. What is only excluded leaves git's ignore rules in force.
func TestIncludesOfSearches(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	p.files(t, "src/a.ts", "src/deep/b.tsx", "src/.env", "src/x,y.pem", "conf/server.pem", "node_modules/m/i.js")
	require.NoError(t, os.WriteFile(p.project+"/.gitignore", []byte(".env\n*.pem\nnode_modules\n"), 0o600))
	for include, want := range map[string]bool{
		"*.ts": false, "*.{ts,tsx}": false, "**/*.{ts,tsx}": false, "src/**/*.ts": false, "src/*.ts": false, "/src/*.ts": false, "{src,lib}/**/*.{js,ts}": false, "!node_modules": false,
		"!**/node_modules/**": false, "!*.{ts,tsx}": false, "!a !b": false, "*.ts,*.tsx": false, "*.ts *.tsx": false, "*.{ts,tsx},*.js": false, "*.ts, !*.test.ts": false,
		"packages/@scope/**/*.ts": false, "*.{test,spec}.{ts,tsx}": false, "{*.ts,src/{a,b}.tsx}": false, "src": false, "*": true, "src/**": true, "src/*": true, "**/.env": true,
		"src/.env": true, "*.{ts,env}": true, "{src,conf}/**/*.{pem,ts}": true, "{.env,x}": true, ".{env,x}": true, "*.ts,.env": true, "*.ts .e*": true, "!a,.e*": true, "!x *.ts": true,
		"*.{ts,{tsx,pem}}": true, "src/": true, "*.[e]nv": true, "*.(env)": true, `*.ts\`: true, "*.{ts,tsx": true, ".{d..f}nv": true, "*.ts\ufeff.env": true, ".env\ufeff": true, "*\ufeff": true, "*.{env}": true, "": true, "#x": true, "*y.pem": true, "?,y.p*": true,
		"..": true, " ": true, ",": true, "*.{ts, .env}": true, "conf/*[!x]": true,
	} {
		for agent, tool := range map[string]string{"claude-code": "Grep", "codex": "grep_files", "opencode": "grep", "copilot": "grep", "gemini": "grep_search"} {
			name := "glob"
			if agent == "codex" || agent == "opencode" || agent == "gemini" {
				name = "include"
			}
			got := p.toolReads(agent, tool, map[string]any{"pattern": "x", name: include})
			if git := agent == "gemini" && (strings.HasSuffix(include, "src") || include == "*y.pem"); !git {
				assert.Equal(t, want, strings.Contains(got, "reaches_secret"), "%s: %q: %s", agent, include, got)
			}
		}
	}
	// Types count where nothing is included.
	assert.Equal(t, "path:read.project", p.toolReads("claude-code", "Grep", map[string]any{"pattern": "x", "glob": "!x", "type": "ts"}))
}

// S3: where ripgrep can't be had, Gemini CLI searches by git grep, and by a grep that reads ignored files if git refuses
// the search. An expression that git refuses is refused by its grep, so each is tried.
func TestSearchesThatGitRefuses(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/a.ts")
	require.NoError(t, os.WriteFile(p.project+"/.gitignore", []byte(".env\n"), 0o600))
	secret := func(tool string, args map[string]any) bool {
		return strings.Contains(p.toolReads("gemini", tool, args), "reaches_secret")
	}
	require.NoError(t, os.MkdirAll(p.project+"/.git", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/.git/HEAD", []byte("x"), 0o600))
	assert.True(t, secret("grep_search", map[string]any{"pattern": "x"}), "git takes it for no repository")
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	p.initialize(t)
	for pattern, accepted := range map[string]bool{
		"x": true, `func \(`: true, `foo\(a\)`: true, "(a|b)c": true, "[a-z]+_id": true, `^\s*import \{`: true, "class [A-Z][A-Za-z0-9]*": true, "a|b": true, `x\[0\]`: true, "((a)|b)+": true,
		"(": false, "a(": false, ")": false, "[": false, "[z-a]": false, "a{2": false, "x{1,2}": false, "*": false, "(*a)": false, "(?:a)": false, "(?i)a": false, "a++": false, "()": false,
		"(|a)": false, "a||b": false, "a\\": false, `\p{L}`: false, `\d+`: false, "[[:alpha:]]": false, "[\xff-\xfe]": false, "a\n(b": false,
		"x^*|S": false, `S\b+`: false, `S|x\<*`: false, `S|\B?`: false, "^*|S": false, "$*|S": false, "$+": false, `\'*S`: false, "S|\x00": false, strings.Repeat("a", 5000): false, "^a|b$": true,
	} {
		for _, tool := range []string{"grep_search", "search_file_content"} {
			assert.Equal(t, !accepted, secret(tool, map[string]any{"pattern": pattern}), "%s: %q", tool, pattern)
		}
		if accepted {
			output, err := exec.Command("git", "-C", p.project, "grep", "--untracked", "-n", "-E", "--ignore-case", pattern).CombinedOutput()
			var exit *exec.ExitError
			assert.True(t, err == nil || errors.As(err, &exit) && exit.ExitCode() == 1, "%q: %s", pattern, output)
		}
	}
	assert.True(t, secret("grep_search", map[string]any{"pattern": "x", "max_matches_per_file": 3}))
	assert.False(t, secret("grep_search", map[string]any{"pattern": "x", "total_max_matches": 3, "context": 2}))
	assert.False(t, secret("grep_search", map[string]any{"pattern": "(", "include": "*.ts"}), "nothing secret is included")
	assert.NotContains(t, p.toolReads("claude-code", "Grep", map[string]any{"pattern": "("}), "reaches_secret", "it has ripgrep alone")
}

// P1, P11: Gemini CLI's replace takes a relative path that isn't there for the one file of the workspace that ends like it.
func TestPathsThatAToolCorrects(t *testing.T) {
	p := newPlace(t)
	p.files(t, ".claude/settings.json")
	for path, want := range map[string]string{
		"settings.json": "path:write.unknown ambiguous", "./settings.json": "path:write.unknown ambiguous", "ts/settings.json": "path:write.unknown ambiguous",
		"src/main.go": "path:write.project", p.project + "/settings.json": "path:write.project",
	} {
		for agent, tool := range map[string]string{"gemini": "replace", "claude-code": "Edit"} {
			call := p.call(tool, map[string]any{"file_path": path, "old_string": "a", "new_string": "b"})
			call.Session.Agent = agent
			facts := p.extractor.Extract(call, nil)
			got := touches(facts)
			if facts.Paths[0].Caveats.Has("ambiguous") {
				got += " ambiguous"
			}
			wanted := want
			if agent == "claude-code" {
				wanted = "path:write.project"
			}
			assert.Equal(t, wanted, got, "%s %s", tool, path)
		}
	}
	assert.Equal(t, "path:write.project", p.toolReads("gemini", "write_file", map[string]any{"file_path": "settings.json", "content": "x"}))
}

// V12: null is what is not there, for what need not be given, and leaves a call without what it needs incomplete.
func TestArgumentsThatAreNull(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		agent, tool string
		args        map[string]any
		want        string
	}{
		{"claude-code", "Grep", map[string]any{"pattern": "x", "glob": nil, "path": nil, "type": "go"}, "path:read.project"},
		{"claude-code", "Grep", map[string]any{"pattern": "x", "glob": nil, "path": "src", "type": nil}, "path:read.project"},
		{"claude-code", "Glob", map[string]any{"pattern": "*.go", "path": nil}, "path:list.project"},
		{"gemini", "grep_search", map[string]any{"pattern": "x", "dir_path": "src", "include": nil, "no_ignore": nil, "max_matches_per_file": nil}, "path:read.project"},
		{"claude-code", "Read", map[string]any{"file_path": nil}, "path_missing"},
		{"claude-code", "Bash", map[string]any{"command": nil}, "command_missing"},
		{"codex", "apply_patch", map[string]any{"input": nil}, "path_missing"},
		{"claude-code", "Grep", map[string]any{"pattern": "x", "glob": 1, "path": "src"}, "path:read.project argument_type"},
		{"claude-code", "Read", map[string]any{"file_path": "README.md", "other": nil}, "path:read.project tool: unknown_argument"},
	} {
		assert.Equal(t, c.want, p.toolReads(c.agent, c.tool, c.args), "%s %v", c.tool, c.args)
	}
}
