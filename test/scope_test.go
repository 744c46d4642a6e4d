package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/decider"
)

// place is a home with a project and other directories in it, and the built-in
// policy that judges there.
type place struct {
	home, project string
	engine        *decider.Decider
}

func newPlace(t *testing.T) place {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	p := place{home: home, project: home + "/proj"}
	for _, name := range []string{
		"proj/README.md", "proj/src/main.go", "proj/.env", "proj/AGENTS.md", "proj/.claude/settings.json", "proj/lib/.claude/x",
		"proj/plain/x", "a/b/x", "a/bc/x", "rw/x", "rw/ro/x", "rw/ro/rw/x", "other/x", ".ssh/id", "proj/.dogent/memory.md", "state/token",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(home+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(home+"/"+name, []byte("x\n"), 0o600))
	}
	require.NoError(t, os.Symlink("../../other", home+"/a/b/out"))
	require.NoError(t, os.Symlink(".git", p.project+"/repository"))
	require.NoError(t, os.Mkdir(p.project+"/.git", 0o700))
	p.engine, err = decider.New(t.Context(), decider.Options{Home: home, Project: p.project, StateDir: home + "/state"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.engine.Close()) })
	return p
}

func (p place) call(tool string, args map[string]any) *v1.Call {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	session := p.engine.Session()
	if tool == "apply_patch" {
		session.Agent = "codex"
	}
	if strings.Contains(tool, "_file") {
		session.Agent = "somebody"
	}
	return &v1.Call{Tool: tool, Args: text, Cwd: p.project, Session: session}
}

// judge gives the effect, and the codes of its reasons.
func (p place) judge(t *testing.T, call *v1.Call, grants []v1.PathGrant, approvals ...v1.Approval) (v1.Effect, string) {
	t.Helper()
	judgement, err := p.engine.Judge(t.Context(), call, grants, approvals)
	require.NoError(t, err)
	var codes []string
	for _, reason := range judgement.Reasons {
		codes = append(codes, reason.Code)
	}
	return judgement.Effect, strings.Join(codes, " ")
}

// P2, P4: the truth table of path grants, from the disk to the decision.
func TestGrantTable(t *testing.T) {
	p := newPlace(t)
	grants := []v1.PathGrant{
		{Root: p.home + "/rw/ro", Mode: "read"},
		{Root: p.home + "/a/b", Mode: "read"},
		{Root: p.home + "/rw", Mode: "read_write"},
		{Root: p.home + "/rw/ro/rw", Mode: "read_write"},
		{Root: p.project, Mode: "read"},
		{Root: p.project + "/src", Mode: "read"},
	}
	const asks, none = v1.EffectPrompt, "outside_scope"
	for _, c := range []struct {
		path        string
		grants      []v1.PathGrant
		read, write v1.Effect
		code        string // of the write
	}{
		{"/a/b/x", nil, asks, asks, none},
		{"/a/b", grants, v1.EffectAllow, v1.EffectDeny, "path_read_only"},
		{"/a/b/x", grants, v1.EffectAllow, v1.EffectDeny, "path_read_only"},
		{"/a/b/new/deep", grants, v1.EffectAllow, v1.EffectDeny, "path_read_only"},
		{"/a/b//./x", grants, v1.EffectAllow, v1.EffectDeny, "path_read_only"},
		{"/a/bc/x", grants, asks, asks, none},
		{"/a", grants, asks, asks, none},
		{"/a/b/../bc/x", grants, asks, asks, none},
		{"/a/b/out/x", grants, asks, asks, none},
		{"/a/b/out/../b/x", grants, asks, asks, ""},
		{"/rw/x", grants, v1.EffectAllow, v1.EffectAllow, ""},
		{"/rw/ro/x", grants, v1.EffectAllow, v1.EffectDeny, "path_read_only"},
		{"/rw/ro/rw/x", grants, v1.EffectAllow, v1.EffectAllow, ""},
		{"/rw/.env", grants, v1.EffectDeny, v1.EffectDeny, "secret_file"},
		{"/rw/AGENTS.md", grants, v1.EffectAllow, v1.EffectAllow, ""},
		{"/rw/.mcp.json", grants, v1.EffectAllow, asks, "protected_always"},
		{"/proj/src/main.go", grants, v1.EffectAllow, v1.EffectAllow, ""},
		{"/proj/new", grants, v1.EffectAllow, v1.EffectAllow, ""},
	} {
		effect, _ := p.judge(t, p.call("Read", map[string]any{"file_path": p.home + c.path}), c.grants)
		assert.Equal(t, c.read, effect, "read %s", c.path)
		effect, code := p.judge(t, p.call("Write", map[string]any{"file_path": p.home + c.path, "content": ""}), c.grants)
		assert.Equal(t, c.write, effect, "write %s", c.path)
		if c.code != "" {
			assert.Contains(t, code, c.code, "write %s", c.path)
		}
	}
	_, message := p.refusal(t, p.home+"/a/b/x", grants)
	assert.Equal(t, p.home+"/a/b/x is read-only for this agent", message)
}

