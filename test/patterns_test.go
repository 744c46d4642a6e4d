package test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/decider"
	"policyd/test/jsonl"
	"policyd/test/project"
)

// patternPlace is a project with files that matter by their names, a directory of a read-only
// grant, and remembered answers for whatever a line runs.
type patternPlace struct {
	place
	grants []v1.PathGrant
}

func newPatternPlace(t *testing.T) patternPlace {
	t.Helper()
	tree, err := project.New(t.Context(), t.TempDir())
	require.NoError(t, err)
	require.NoError(t, project.Expose(t.Context(), tree))
	p := patternPlace{place: place{home: tree.Home, project: tree.Project}}
	for _, name := range []string{
		"proj/AGENTS.md", "proj/CLAUDE.md", "proj/.mcp.json", "proj/.claude/settings.json", "proj/docs/CLAUDE.md", "proj/docs/a.md",
		"proj/secrets.json", "given/f.md", "given/sub/g.txt", "proj/.git/hooks/pre-commit.sample", "other/o.txt", "state/token",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(tree.Home+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(tree.Home+"/"+name, []byte("x\n"), 0o600))
	}
	for name, target := range map[string]string{"linked.md": "AGENTS.md", "linkdir": "docs", "far": "../other", "given.md": "../given/f.md", "hidden.txt": ".env"} {
		require.NoError(t, os.Symlink(target, tree.Project+"/"+name))
	}
	require.NoError(t, os.Link(tree.Project+"/.env", tree.Project+"/double.txt"))
	p.grants = []v1.PathGrant{{ID: "g", Root: tree.Home + "/given", Mode: "read"}}
	p.engine, err = decider.New(t.Context(), decider.Options{Home: tree.Home, Project: tree.Project, StateDir: tree.Home + "/state"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.engine.Close()) })
	return p
}

// decide judges a line alone, with every verb of it remembered for the project, and anywhere. A line is
// unexplained if a remembered answer never covers it.
func (p *patternPlace) decide(t *testing.T, line string) (out [3]v1.Effect, unexplained bool) {
	t.Helper()
	call := p.call("Bash", map[string]any{"command": line})
	out[0], _ = p.judge(t, call, p.grants)
	var here, anywhere []v1.Approval
	facts := p.engine.Facts(call, p.grants)
	for _, verb := range facts.Verbs {
		here = append(here, v1.Approval{ID: verb, Tool: v1.ToolShell, Verb: verb, Directory: p.project})
		anywhere = append(anywhere, v1.Approval{ID: verb, Tool: v1.ToolShell, Verb: verb, Anywhere: true})
	}
	out[1], _ = p.judge(t, call, p.grants, here...)
	out[2], _ = p.judge(t, call, p.grants, anywhere...)
	runs := func(item v1.Item) bool { return item.Caveats.Has("executes") }
	return out, facts.Messy || slices.ContainsFunc(facts.Items, runs)
}

// widened are patterns that match a path, by its last segment and by its first.
func widened(name string) []string {
	dir, base := filepath.Split(name)
	if strings.Trim(base, ".") == "" {
		return nil
	}
	out := []string{dir + base[:1] + "*", dir + "[" + base[:1] + "]" + base[1:]}
	if len(base) > 1 {
		out = append(out, dir+base[:len(base)-1]+"?")
	}
	if first, rest, ok := strings.Cut(name, "/"); ok && len(first) > 1 {
		out = append(out, first[:1]+"*/"+rest, first[:len(first)-1]+"?/"+rest)
	}
	return out
}

var barePath = regexp.MustCompile(`^[A-Za-z0-9._][A-Za-z0-9._/-]*$`)

