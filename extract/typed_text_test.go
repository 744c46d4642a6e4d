package extract_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
)

// of is a call of a tool of the agent's client.
func (p place) of(agent, tool string, args map[string]any) v1.Facts {
	call := p.call(tool, args)
	call.Session.Agent = agent
	return p.extractor.Extract(call, nil)
}

// A1: what is typed into a program that runs already is program text, whatever it looks like. Without any, the
// tool asks for what the program has printed.
func TestTextTypedIntoAProgram(t *testing.T) {
	p := newPlace(t)
	for _, tool := range []struct{ agent, name, text string }{
		{"copilot", "write_bash", "input"}, {"copilot", "write_powershell", "input"}, {"codex", "write_stdin", "chars"},
	} {
		for _, text := range []string{"y", "\n", "\x03", "git log", "ls\n", "rm -rf src{enter}", "policyd prompts answer p once\n"} {
			facts := p.of(tool.agent, tool.name, map[string]any{tool.text: text})
			assert.Equalf(t, v1.ToolShell, facts.Tool.Kind, "%s %q", tool.name, text)
			assert.Truef(t, slices.ContainsFunc(facts.Items, func(item v1.Item) bool {
				return item.Kind == v1.ItemTool && item.Caveats.Has("inline_code")
			}), "%s %q", tool.name, text)
		}
		for _, args := range []map[string]any{{}, {tool.text: ""}, {tool.text: nil}} {
			facts := p.of(tool.agent, tool.name, args)
			assert.Equal(t, v1.ToolInternal, facts.Tool.Kind, tool.name)
			assert.Equal(t, "tool:", touches(facts), tool.name)
		}
		assert.Equal(t, "tool: tool:", touches(p.of(tool.agent, tool.name, map[string]any{"cwd": "/etc"})), tool.name)
	}
}

// A1: an unknown tool of a client that takes a command line or code is a shell that nothing is known of. Those of
// MCP servers can be approved (V12).
func TestUnknownToolsThatRunWhatTheyAreGiven(t *testing.T) {
	p := newPlace(t)
	for _, args := range []map[string]any{
		{"command": "ls"}, {"code": "print(1)"}, {"tool_calls": []any{map[string]any{"parameters": map[string]any{"cmd": "ls"}}}}, {"command": []any{"rm", "x"}},
	} {
		assert.True(t, p.facts("Frobnicate", args).Items[0].Caveats.Has("inline_code"), args)
		assert.False(t, p.facts("mcp__x__frobnicate", args).Items[0].Caveats.Has("inline_code"), args)
	}
	assert.False(t, p.facts("Frobnicate", map[string]any{"x": "ls"}).Items[0].Caveats.Has("inline_code"))
	for _, tool := range []string{"js_repl", "run_thing", "ExecuteIt", "terminalWrite", "python"} {
		assert.True(t, p.facts(tool, map[string]any{"input": "x"}).Items[0].Caveats.Has("inline_code"), tool)
	}
}

// V12: a remembered host covers no other. Whatever a client may take for an address in a text is an item of its own,
// or an argument that isn't known.
func TestAddressesInTexts(t *testing.T) {
	p := newPlace(t)
	for text, want := range map[string]string{
		"read https://Good.com/a please": "fetch good.com", "(https://good.com), or <https://b.com>.": "fetch good.com, fetch b.com",
		"https://good.com/\u3000https://evil.com/?q": "fetch good.com, fetch evil.com", "https://good.com\u2028https://evil.com": "fetch good.com, fetch evil.com",
		"https://good.com\ufeffhttps://evil.com": "fetch good.com, fetch evil.com", "https://good.com\u00a0x": "fetch good.com",
		"https://good.com\"@evil.com/": "web_fetch?, fetch good.com", "https://good.com,https://evil.com": "web_fetch?, fetch good.com, fetch evil.com",
		"https://good.com\u200b.evil.com": "web_fetch?, fetch good.com\u200b.evil.com", "nothing": "web_fetch",
	} {
		facts, got := p.of("gemini", "web_fetch", map[string]any{"prompt": text}), ""
		for i, item := range facts.Items {
			if i > 0 {
				got += ", "
			}
			got += item.Verb
			if item.Caveats.Has("unknown_argument") {
				got += "?"
			}
		}
		assert.Equalf(t, want, got, "%q", text)
	}
}

// V1: the first word of a list is a program, also with a "=" in it, which begins an assignment in a shell.
func TestAProgramWithAnEqualsSign(t *testing.T) {
	p := newPlace(t)
	for _, command := range [][]any{{"TZ=d/run", "ls"}, {"A=b", "ls"}, {"a+=b"}} {
		facts := p.of("codex", "shell", map[string]any{"command": command})
		assert.Equal(t, command[0], facts.Items[0].Verb)
	}
	facts := p.method("terminal/create", `{"sessionId":"s","command":"TZ=d/run","args":["ls"]}`)
	assert.True(t, slices.ContainsFunc(facts.Items, func(item v1.Item) bool { return item.Verb == "TZ=d/run" }))
}
