package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/decider"
)

// newClassPlace is a project with a directory of a path class, and links and other names that lead there.
func newClassPlace(t *testing.T, effect string) patternPlace {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := patternPlace{place: place{home: home, project: home + "/proj"}}
	for _, name := range []string{
		"proj/infra/prod/x", "proj/infra/prod/deep/y", "proj/infra/dev/x", "proj/src/a.go", "proj/a.txt", "srv/live/z", "state/token", "proj/svc/a/deploy/live.yaml",
		"proj/svc/a/main.go",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(home+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(home+"/"+name, []byte("k\n"), 0o600))
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "first"}} {
		command := exec.CommandContext(t.Context(), "git", args...)
		command.Dir = p.project
		command.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
		out, err := command.CombinedOutput()
		require.NoErrorf(t, err, "%s", out)
	}
	require.NoError(t, os.Symlink("infra/prod/x", p.project+"/link"))
	require.NoError(t, os.Symlink("infra/prod", p.project+"/linkdir"))
	require.NoError(t, os.Link(p.project+"/infra/prod/x", p.project+"/double"))
	p.use(t, "path_classes:\n  production:\n    paths: [\"infra/prod\", \""+home+"/srv/live\", \"svc/**/deploy\"]\n    effect: "+
		effect+"\n    message: ask the operators\n")
	return p
}

// use gives a place other settings.
func (p *patternPlace) use(t *testing.T, settings string) {
	t.Helper()
	file := p.home + "/policyd.yaml"
	require.NoError(t, os.WriteFile(file, []byte(settings), 0o600))
	made, err := decider.New(t.Context(), decider.Options{Home: p.home, Project: p.project, StateDir: p.home + "/state", Settings: file})
	require.NoError(t, err)
	p.engine = made
	t.Cleanup(func() { require.NoError(t, made.Close()) })
}

// A bundle of operators has path classes in its data. They count beside those of the settings, and a class that
// both define has the stricter effect.
func TestPathClassesOfABundle(t *testing.T) {
	p := newClassPlace(t, "deny")
	bundle := p.home + "/bundle"
	write := func(name, content string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(bundle+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(bundle+"/"+name, []byte(content), 0o600))
	}
	write(".manifest", `{"roots": ["site_data/team", "site_data/other"]}`)
	write("site_data/team/data.json", `{"path_classes": {"production": {"paths": ["infra/prod", "svc/**/deploy"]}}, "hosts": {}}`)
	write("site_data/other/data.json", `{"path_classes": {"development": {"paths": ["infra/dev"], "effect": "prompt"}}}`)
	lines := map[string]v1.Effect{
		"cat infra/prod/x": v1.EffectDeny, "cat infra/pr*/x": v1.EffectDeny, "grep -r k infra/prod": v1.EffectDeny, "cat linkdir/x": v1.EffectDeny,
		"git show HEAD:infra/prod/x": v1.EffectDeny, "rm -rf infra": v1.EffectDeny, "cat svc/a/deploy/live.yaml": v1.EffectDeny,
		"cat infra/dev/x": v1.EffectPrompt, "grep -r k infra/dev": v1.EffectPrompt, "cat infra/d*/x": v1.EffectPrompt,
		"cat svc/a/main.go": v1.EffectAllow, "cat src/a.go": v1.EffectAllow,
	}
	for name, settings := range map[string]string{
		"the bundle alone":  "bundle: " + bundle + "\n",
		"a laxer effect":    "bundle: " + bundle + "\npath_classes: {production: {paths: [nowhere], effect: none}}\n",
		"a stricter effect": "bundle: " + bundle + "\npath_classes: {development: {paths: [nowhere], effect: prompt}}\n",
	} {
		p.use(t, settings)
		for line, want := range lines {
			effects, _ := p.decide(t, line)
			assert.Equalf(t, want, effects[0], "%s: %q", name, line)
		}
	}
	p.use(t, "bundle: "+bundle+"\npath_classes: {development: {paths: [nowhere]}}\n")
	effects, _ := p.decide(t, "cat infra/dev/x")
	assert.Equal(t, v1.EffectDeny, effects[0])

	for name, content := range map[string]string{
		"another bundle defines": `{"path_classes": {"production": {"paths": ["x"]}}}`,
		"no list of paths":       `{"path_classes": {"development": {"paths": []}}}`,
		"unknown key":            `{"path_classes": {"development": {"paths": ["x"], "efect": "deny"}}}`,
		"allowed: deny":          `{"path_classes": {"development": {"paths": ["x"], "effect": "allow"}}}`,
		"not a text":             `{"path_classes": {"development": {"paths": ["x"], "effect": true}}}`,
		"not an object with":     `{"path_classes": {"development": ["x"]}}`,
		"small letters":          `{"path_classes": {"Production": {"paths": ["x"]}}}`,
		"one of policyd's own":   `{"path_classes": {"secret": {"paths": ["x"]}}}`,
		"syntax error":           `{"path_classes": {"development": {"paths": ["[x"]}}}`,
	} {
		write("site_data/other/data.json", content)
		_, err := decider.New(t.Context(), decider.Options{Home: p.home, Project: p.project, StateDir: p.home + "/state", Settings: p.home + "/policyd.yaml"})
		assert.ErrorContains(t, err, name)
	}
}

