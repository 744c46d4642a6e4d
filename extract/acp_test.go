package extract_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func (p place) method(name, params string) v1.Facts {
	call := p.call(name, nil)
	call.Protocol, call.Args, call.Session.Agent = "acp", json.RawMessage(params), "opencode"
	call.Session.Peers = []v1.Peer{{ID: "p1", Capabilities: []string{"fs", "fs"}}}
	return p.extractor.Extract(call, nil)
}

// verbs are the items behind the method itself.
func verbs(facts *v1.Facts) []string {
	out := []string{}
	for _, item := range facts.Items[1:] {
		out = append(out, item.Kind+" "+item.Verb)
	}
	return out
}

// N6, N8: a method does what a tool of its kind does.
func TestMethodsDoWhatToolsDo(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		name, params, act string
		verbs             []string
		complete, messy   bool
	}{
		{"fs/read_text_file", `{"path":"README.md","line":null}`, "read", []string{"path read"}, true, false},
		{"fs/write_text_file", `{"path":"README.md","content":"/etc/passwd"}`, "write", []string{"path write"}, true, false},
		{"fs/read_text_file", `{"path":"README.md","x":1}`, "read", []string{"path read", "tool fs/read_text_file"}, true, false},
		{"fs/anything", `{"path":"README.md"}`, "acp", []string{}, true, false},
		{"terminal/create", `{"command":"ls","args":["-l"]}`, "shell", []string{"command ls"}, true, false},
		{"terminal/create", `{"command":"ls && pwd"}`, "shell", []string{"command ls", "command pwd"}, true, false},
		{"terminal/create", `{"command":"ls && pwd","args":["x"]}`, "shell", []string{"command ls", "command pwd", "command "}, true, false},
		{"terminal/create", `{"command":" "}`, "shell", []string{}, false, false},
		{"terminal/create", `{}`, "shell", []string{}, false, false},
		{"terminal/output", `{"terminalId":"t1"}`, "acp", []string{}, true, false},
		{"session/request_permission", `{"toolCall":{"kind":"execute","rawInput":{"command":"ls"}}}`, "shell", []string{"command ls"}, true, false},
		{"session/request_permission", `{"toolCall":{"kind":"execute","title":"rm x"}}`, "acp", []string{"command rm"}, true, false},
		{"session/request_permission", `{"toolCall":{"kind":"execute","title":"$( x"}}`, "acp", nil, true, false},
		{"session/request_permission", `{"toolCall":{"kind":"edit","locations":[{"path":"README.md"}]}}`, "acp", []string{"path write"}, true, false},
		{"session/request_permission", `{"toolCall":{"kind":"edit","rawInput":{"filepath":"README.md"},"locations":[{"path":"README.md"}]}}`, "edit", []string{"path write"}, true, false},
		{"session/request_permission", `{"toolCall":{"kind":"edit","locations":7}}`, "acp", []string{}, false, false},
	} {
		facts := p.method(c.name, c.params)
		require.NotEmpty(t, facts.Items)
		assert.Equal(t, v1.ItemMethod, facts.Items[0].Kind)
		assert.Equal(t, v1.ToolACP, facts.Tool.Kind)
		assert.Equal(t, c.act, facts.Tool.Act, c.params)
		assert.Equal(t, c.complete, facts.Complete, "%s %v", c.params, facts.Doubts)
		assert.Equal(t, c.messy, facts.Messy, c.params)
		if c.verbs != nil && !slices.Contains(c.verbs, "command ") {
			assert.Equal(t, c.verbs, verbs(&facts), c.params)
		}
		assert.Equal(t, []v1.PeerFacts{{ID: "p1", Capabilities: v1.Set{"fs"}}}, facts.Method.Peers)
	}
	ordinary := p.facts("Bash", map[string]any{"command": "ls"})
	assert.Equal(t, "shell", ordinary.Tool.Act)
	assert.Equal(t, v1.MethodFacts{Peers: []v1.PeerFacts{}}, ordinary.Method, "nothing of it concerns other tools")
}