func (p place) refusal(t *testing.T, path string, grants []v1.PathGrant) (v1.Effect, string) {
	t.Helper()
	judgement, err := p.engine.Judge(t.Context(), p.call("Write", map[string]any{"file_path": path, "content": ""}), grants, nil)
	require.NoError(t, err)
	require.NotEmpty(t, judgement.Reasons)
	return judgement.Effect, judgement.Reasons[0].Message
}

// P6: a grant whose root is sensitive, or leads elsewhere by now, gives nothing.
func TestGrantsThatGiveNothing(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Symlink("other", p.home+"/swapped"))
	for _, root := range []string{"/", p.home, p.home + "/.ssh", "/etc", "/proc", p.home + "/state", p.home + "/swapped", "", "rel", filepath.Dir(p.home)} {
		grants := []v1.PathGrant{{Root: root, Mode: "read_write"}}
		for _, path := range []string{p.home + "/other/x", "/etc/hostname", p.home + "/swapped/x", "/proc/version"} {
			for tool, args := range map[string]map[string]any{"Read": {"file_path": path}, "Write": {"file_path": path, "content": ""}} {
				effect, _ := p.judge(t, p.call(tool, args), grants)
				assert.Equal(t, v1.EffectPrompt, effect, "%s %s under a grant for %q", tool, path, root)
			}
		}
	}
	grants := []v1.PathGrant{{Root: p.home + "/other", Mode: "read"}}
	read := p.call("Read", map[string]any{"file_path": p.home + "/other/x"})
	effect, _ := p.judge(t, read, grants)
	require.Equal(t, v1.EffectAllow, effect)
	require.NoError(t, os.Rename(p.home+"/other", p.home+"/was"))
	require.NoError(t, os.Symlink(".ssh", p.home+"/other"))
	effect, _ = p.judge(t, p.call("Read", map[string]any{"file_path": p.home + "/other/x"}), grants)
	assert.Equal(t, v1.EffectDeny, effect, "a link that was put there since leads to secrets")
}

// P11: what could switch the gate off asks by whatever way it is changed, and
// no approval covers it.
func TestProtectedByEveryWay(t *testing.T) {
	p := newPlace(t)
	begin := "*** Begin Patch\n"
	for name, call := range map[string]*v1.Call{
		"a file .git":            p.call("Write", map[string]any{"file_path": "sub/.git", "content": "gitdir: /x"}),
		"an MCP configuration":   p.call("Write", map[string]any{"file_path": ".mcp.json", "content": ""}),
		"local settings":         p.call("Write", map[string]any{"file_path": ".claude/settings.local.json", "content": ""}),
		"by another case":        p.call("Write", map[string]any{"file_path": ".CLAUDE/settings.json", "content": ""}),
		"over a link":            p.call("Write", map[string]any{"file_path": "repository/config", "content": ""}),
		"over dots":              p.call("Write", map[string]any{"file_path": "src/../.git//hooks/./x", "content": ""}),
		"a notebook":             p.call("NotebookEdit", map[string]any{"notebook_path": ".vscode/x.ipynb", "new_source": ""}),
		"an edit in a list":      p.call("MultiEdit", map[string]any{"file_path": "x", "edits": []any{map[string]any{"file_path": ".git/config"}}}),
		"a patch":                p.call("apply_patch", map[string]any{"input": begin + "*** Add File: x\n+y\n*** Update File: .claude/settings.json\n+x\n*** End Patch"}),
		"a patch that moves":     p.call("apply_patch", map[string]any{"input": begin + "*** Update File: x\n*** Move to: .codex/config.toml\n+x\n*** End Patch"}),
		"a patch in a line":      p.call("Bash", map[string]any{"command": "apply_patch <<'E'\n" + begin + "*** Add File: .git/hooks/x\n+x\n*** End Patch\nE"}),
		"a redirection":          p.call("Bash", map[string]any{"command": "echo x > .claude/settings.json"}),
		"tee":                    p.call("Bash", map[string]any{"command": "echo x | tee .git/config"}),
		"a copy":                 p.call("Bash", map[string]any{"command": "cp x .mcp.json"}),
		"a link":                 p.call("Bash", map[string]any{"command": "ln -s /tmp/x .claude/hooks"}),
		"an edit in place":       p.call("Bash", map[string]any{"command": "sed -i s/a/b/ .git/config"}),
		"a move away":            p.call("Bash", map[string]any{"command": "mv .claude old"}),
		"a move of what holds":   p.call("Bash", map[string]any{"command": "mv lib old"}),
		"deleting what holds":    p.call("Bash", map[string]any{"command": "rm -r lib"}),
		"deleting all":           p.call("Bash", map[string]any{"command": "rm -r ."}),
		"a move tool":            p.call("move_file", map[string]any{"source": "lib", "destination": "x"}),
		"a move tool's target":   p.call("move_file", map[string]any{"source": "plain", "destination": ".vscode"}),
		"a delete tool":          p.call("delete_file", map[string]any{"path": "lib"}),
		"the instructions moved": p.call("move_file", map[string]any{"source": "AGENTS.md", "destination": "x"}),
	} {
		var approvals []v1.Approval
		for _, verb := range []string{"cp", "mv", "rm", "ln", "tee", "sed", "echo", "apply_patch"} {
			approvals = append(approvals, v1.Approval{ID: verb, Tool: "shell", Verb: verb, Anywhere: true})
		}
		effect, codes := p.judge(t, call, nil, approvals...)
		assert.Equal(t, v1.EffectPrompt, effect, name)
		assert.Contains(t, codes, "protected_", name)
	}
}

