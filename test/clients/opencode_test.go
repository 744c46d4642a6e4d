package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/install"
)

// pluginResult is what one step came to: what the plugin threw, and what it
// answered over OpenCode's own API.
type pluginResult struct {
	Thrown  *string `json:"thrown"`
	Replies []struct {
		Path map[string]string `json:"path"`
		Body map[string]string `json:"body"`
	} `json:"replies"`
	Toasts []struct {
		Title, Message, Variant string
		Duration                int
	} `json:"toasts"`
}

// runPlugin drives the plugin in a real node with a stand-in for OpenCode. The hook program is a script, so
// that the test chooses its output.
func runPlugin(t *testing.T, script string, deadline time.Duration, steps ...any) (results []pluginResult, dir string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipped: node is not installed, and the plugin runs in it")
	}
	dir = t.TempDir()
	program := filepath.Join(dir, "policyd hook's")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	text, err := install.OpenCodePlugin([]string{program, "opencode", "--hold", "55s"}, deadline)
	require.NoError(t, err)
	plugin := filepath.Join(dir, "policyd.mjs")
	require.NoError(t, os.WriteFile(plugin, []byte(text), 0o600))
	encoded, err := json.Marshal(steps)
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), node, "opencode_host.mjs", plugin, "/home/dev/proj")
	command.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "DIR="+dir)
	command.Stdin = bytes.NewReader(encoded)
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	require.NoErrorf(t, err, "%s", &problems)
	require.NoError(t, json.Unmarshal(out, &results))
	return results, dir
}

type object = map[string]any

func bashCall(callID string) object {
	return object{
		"input":  object{"tool": "bash", "sessionID": "ses_1", "callID": callID},
		"output": object{"args": object{"command": "ls"}},
	}
}

func permissionAsked(callID string) object {
	return object{"event": object{"type": "permission.asked", "properties": object{
		"id": "per_1", "sessionID": "ses_1", "permission": "bash", "metadata": object{"command": "ls"}, "tool": object{"callID": callID},
	}}}
}

// TestOpenCodePluginThrowsUnlessAllowed: only throwing blocks a tool.
func TestOpenCodePluginThrowsUnlessAllowed(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct{ script, thrown string }{
		"allow":               {`echo '{"decision":"allow"}'`, ""},
		"deny":                {`echo '{"decision":"deny","reason":"no such luck"}'`, "no such luck"},
		"deny, exit 2":        {`echo '{"decision":"deny","reason":"no such luck"}'; exit 2`, "no such luck"},
		"deny, no reason":     {`echo '{"decision":"deny"}'`, "policyd refuses"},
		"prompt":              {`echo '{"decision":"ask","reason":"ask first"}'`, "ask first"},
		"allow, but exit 2":   {`echo '{"decision":"allow"}'; exit 2`, "ended with 2"},
		"allow, but killed":   {`echo '{"decision":"allow"}'; kill -9 $$`, "ended with"},
		"unknown decision":    {`echo '{"decision":"yes"}'`, "no answer"},
		"capitals":            {`echo '{"decision":"Allow"}'`, "no answer"},
		"no decision":         {`echo '{}'`, "no answer"},
		"array":               {`echo '[{"decision":"allow"}]'`, "no answer"},
		"null":                {`echo null`, "no answer"},
		"two objects":         {`echo '{"decision":"allow"}{"decision":"allow"}'`, "no answer"},
		"garbage":             {`echo allow`, "no answer"},
		"nothing":             {``, "no answer"},
		"too much":            {`echo '{"decision":"allow"}'; head -c 9000000 /dev/zero | tr "\\0" " "`, "can't judge"},
		"crash":               {`exit 1`, "no answer"},
		"never answers":       {`exec sleep 600`, "in time"},
		"answers, then hangs": {`echo '{"decision":"allow"}'; exec sleep 600`, "in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			deadline := time.Minute
			if of.thrown == "in time" {
				deadline = 300 * time.Millisecond
			}
			results, _ := runPlugin(t, of.script, deadline, bashCall("call_1"))
			require.Len(t, results, 1)
			if of.thrown == "" {
				assert.Nil(t, results[0].Thrown)
				return
			}
			require.NotNil(t, results[0].Thrown, "the tool runs")
			assert.Contains(t, *results[0].Thrown, of.thrown)
		})
	}
}

// TestOpenCodePluginShowsWhereToAnswer checks that a toast appears while a call is held, and that a quick
// answer shows none.
func TestOpenCodePluginShowsWhereToAnswer(t *testing.T) {
	t.Parallel()
	results, _ := runPlugin(t, `case "$(cat)" in *held*) until [ -e "$DIR/toast" ]; do sleep 0.05; done; echo '{"decision":"deny","reason":"no such luck"}';; *) echo '{"decision":"allow"}';; esac`,
		time.Minute, bashCall("quick"), bashCall("held"))
	require.Len(t, results, 2)
	assert.Nil(t, results[0].Thrown)
	assert.Empty(t, results[0].Toasts)
	require.NotNil(t, results[1].Thrown)
	assert.Contains(t, *results[1].Thrown, "no such luck")
	require.Len(t, results[1].Toasts, 1)
	assert.Contains(t, results[1].Toasts[0].Message, "policyd prompts watch")
	assert.Contains(t, results[1].Toasts[0].Message, "policyd console")
	assert.Equal(t, "warning", results[1].Toasts[0].Variant)
}