// N8: the variables of a terminal are assignments in front of its command.
func TestEnvironmentIsAssigned(t *testing.T) {
	p := newPlace(t)
	for env, assigns := range map[string]bool{
		`[]`: false, `[{"name":"LANG","value":"C"}]`: false, `[{"name":"LD_PRELOAD","value":"x.so"}]`: true,
		`[{"name":"LANG","value":"C"},{"name":"GIT_DIR","value":"x"}]`: true, `[{"name":"CI","value":"$(id)"}]`: false, // no shell reads it
		`[{"name":"PS4","value":"'; rm x; '"}]`: true,
	} {
		facts := p.method("terminal/create", `{"command":"ls && pwd","env":`+env+`}`)
		require.Len(t, facts.Items, 3, env)
		for _, item := range facts.Items[1:] {
			assert.Equal(t, assigns, item.Caveats.Has("assigns"), env)
		}
	}
	for _, env := range []string{`{}`, `"A=b"`, `[["A","b"]]`, `[{"name":"A"}]`, `[{"name":"A","value":1}]`, `[{"name":"","value":""}]`} {
		facts := p.method("terminal/create", `{"command":"ls","env":`+env+`}`)
		assert.False(t, facts.Complete, env)
		assert.Contains(t, facts.Doubts, "environment_unreadable", env)
	}
}

// N8: what is said beside the raw input can only add to it.
func TestTitlesOnlyAdd(t *testing.T) {
	p := newPlace(t)
	for title, added := range map[string]bool{
		"ls": false, " ls ": false, "List files": false, "": false, "rm x": true, "ls -la": true, "ls; rm x": true, "Run: x; rm x": true,
		"`ls`": false, "`ls -la`": true, "`ls`; rm x": true, "`rm x`": true,
	} {
		facts := p.method("session/request_permission", `{"toolCall":{"kind":"execute","title":`+quote(title)+`,"rawInput":{"command":"ls"}}}`)
		titled := someItemHas(facts.Items, "only_titled")
		assert.Equal(t, added, titled, title)
		assert.True(t, facts.Method.Permission.RawInput)
		assert.True(t, facts.Complete)
	}
	asked := func(title string) v1.Facts {
		return p.method("session/request_permission", `{"toolCall":{"kind":"execute","title":`+quote(title)+`}}`)
	}
	assert.Equal(t, asked("ls -la").Items, asked("`ls -la`").Items, "Markdown")
	assert.Equal(t, asked("ls `pwd`").Items, asked("`ls \\`pwd\\``").Items)
	assert.NotEqual(t, asked("ls` `pwd").Items, asked("`ls` `pwd`").Items, "two spans")
	for _, input := range []string{`"ls"`, `["ls"]`, `{}`, `null`, `7`} {
		facts := p.method("session/request_permission", `{"toolCall":{"kind":"execute","rawInput":`+input+`}}`)
		assert.False(t, facts.Method.Permission.RawInput, input)
		assert.True(t, facts.Method.Permission.Asks)
	}
}

// Whatever is sent, the facts of a method are total, repeatable and begin with the
// method; and what it does is known, or said not to be.
func FuzzMethods(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a/../.env","content":"x"}`, `{"command":"ls","args":["-l"],"env":[{"name":"A","value":"b"}],"cwd":"/"}`,
		`{"terminalId":"t1"}`, `{"command":"a\nb","cwd":null}`, `{"toolCall":{"kind":"execute","title":"rm x","rawInput":{"command":"ls"}}}`,
		`{"toolCall":{"kind":"edit","rawInput":{"filepath":"a","diff":"--- a\n+++ b\n"},"locations":[{"path":"b"}],"content":[{"path":"c"}]}}`,
		`{"toolCall":{"kind":"fetch","rawInput":{"url":"http://x"}},"options":[{}]}`,
	} {
		for _, name := range []string{"fs/read_text_file", "terminal/create", "session/request_permission", "terminal/output", "fs/x"} {
			f.Add(name, seed)
		}
	}
	p := newPlace(f)
	f.Fuzz(func(t *testing.T, name, params string) {
		facts := p.method(name, params)
		text, err := json.Marshal(facts)
		require.NoError(t, err)
		require.NotContains(t, string(text), ":null", "facts hold no null")
		again, err := json.Marshal(p.method(name, params))
		require.NoError(t, err)
		require.Equal(t, string(text), string(again), "facts must not depend on chance")
		checkIndex(t, facts)
		if facts.Tool.Kind != v1.ToolACP || len(facts.Items) == 0 {
			return
		}
		require.Equal(t, v1.ItemMethod, facts.Items[0].Kind)
		if facts.Method.Permission.RawInput || facts.Tool.Act != v1.ToolACP {
			require.True(t, len(facts.Items) > 1 || !facts.Complete || facts.Messy, "nothing is known of it, and nothing says so")
		}
	})
}
