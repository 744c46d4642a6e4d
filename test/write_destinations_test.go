package test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// landingPlace is a place whose project holds what would be harmful elsewhere.
func landingPlace(t *testing.T) place {
	t.Helper()
	p := newPlace(t)
	for _, name := range []string{
		"ev/.mcp.json", "ev/.git/config", "ev/AGENTS.md", "ev/out", "ev/deep/.vscode/tasks.json", "tpl/.claude/settings.json", "q3/x",
		"plain/sub/y", "docs/one.md", "tree/out",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x\n"), 0o600))
	}
	require.NoError(t, os.Symlink(p.home+"/other/x", p.project+"/q3/out"))
	return p
}

// V6, P11: what a program puts into a directory is written under a name of its
// own there, which may be protected, secret or a link that leads out.
func TestWhatLandsInADirectory(t *testing.T) {
	p := landingPlace(t)
	var approvals []v1.Approval
	for _, verb := range []string{"cp", "mv", "install", "ln", "rsync", "git mv", "mkdir", "find"} {
		approvals = append(approvals, v1.Approval{ID: verb, Tool: "shell", Verb: verb, Directory: p.project})
	}
	for _, line := range []string{
		"cp ev/.mcp.json .", "cp -t . ev/.mcp.json", "cp --target-directory=. ev/.mcp.json", "cp ev/AGENTS.md .", "cp -r ev/.git .",
		"cp -r ev/. .", "cp -r ev/ .", "cp -r ev/deep/.. .", "cp -rT ev .", "cp --parents ev/.mcp.json q3", "cp ev/.mcp.js* .",
		"cp ev/.mcp.json q*", "cp -r ev q3", "cp -r ev new", "mkdir new && cp ev/.mcp.json new", "cp -S .json -b docs/one.md .mcp",
		"install ev/.mcp.json .", "install -t . ev/.mcp.json", "ln -s ev/.mcp.json .", "ln ev/.mcp.json .", "ln -s ev/.mcp.json",
		"rsync ev/.mcp.json .", "rsync -a ev/ .", "rsync -a ev .", "rsync -a --delete plain/ .", "rsync -R ev/.mcp.json q3",
		"mv ev/.mcp.json .", "mv ev/deep .", "mv -T ev/deep new", "git mv ev/.mcp.json .", "cp $FILE .", "find ev -type f -exec cp {} . ;",
		"cp ev/out q3", "cp -t q3 ev/out", "mv ev/out q3", "cp -r tree/. q3", "cp tree/* q3", "mkdir made && cp docs/one.md made/x && cp -r made/. .",
		"cp -r missing/. .", "cp docs/one.md docs/new && cp -r docs/. plain",
		"ln -s ../other/x plain/sub/link",
	} {
		effect, _ := p.judge(t, p.call("Bash", map[string]any{"command": line}), nil, approvals...)
		assert.NotEqual(t, v1.EffectAllow, effect, line)
	}
	for _, line := range []string{
		"cp docs/one.md .", "cp docs/one.md docs/two.md", "cp -t q3 docs/one.md", "cp -r docs plain", "cp -r docs new", "cp -r docs/. plain",
		"cp docs/* plain", "mv docs/one.md plain", "mv docs plain", "mv docs new", "install -m 644 docs/one.md plain", "install -d new/deep",
		"ln -s docs/one.md plain", "rsync -a docs/ plain/", "git mv docs/one.md plain", "cp --parents docs/one.md plain",
		"mkdir new && cp docs/one.md new", "cp ev/out docs", "mv q3/x docs", "cp docs/one.md new && mv new docs",
	} {
		effect, codes := p.judge(t, p.call("Bash", map[string]any{"command": line}), nil, approvals...)
		assert.Equal(t, v1.EffectAllow, effect, "%s: %s", line, codes)
	}
}

// P11: a tool that copies or moves needs no approval, and does the same.
func TestWhatAToolCopies(t *testing.T) {
	p := landingPlace(t)
	call := func(tool, from, to string) *v1.Call {
		call := p.call(tool, map[string]any{"source_path": p.project + "/" + from, "destination_path": p.project + to})
		if tool != "copy_path" && tool != "move_path" {
			call = p.call(tool, map[string]any{"source": p.project + "/" + from, "destination": p.project + to})
		}
		call.Session.Agent = "other-agent"
		return call
	}
	for _, c := range [][3]string{
		{"copy_path", "tpl", ""},
		{"copy_path", "tpl", "/new"},
		{"copy_path", "tpl", "/plain"},
		{"copy_path", "ev", "/q3"},
		{"copy_path", "ev", ""},
		{"copy_file", "ev", "/new"},
		{"copy_file", "ev/.mcp.json", ""},
		{"copy_file", "ev/out", "/q3"},
		{"copy_path", "tree", "/q3"},
		{"copy_file", "ev/deep", "/new"},
	} {
		effect, codes := p.judge(t, call(c[0], c[1], c[2]), nil)
		assert.NotEqual(t, v1.EffectAllow, effect, "%v: %s", c, codes)
	}
	for _, c := range [][3]string{
		{"copy_path", "docs", "/new"},
		{"copy_path", "docs", "/plain"},
		{"copy_file", "docs/one.md", "/plain"},
		{"copy_file", "docs/one.md", "/docs/two.md"},
		{"copy_path", "plain", ""},
	} {
		effect, codes := p.judge(t, call(c[0], c[1], c[2]), nil)
		assert.Equal(t, v1.EffectAllow, effect, "%v: %s", c, codes)
	}
}