// A path in a class is found in whatever way a call reaches it.
func TestPathClassesAreFoundByEachWay(t *testing.T) {
	for name, effect := range map[string]v1.Effect{"deny": v1.EffectDeny, "prompt": v1.EffectPrompt} {
		p := newClassPlace(t, name)
		for _, line := range []string{
			"cat infra/prod/x", "cat infra/pr*/x", "cat infra/*/x", "cat inf*/prod/x", "grep -r k infra", "grep -r k .", "rg k", "rg k infra", "find infra -type f -exec cat {} +",
			"find . -name y | xargs cat", "tar c infra", "tar cf a.tar .", "git show HEAD:infra/prod/x", "git show", "git log -p", "git diff HEAD~1", "git grep k", "git grep k -- infra",
			"git log -p -- infra/prod", "cat link", "cat linkdir/x", "cat double", "cd infra && cat prod/x", "cd infra/prod && cat x",
			"for f in infra/*/x; do cat \"$f\"; done", "git ls-files infra | xargs cat", "cat ../srv/live/z", "cat ../srv/l*/z", "ls infra/prod", "rm -rf infra",
			"rm infra/prod/x", "echo k > infra/prod/new", "cp a.txt infra/prod/", "sed -i s/a/b/ infra/prod/*", "ln -s infra/prod w && cat w/x", "cat < infra/prod/x",
			"mv infra other", "cat svc/a/deploy/live.yaml", "grep -r k svc", "cat svc/*/deploy/*", "git -C infra show HEAD:./prod/x", "git cat-file -p HEAD:infra/prod/x",
		} {
			for with, got := range p.effects(t, line) {
				assert.Equalf(t, effect, got, "%q (%d)", line, with)
			}
		}
		for _, line := range []string{
			"cat infra/dev/x", "grep -r k infra/dev", "cat infra/de*/x", "rg k src", "find infra/dev -type f -exec cat {} +", "git show HEAD:infra/dev/x", "git log --oneline",
			"git grep k -- src", "ls infra", "cat svc/a/main.go", "git log -p -- src",
		} {
			effects, _ := p.decide(t, line)
			assert.Equalf(t, v1.EffectAllow, effects[0], "%q", line)
		}
		for _, call := range []*v1.Call{
			p.call("Read", map[string]any{"file_path": p.project + "/infra/prod/x"}), p.call("Read", map[string]any{"file_path": p.project + "/linkdir/x"}),
			p.call("Grep", map[string]any{"pattern": "k", "path": p.project + "/infra"}), p.call("Grep", map[string]any{"pattern": "k"}),
			p.call("mcp__x__do", map[string]any{"command": "grep -r k infra"}), p.call("mcp__x__do", map[string]any{"cmd": "git log -p"}),
			p.call("mcp__x__do", map[string]any{"path": "infra/pr*/x"}), p.call("mcp__x__do", map[string]any{"x": "inf*/prod/[xy]"}),
			p.call("Edit", map[string]any{"file_path": p.project + "/infra/prod/x", "old_string": "k", "new_string": "l"}),
			p.call("Write", map[string]any{"file_path": p.project + "/infra/prod/new", "content": "l"}), p.call("LS", map[string]any{"path": p.project + "/infra/prod"}),
			p.call("mcp__fs__read", map[string]any{"path": p.project + "/infra/prod/x"}), p.call("mcp__fs__read", map[string]any{"path": "infra/prod/x"}),
			p.call("apply_patch", map[string]any{"input": "*** Begin Patch\n*** Update File: infra/prod/x\n@@\n-k\n+l\n*** End Patch\n"}),
		} {
			got, codes := p.judge(t, call, nil, v1.Approval{ID: "a", Tool: v1.ToolMCP, Verb: "mcp:fs/read", Anywhere: true})
			assert.Equalf(t, effect, got, "%s %s", call.Tool, call.Args)
			assert.Containsf(t, codes, "path_class", "%s %s", call.Tool, call.Args)
		}
	}
}

// effects are those of a line, with each set of remembered answers.
func (p *patternPlace) effects(t *testing.T, line string) [3]v1.Effect {
	t.Helper()
	out, _ := p.decide(t, line)
	return out
}

// An approval of a tool covers a directory above a path of a class only if it was given for such a call. A class
// without an effect is for rules of a site alone.
func TestApprovedToolsAndClassesBelow(t *testing.T) {
	for effect, want := range map[string]v1.Effect{"deny": v1.EffectPrompt, "prompt": v1.EffectPrompt, "none": v1.EffectAllow} {
		p := newClassPlace(t, effect)
		call := p.call("mcp__x__do", map[string]any{"path": "infra"})
		approval := approved("mcp:x/do")
		got, codes := p.judge(t, call, nil, approval)
		assert.Equalf(t, want, got, "%s: %s", effect, codes)
		approval.Risks.Add("production below")
		got, codes = p.judge(t, call, nil, approval)
		assert.Equalf(t, v1.EffectAllow, got, "%s: %s", effect, codes)
		approval.Risks = v1.Set{}
		got, codes = p.judge(t, p.call("mcp__x__do", map[string]any{"path": "src"}), nil, approval)
		assert.Equalf(t, v1.EffectAllow, got, "%s: %s", effect, codes)
	}
}