// P11: the settings of editors and other agents run programs, too: tasks, hooks, servers
// and runs that begin with the project.
func TestSettingsThatRunThingsAreProtected(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{
		".amazonq/mcp.json", ".clinerules/hooks/PreToolUse", ".continue/mcpServers/x.yaml", ".crush.json", "crush.json", ".factory/settings.json",
		".idea/workspace.xml", ".kilocode/mcp.json", ".kiro/hooks/x.kiro.hook", ".qwen/settings.json", ".roo/mcp.json", ".trae/mcp.json",
		".windsurf/hooks.json", "sub/.windsurf/hooks.json", ".zed/tasks.json",
	} {
		effect, codes := p.judge(t, p.call("Write", map[string]any{"file_path": name, "content": ""}), nil)
		assert.Equal(t, v1.EffectPrompt, effect, name)
		assert.Contains(t, codes, "protected_always", name)
		effect, _ = p.judge(t, p.call("Read", map[string]any{"file_path": name}), nil)
		assert.Equal(t, v1.EffectAllow, effect, name)
	}
	effect, _ := p.judge(t, p.call("Write", map[string]any{"file_path": ".clinerules/style.md", "content": ""}), nil)
	assert.Equal(t, v1.EffectAllow, effect, "instructions may be created")
}

// P12: deleting asks, by whatever tool, except for what the setting names; an approval never covers a root of
// the session or what holds one.
func TestDeletions(t *testing.T) {
	p := newPlace(t)
	rm := v1.Approval{ID: "a", Tool: "shell", Verb: "rm", Anywhere: true}
	for command, want := range map[string]v1.Effect{
		"rm -r plain": v1.EffectAllow, "rm -r .": v1.EffectPrompt, "rm -r " + p.project: v1.EffectPrompt, "rm -r ..": v1.EffectDeny,
		"rm -r ../extra": v1.EffectPrompt, "rm -r ../extra/x": v1.EffectAllow, "rm .env": v1.EffectDeny,
	} {
		require.NoError(t, os.MkdirAll(p.home+"/extra/x", 0o700))
		call := p.call("Bash", map[string]any{"command": command})
		call.Session.ExtraDirs = []string{p.home + "/extra"}
		effect, _ := p.judge(t, call, nil, rm)
		assert.Equal(t, want, effect, command)
	}
	// A project that the session names by a link is the same project.
	require.NoError(t, os.Symlink("proj", p.home+"/link"))
	call := p.call("Bash", map[string]any{"command": "rm -r " + p.project + "/../link/."})
	call.Session.ProjectDir = p.home + "/link"
	effect, _ := p.judge(t, call, nil, rm)
	assert.Equal(t, v1.EffectPrompt, effect)
	effect, _ = p.judge(t, p.call("delete_file", map[string]any{"path": "plain/x"}), nil)
	assert.Equal(t, v1.EffectPrompt, effect)
}