// TestOpenCodePluginWithoutHookProgram: a program that is gone blocks all.
func TestOpenCodePluginWithoutHookProgram(t *testing.T) {
	t.Parallel()
	results, _ := runPlugin(t, `rm "$0"; echo '{"decision":"allow"}'`, time.Minute, bashCall("1"), bashCall("2"), permissionAsked("2"))
	require.Len(t, results, 3)
	assert.Nil(t, results[0].Thrown)
	require.NotNil(t, results[1].Thrown)
	assert.Contains(t, *results[1].Thrown, "ENOENT")
	require.Len(t, results[2].Replies, 1)
	assert.Equal(t, "reject", results[2].Replies[0].Body["response"])
}

// TestOpenCodePluginSendsWhatOpenCodeSent: the payload has the shape of the
// captured ones, and the project is the plugin's own directory (P14).
func TestOpenCodePluginSendsWhatOpenCodeSent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tool.execute.before-bash.json", "event-permission.asked-bash.json"} {
		captured, err := os.ReadFile("../testdata/fixtures/opencode/" + name)
		require.NoError(t, err)
		var step object
		require.NoError(t, json.Unmarshal(captured, &step))
		_, dir := runPlugin(t, `printf '%s\n' "$@" >"$DIR/args"; cat >"$DIR/payload"; echo '{"decision":"allow"}'`, time.Minute, step)
		sent, err := os.ReadFile(filepath.Join(dir, "payload"))
		require.NoError(t, err)
		assert.JSONEq(t, string(captured), string(sent))
		args, err := os.ReadFile(filepath.Join(dir, "args"))
		require.NoError(t, err)
		assert.Equal(t, "opencode\n--hold\n55s\n--project\n/home/dev/proj\n", string(args))
		assert.FileExists(t, filepath.Join(dir, "cache/policyd/opencode-loaded.json"), "the doctor's mark")
	}
}

// TestOpenCodePluginAnswersPermissions with once or reject, and never for good.
func TestOpenCodePluginAnswersPermissions(t *testing.T) {
	t.Parallel()
	say := `case "$(cat)" in *'"event-permission'*) echo '{"decision":"%2"}';; *) echo '{"decision":"allow"}';; esac`
	answer := func(decision string) string {
		return string(bytes.ReplaceAll([]byte(say), []byte("%2"), []byte(decision)))
	}
	for name, of := range map[string]struct {
		script string
		steps  []any
		want   string
	}{
		"judged already":          {answer("deny"), []any{bashCall("1"), permissionAsked("1")}, "once"},
		"of another call":         {answer("deny"), []any{bashCall("1"), permissionAsked("2")}, "reject"},
		"of a call that is over":  {answer("deny"), []any{bashCall("1"), object{"after": object{"sessionID": "ses_1", "callID": "1"}}, permissionAsked("1")}, "reject"},
		"two calls with one name": {answer("deny"), []any{bashCall("1"), bashCall("1"), permissionAsked("1")}, "reject"},
		"allowed":                 {answer("allow"), []any{permissionAsked("1")}, "once"},
		"denied":                  {answer("deny"), []any{permissionAsked("1")}, "reject"},
		"a person answers":        {answer("ask"), []any{permissionAsked("1")}, ""},
		"no answer":               {"exit 2", []any{permissionAsked("1")}, "reject"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			results, _ := runPlugin(t, of.script, time.Minute, of.steps...)
			last := results[len(results)-1]
			assert.Nil(t, last.Thrown)
			if of.want == "" {
				assert.Empty(t, last.Replies)
				return
			}
			require.Len(t, last.Replies, 1)
			assert.Equal(t, of.want, last.Replies[0].Body["response"])
			assert.Equal(t, map[string]string{"id": "ses_1", "permissionID": "per_1"}, last.Replies[0].Path)
		})
	}
}

// TestOpenCodePluginLeavesPromptsToOpenCode only if it is sure to ask.
func TestOpenCodePluginLeavesPromptsToOpenCode(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		config string
		runs   bool
	}{
		"asks about all":          {`{"permission":"ask"}`, true},
		"asks about the tool":     {`{"permission":{"bash":"ask","edit":"allow"}}`, true},
		"asks by a star":          {`{"permission":{"*":"ask"}}`, true},
		"asks in all its forms":   {`{"permission":{"bash":{"*":"ask","git push*":"deny"}}}`, true},
		"allows":                  {`{"permission":"allow"}`, false},
		"says nothing":            {`{}`, false},
		"allows by a star":        {`{"permission":{"bash":"ask","*":"allow"}}`, false},
		"allows one form":         {`{"permission":{"bash":{"*":"ask","git *":"allow"}}}`, false},
		"asks about one form":     {`{"permission":{"bash":{"git *":"ask"}}}`, false},
		"an agent has its own":    {`{"permission":"ask","agent":{"build":{"permission":{"bash":"allow"}}}}`, false},
		"asks about another tool": {`{"permission":{"edit":"ask"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var config any
			require.NoError(t, json.Unmarshal([]byte(of.config), &config))
			results, _ := runPlugin(t, `echo '{"decision":"ask","reason":"ask"}'`, time.Minute, object{"config": config}, bashCall("1"))
			assert.Equal(t, of.runs, results[0].Thrown == nil)
		})
	}
}
