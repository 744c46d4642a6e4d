package install_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/clients/reply"
	"policyd/internal/install"
)

func inspect(t *testing.T, o *install.Options) *install.Report {
	t.Helper()
	report, err := install.Inspect(o)
	require.NoError(t, err)
	return report
}

// TestInspectFindsWhatLetsToolsRun: each change to an install by which a client
// would run tools ungated is a fault.
func TestInspectFindsWhatLetsToolsRun(t *testing.T) {
	for name, of := range map[string]struct{ client, path, old, changed, want string }{
		"narrow matcher":       {reply.Claude, ".claude/settings.json", `"matcher": "*"`, `"matcher": "Bash"`, `the matcher "Bash" leaves tools out`},
		"failures let through": {reply.Claude, ".claude/settings.json", `"onFailure": "block"`, `"onFailure": "allow"`, "without onFailure"},
		"no gate":              {reply.Claude, ".claude/settings.json", `"PreToolUse"`, `"PostToolUse"`, "PreToolUse is not hooked"},
		"all hooks off":        {reply.Claude, ".claude/settings.json", `"hooks": {`, `"disableAllHooks": true, "hooks": {`, "disableAllHooks"},
		"a comment":            {reply.Claude, ".claude/settings.json", `"hooks": {`, `/* policyd */ "hooks": {`, "the client does not load it"},
		"too short a timeout":  {reply.Claude, ".claude/settings.json", `"timeout": 15`, `"timeout": 10`, "the client waits 10s"},
		"seconds for Gemini":   {reply.Gemini, ".gemini/settings.json", `"timeout": 15000`, `"timeout": 15`, "the client waits 15ms"},
		"Gemini's hooks off":   {reply.Gemini, ".gemini/settings.json", `"hooks": {`, `"hooksConfig": {"enabled": false}, "hooks": {`, "hooksConfig.enabled"},
		"Gemini's hook off":    {reply.Gemini, ".gemini/settings.json", `"hooks": {`, `"hooksConfig": {"disabled": ["policyd"]}, "hooks": {`, "hooksConfig.disabled"},
		"Cursor fails open":    {reply.Cursor, ".cursor/hooks.json", `"failClosed": true`, `"failClosed": false`, "without failClosed"},
		"one Cursor event":     {reply.Cursor, ".cursor/hooks.json", `"beforeReadFile"`, `"afterReadFile"`, "beforeReadFile is not hooked"},
		"a changed plugin":     {reply.OpenCode, ".config/opencode/plugins/policyd.js", `throw new Refused`, `console.log`, "not what this policyd writes"},
		"Codex in background":  {reply.Codex, ".codex/hooks.json", `"type": "command"`, `"async": true, "type": "command"`, "blocks nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, of.client)
			require.Nil(t, inspect(t, o), "nothing is installed")
			changes, err := install.Install(o)
			apply(t, changes, err)
			for _, fault := range inspect(t, o).Faults {
				require.Contains(t, fault, "codex does not trust", "an install is whole")
			}
			path := filepath.Join(o.Home, of.path)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(text), of.old)
			require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), of.old, of.changed)), 0o600))
			assert.Contains(t, strings.Join(inspect(t, o).Faults, "\n"), of.want)
		})
	}
}

// TestCodexTrust compares with the hashes that Codex 0.169 itself gave for these
// hooks.
func TestCodexTrust(t *testing.T) {
	const tool, start = "ee2f89ec8c8da3da1b23f6c6978270db7fbebd61e2fef2dbb6f9e7d784f6d130",
		"1a2fbebce0dc83b03eba67d07a6039a3757931506d710d9a05c35957c1bcc42b"
	// silent is the hash of the tool's hook without a status message, as earlier installs wrote it.
	const silent = "8f6a4fbe9fdce7e250fbe0ad8e127e34a974efe1ae1362b670ca0b922f5216aa"
	for name, of := range map[string]struct {
		tool, more string
		silent     bool
		want       []string
	}{
		"trusted":            {tool, "", false, nil},
		"trusted and silent": {silent, "", true, nil},
		"silent before":      {silent, "", false, []string{"PreToolUse: codex trusts an older form"}},
		"changed since":      {start, "", false, []string{"PreToolUse: codex trusts an older form"}},
		"never trusted":      {"", "", false, []string{"PreToolUse: codex does not trust"}},
		"trusted and off":    {tool, "enabled = false\n", false, []string{"PreToolUse: codex has the hook disabled"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, reply.Codex)
			o.Hook, o.Policyd = []string{"/opt/policyd-hook"}, ""
			changes, err := install.Install(o)
			apply(t, changes, err)
			hooks := filepath.Join(o.Home, ".codex/hooks.json")
			if of.silent {
				text, err := os.ReadFile(hooks)
				require.NoError(t, err)
				write(t, hooks, regexp.MustCompile(`,\s*"statusMessage": "[^"]*"`).ReplaceAllString(string(text), ""))
			}
			state := func(event, hash string) string {
				return "[hooks.state.\"" + hooks + ":" + event + ":0:0\"]\ntrusted_hash = \"sha256:" + hash + "\"\n"
			}
			text := state("session_start", start)
			if of.tool != "" {
				text += state("pre_tool_use", of.tool) + of.more
			}
			write(t, filepath.Join(o.Home, ".codex/config.toml"), text)
			faults := inspect(t, o).Faults
			require.Len(t, faults, len(of.want))
			for i, want := range of.want {
				assert.Contains(t, faults[i], want)
			}
		})
	}
}

// TestWhereToAnswerIsShown checks that a hook which may be held shows where a person answers, in each client
// that takes a text for it, and that no other hook does.
func TestWhereToAnswerIsShown(t *testing.T) {
	for client, of := range map[string]struct{ path, key, quiet string }{
		reply.Claude: {".claude/settings.json", "statusMessage", ""},
		reply.Codex:  {".codex/hooks.json", "statusMessage", ""},
		reply.Gemini: {".gemini/settings.json", "name", "policyd"},
	} {
		for _, hold := range []time.Duration{0, time.Minute} {
			t.Run(fmt.Sprint(client, hold), func(t *testing.T) {
				o := options(t, client)
				o.Hold, o.AutoApprove = hold, true
				changes, err := install.Install(o)
				apply(t, changes, err)
				text, err := os.ReadFile(filepath.Join(o.Home, of.path))
				require.NoError(t, err)
				var settings struct {
					Hooks map[string][]struct{ Hooks []map[string]any }
				}
				require.NoError(t, json.Unmarshal(text, &settings))
				require.NotEmpty(t, settings.Hooks)
				for event, groups := range settings.Hooks {
					got, _ := groups[0].Hooks[0][of.key].(string)
					if hold == 0 || strings.HasPrefix(event, "Session") {
						assert.Equal(t, of.quiet, got, event)
						continue
					}
					assert.Contains(t, got, "`policyd prompts watch` or `policyd console`", event)
				}
				if client == reply.Gemini && hold > 0 {
					shown := settings.Hooks["BeforeTool"][0].Hooks[0]["name"]
					write(t, filepath.Join(o.Home, of.path), strings.Replace(string(text), "{", fmt.Sprintf(`{"hooksConfig":{"disabled":[%q]},`, shown), 1))
					assert.Contains(t, inspect(t, o).Faults, "hooksConfig.disabled names policyd")
				}
			})
		}
	}
}