// P1, S1: one forbidden file denies a patch as a whole, and what can't be read
// wholly is never allowed.
func TestPatchesAreJudgedWhole(t *testing.T) {
	p := newPlace(t)
	for text, want := range map[string]v1.Effect{
		"*** Begin Patch\n*** Update File: src/main.go\n@@\n-x\n+y\n*** End Patch":                                 v1.EffectAllow,
		"*** Begin Patch\r\n*** Add File: new.go\r\n+y\r\n*** End Patch\r\n":                                       v1.EffectAllow,
		"*** Begin Patch\n*** Update File: src/main.go\n@@\n-x\n+y\n*** Update File: .env\n@@\n-x\n*** End Patch":  v1.EffectDeny,
		"*** Begin Patch\n*** Update File: src/main.go\n@@\n-x\n+y\n*** Delete File: README.md\n*** End Patch":     v1.EffectPrompt,
		"*** Begin Patch\n*** Update File: src/main.go\n*** Move to: ../out.go\n*** End Patch":                     v1.EffectPrompt,
		"*** Begin Patch\n*** Update File: src/main.go\n*** Odd: x\n*** End Patch":                                 v1.EffectPrompt,
		"--- a/src/main.go\n+++ b/src/main.go\n@@ -1 +1 @@\n-x\n+y\n":                                              v1.EffectAllow,
		"--- a/src/main.go\n+++ b/src/main.go\n@@ -1 +1 @@\n-x\n+y\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-x\n+y\n": v1.EffectDeny,
		"--- a/src/main.go\n+++ b/src/main.go\n@@ -1,5 +1 @@\n-x\n+y\n":                                            v1.EffectPrompt,
		"diff --git a/README.md b/src/x\nsimilarity index 100%\nrename from README.md\nrename to src/x\n":          v1.EffectPrompt,
		"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n":                 v1.EffectPrompt,
		"no patch at all": v1.EffectPrompt,
	} {
		effect, _ := p.judge(t, p.call("apply_patch", map[string]any{"input": text}), nil)
		assert.Equal(t, want, effect, text)
	}
}

// V6: an approval for anywhere keeps to the scope, whatever way a command comes
// to work outside; one that names a directory outside is a person's word.
func TestWorkingOutside(t *testing.T) {
	p := newPlace(t)
	victim := p.home + "/other"
	var anywhere, here []v1.Approval
	for _, verb := range []string{"make t", "npm run x", "git push"} {
		anywhere = append(anywhere, v1.Approval{ID: verb, Tool: "shell", Verb: verb, Anywhere: true})
		here = append(here, v1.Approval{ID: verb, Tool: "shell", Verb: verb, Directory: victim})
	}
	for _, line := range []string{
		"make -C " + victim + " t", "cd " + victim + " && make t", "cd ../other && npm run x", "npm --prefix " + victim + " run x",
		"git -C " + victim + " push",
	} {
		effect, _ := p.judge(t, p.call("Bash", map[string]any{"command": line}), nil, anywhere...)
		assert.Equal(t, v1.EffectPrompt, effect, line)
	}
	call := p.call("Bash", map[string]any{"command": "make t"})
	effect, _ := p.judge(t, call, nil, anywhere...)
	assert.Equal(t, v1.EffectAllow, effect)
	call.Cwd = victim
	effect, _ = p.judge(t, call, nil, anywhere...)
	assert.Equal(t, v1.EffectPrompt, effect)
	for _, line := range []string{"make -C " + victim + " t", "cd " + victim + " && make t"} {
		effect, codes := p.judge(t, p.call("Bash", map[string]any{"command": line}), nil, here...)
		assert.Equal(t, v1.EffectAllow, effect, "%s: %s", line, codes)
	}
	effect, _ = p.judge(t, call, nil, here...)
	assert.Equal(t, v1.EffectAllow, effect)
	for mode, want := range map[string]v1.Effect{v1.GrantReadWrite: v1.EffectAllow, v1.GrantRead: v1.EffectPrompt, v1.GrantReading: v1.EffectPrompt} {
		effect, _ = p.judge(t, p.call("Bash", map[string]any{"command": "make -C " + victim + " t"}),
			[]v1.PathGrant{{Root: victim, Mode: mode}}, anywhere...)
		assert.Equal(t, want, effect, "a grant to write brings it into the scope, and one to read is for reading: %s", mode)
	}
}