// expanded is bash's expansion of a pattern in the project, "" if it isn't a plain list of names.
func (p *patternPlace) expanded(pattern string) string {
	matches, err := filepath.Glob(p.project + "/" + pattern)
	if err != nil || len(matches) == 0 {
		return ""
	}
	var words []string
	for _, match := range matches {
		word, err := filepath.Rel(p.project, match)
		dotted := strings.HasPrefix(filepath.Base(word), ".") && !strings.HasPrefix(filepath.Base(pattern), ".")
		hidden := strings.HasPrefix(word, ".") && !strings.HasPrefix(pattern, ".")
		if err != nil || dotted || hidden {
			continue
		}
		if !barePath.MatchString(strings.TrimPrefix(word, "../")) {
			return ""
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// slotted is a line around one path.
type slotted struct{ before, path, after string }

func (s slotted) with(words string) string { return s.before + words + s.after }

// generated are lines that read, write and delete each of the paths that matter.
func generated() []slotted {
	paths := []string{
		"AGENTS.md", ".mcp.json", ".claude/settings.json", ".claude", ".git", ".git/hooks/pre-commit.sample", "docs/CLAUDE.md", "docs/a.md", "docs",
		"secrets.json", ".env", "hidden.txt", "double.txt", "linked.md", "linkdir/CLAUDE.md", "given.md", "far/o.txt", "far", "src/app.py", "src",
		"../given/f.md", "../given/sub", "../given/sub/g.txt", "../proj/AGENTS.md", "../proj", "../other/o.txt", "../state/token",
	}
	forms := []string{
		"rm @", "rm -rf @", "tee @ < a.txt", "cp a.txt @", "cp -r src @", "mv @ x.new", "mv a.txt @", "sed -i s/a/b/ @", "truncate -s0 @", "touch @",
		"chmod -x @", "chown root @", "ln -sf a.txt @", "cat @", "head -3 @", "grep -r x @", "ls -l @", "wc -l < @", "git rm @", "git add @", "shred @",
		"mytool @", "tar cf x.tar @", `for f in @; do rm "$f"; done`, `printf '%s\n' @ | xargs cat`, `a=(@); rm "${a[@]}"`,
		"find @ -delete", "find @ -exec rm {} +", "cp @ build/", "cat a.txt > @",
	}
	var lines []slotted
	for _, path := range paths {
		for _, form := range forms {
			before, after, _ := strings.Cut(form, "@")
			lines = append(lines, slotted{before, path, after})
		}
	}
	return lines
}

// fromCorpora are the plain lines of all corpora that a shell of Unix runs, around each path of
// the project that they name.
func (p *patternPlace) fromCorpora(t *testing.T) []slotted {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var lines []string
	for _, name := range files {
		entries, err := jsonl.Read[struct{ Command, Shell, Platform string }](name)
		require.NoError(t, err)
		for _, line := range entries {
			plain := !strings.ContainsAny(line.Command, "'\"`$#\\\n*?[{") && !strings.Contains(line.Command, "cd ")
			if line.Shell == "" && line.Platform == "" && plain {
				lines = append(lines, line.Command)
			}
		}
	}
	slices.Sort(lines)
	var out []slotted
	for _, line := range slices.Compact(lines) {
		words := strings.Split(line, " ")
		for at := 1; at < len(words); at++ {
			if barePath.MatchString(words[at]) && !strings.HasSuffix(words[at], "/") && p.exists(words[at]) {
				out = append(out, slotted{strings.Join(words[:at], " ") + " ", words[at], strings.TrimSuffix(" "+strings.Join(words[at+1:], " "), " ")})
			}
		}
	}
	return out
}

func (p *patternPlace) exists(name string) bool {
	_, err := os.Lstat(p.project + "/" + name)
	return err == nil
}

// every is n if one of n patterns is tried: all of them take a minute.
const every = 5

// A pattern is never judged more mildly than its expansion, whatever the command does with the matches. A
// line that isn't explained prompts each time, and so does a program that another one runs.
func TestPatternsAreJudgedByTheirMatches(t *testing.T) {
	p := newPatternPlace(t)
	literal := map[string][3]v1.Effect{}
	for source, lines := range map[string][]slotted{"generated": generated(), "corpora": p.fromCorpora(t)} {
		tried, at := 0, 0
		for _, line := range lines {
			for _, pattern := range widened(line.path) {
				words := p.expanded(pattern)
				if at++; words == "" || at%every != 0 {
					continue
				}
				tried++
				expanded := line.with(words)
				if _, known := literal[expanded]; !known {
					literal[expanded], _ = p.decide(t, expanded)
				}
				effects, unexplained := p.decide(t, line.with(pattern))
				for with, effect := range effects {
					want := literal[expanded][with]
					if unexplained || source == "corpora" && want == v1.EffectDeny {
						want = max(want, v1.EffectPrompt) // and in the place of what is no path a name may make of it one
					}
					assert.LessOrEqualf(t, effect, want, "%q is judged %v, and %q is judged %v", line.with(pattern), effect, expanded, want)
				}
			}
		}
		assert.Greaterf(t, tried, 300, "lines of %s", source)
	}
}

// Names that only the disk knows carry the operation that is done to them.
func TestMatchesCarryTheOperation(t *testing.T) {
	p := newPatternPlace(t)
	for line, want := range map[string]v1.Effect{
		"rm -rf .g*": v1.EffectPrompt, "rm A*.md": v1.EffectPrompt, "rm -rf .claud?": v1.EffectPrompt, "sed -i s/a/b/ docs/*.md": v1.EffectPrompt,
		"chmod -x .git/hooks/*": v1.EffectPrompt, "chmod -w AGENTS.md": v1.EffectPrompt, "mv A*.md x": v1.EffectPrompt, "cp x A*.md": v1.EffectPrompt,
		"truncate -s0 *.md": v1.EffectDeny, "rm {A,B}*.md": v1.EffectPrompt, "rm */C*.md": v1.EffectPrompt, "rm **/*.md": v1.EffectDeny,
		"rm -rf ../pro*": v1.EffectPrompt, "rm -rf ../*": v1.EffectDeny, "cat a.txt > A*.md": v1.EffectPrompt,
		`for f in A*.md; do rm "$f"; done`: v1.EffectPrompt, "ls A*.md | xargs rm": v1.EffectPrompt, "find docs -name 'C*.md' -exec rm {} +": v1.EffectPrompt,
		"git ls-files src | xargs sed -i s/a/b/": v1.EffectAllow, "find src -name '*.py' -exec rm {} +": v1.EffectAllow, "rm src/*.py": v1.EffectAllow,
		"find docs -type f | xargs sed -i s/a/b/": v1.EffectPrompt, `printf '%s\n' A*.md | while read -r f; do rm "$f"; done`: v1.EffectPrompt,
		`a=(A*.md); rm "${a[@]}"`: v1.EffectPrompt, "f=A*.md; rm $f": v1.EffectPrompt, "find . -name .env -exec rm {} +": v1.EffectDeny,
		"rm ../given/*.md": v1.EffectDeny, "tee ../given/*.md < a.txt": v1.EffectDeny, "cp a.txt ../given/*.md": v1.EffectDeny, "cd ../given && rm *": v1.EffectDeny,
		"sed -i s/a/b/ ../given/*.md": v1.EffectDeny, "find ../given -type f -exec rm {} +": v1.EffectDeny, "cat ../given/*.md": v1.EffectAllow,
		"cat s*.json": v1.EffectDeny, "cat .en?": v1.EffectDeny, "wc -l < hid*": v1.EffectDeny, "cat src/*.py": v1.EffectAllow,
	} {
		effects, _ := p.decide(t, line)
		assert.Equalf(t, want, effects[2], "%q with every verb remembered", line)
	}
}

// Nothing covers a pattern with more matches than the walk's bound.
func TestTooManyMatchesPrompt(t *testing.T) {
	p := newPatternPlace(t)
	for i := range 1100 {
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s/build/%d.o", p.project, i), nil, 0o600))
	}
	for line, want := range map[string]v1.Effect{
		"rm build/*": v1.EffectPrompt, "rm build/1*.o": v1.EffectAllow, "find build -name '*.o' -exec rm {} +": v1.EffectPrompt, "cat build/*": v1.EffectPrompt,
	} {
		effects, _ := p.decide(t, line)
		assert.Equalf(t, want, effects[2], "%q with every verb remembered", line)
	}
}
