package test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// approved is a tool of an MCP server that may be used anywhere.
func approved(verb string) v1.Approval {
	return v1.Approval{Verb: verb, Tool: v1.ToolMCP, Anywhere: true}
}

// judgeTool judges a call of a tool that was approved anywhere.
func (p place) judgeTool(t *testing.T, tool string, args map[string]any) (v1.Effect, string) {
	t.Helper()
	return p.judge(t, p.call("mcp__x__"+tool, args), nil, approved("mcp:x/"+tool))
}

// V12, S2: an approval of a tool reaches no further than the session's
// directories, whatever its argument is called and however a path is written.
func TestApprovedToolsStayInScope(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Symlink("../other", p.project+"/link"))
	up := "../../../../../../../.."
	for name, args := range map[string]map[string]any{
		"scheme in capitals":      {"uri": "FILE:///etc/passwd"},
		"blank before the scheme": {"uri": " file:///etc/passwd"},
		"local host":              {"path": "file://localhost/etc/shadow"},
		"another host":            {"path": "file://elsewhere" + p.project + "/README.md"},
		"percent-encoded":         {"uri": "file://" + p.project + "/%2e%2e/other/x"},
		"encoded twice":           {"uri": "file://" + p.project + "/%252e%252e/other/x"},
		"a path, encoded":         {"path": p.project + "/src/..%2f..%2fother/x"},
		"one slash":               {"uri": "file:/etc/passwd"},
		"no slash":                {"uri": "file:etc/passwd"},
		"a fragment":              {"uri": "file:///etc/passwd#x"},
		"up through an address":   {"path": "http://" + up + "/etc/passwd"},
		"repository":              {"repo_path": p.home + "/other"},
		"output":                  {"output_path": p.home + "/other/new"},
		"file name":               {"file_name": "/etc/passwd"},
		"list of files":           {"files": []any{"README.md", "/etc/passwd"}},
		"destination":             {"dest": "/etc/x"},
		"working directory":       {"cwd": "/etc"},
		"target":                  {"target": "../other"},
		"capital letter":          {"Path": "../other/x"},
		"with a dash":             {"file-path": "../other/x"},
		"nested":                  {"options": map[string]any{"cwd": p.home + "/other"}},
		"pattern above":           {"glob": "../../**"},
		"pattern that may climb":  {"glob": "{..,x}/**"},
		"pattern by its own name": {"pattern": "/etc/*"},
		"unheard of":              {"thing": "/etc/passwd"},
		"unheard of, at home":     {"thing": "~/other/x"},
		"unheard of, up":          {"thing": "src/../../other"},
		"unheard of, a link":      {"thing": "link/x"},
		"unheard of, an address":  {"thing": "File:///etc/passwd"},
		"an address in another":   {"url": "view-source:file:///etc/passwd"},
		"unheard of, a variable":  {"thing": "$HOME/other/x"},
		"unheard of, marked":      {"thing": "@/etc/passwd"},
		"names of a map":          {"things": map[string]any{"/etc/passwd": "x"}},
		"protected":               {"output_path": ".claude/settings.local.json"},
		"protected, there":        {"thing": p.project + "/AGENTS.md"},
	} {
		effect, _ := p.judgeTool(t, "do", args)
		assert.Equal(t, v1.EffectPrompt, effect, name)
	}
	for name, args := range map[string]map[string]any{
		"file scheme":              {"uri": "FILE://" + p.project + "/.env"},
		"file scheme, mixed":       {"path": "File://" + p.project + "/.env"},
		"encoded name":             {"uri": "file://" + p.project + "/%2eenv"},
		"encoded path":             {"path": "%2eenv"},
		"another scheme":           {"uri": "vscode://file" + p.project + "/.env"},
		"unheard of":               {"thing": ".env"},
		"nested":                   {"options": map[string]any{"thing": []any{p.project + "/.env"}}},
		"searched for by its name": {"query": p.project + "/.env"},
	} {
		effect, codes := p.judgeTool(t, "do", args)
		assert.Equal(t, v1.EffectDeny, effect, name)
		assert.Contains(t, codes, "secret_file", name)
	}
	for name, args := range map[string]map[string]any{
		"operator's command":   {"command": "policyd prompts answer x once"},
		"command among others": {"script": "ls && policyd approvals list"},
		"words of a command":   {"argv": []any{"policyd", "grants", "add", "/"}},
		"socket":               {"url": "unix://" + p.home + "/state/run/policyd.sock"},
		"socket in an address": {"url": "http://unix:" + p.home + "/state/run/policyd.sock:/v1/prompts"},
	} {
		effect, codes := p.judgeTool(t, "do", args)
		assert.Equal(t, v1.EffectDeny, effect, name)
		assert.Contains(t, codes, "own_state", name)
	}
}

// V12: an approved tool may use what is in the project, for words, or for names on other machines.
func TestApprovedToolsNeedNoQuestions(t *testing.T) {
	p := newPlace(t)
	for name, args := range map[string]map[string]any{
		"repository":          {"repo_path": p.project + "/lib"},
		"output":              {"output_path": "build/x"},
		"working directory":   {"cwd": p.project + "/src"},
		"file address":        {"thing": "file://" + p.project + "/README.md"},
		"pattern":             {"glob": "src/**/*.go"},
		"pattern of files":    {"path": "src/*.go"},
		"pattern of words":    {"fields": "*", "range": "a[1-3]", "template": "{name}", "query": "*env"},
		"address":             {"url": "https://example.org/credentials.json", "uri": "https://example.org/.env"},
		"words":               {"query": ".env", "title": "a", "q": "server.key", "body": ".env", "search_query": "id_rsa"},
		"contents":            {"newText": ".env", "file_content": ".env", "old_str": "~/.ssh/other"},
		"left out":            {"exclude": []any{".env"}},
		"route":               {"endpoint": "/api/v1/users"},
		"comment":             {"snippet": "// see /etc/passwd", "thing": "// see"},
		"range":               {"range": "main..HEAD", "version": "~1.2"},
		"percent":             {"output_path": "100%25.md"},
		"regular expression":  {"pattern": `^\.\./x`},
		"imports and ids":     {"module": "@/components/x", "variable": "$id", "image": "docker:5000/x:1"},
		"named like the tree": {"branch": "src", "profile": "d"},
	} {
		effect, codes := p.judgeTool(t, "do", args)
		assert.Equal(t, v1.EffectAllow, effect, "%s: %s", name, codes)
	}
	effect, codes := p.judgeTool(t, "read_file", map[string]any{"path": "file://" + p.project + "/src/main.go"})
	assert.Equal(t, v1.EffectAllow, effect, codes)
	effect, codes = p.judgeTool(t, "write_file", map[string]any{"path": p.project + "/.gitignore", "content": ".env"})
	assert.NotEqual(t, v1.EffectDeny, effect, codes)
}

// V12, S2: an approval of a tool covers a directory with secrets below it only if it was given for such a
// call; the person is asked once more at most.
func TestApprovedToolsAndSecretsBelow(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"conf/prod/.env", "keys/deep/er/id_rsa", "lists/a/.npmrc"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x\n"), 0o600))
	}
	require.NoError(t, os.Symlink("conf", p.project+"/link"))
	with := func(tool string, risks ...string) v1.Approval {
		approval := approved("mcp:x/" + tool)
		for _, risk := range risks {
			approval.Risks.Add(risk)
		}
		return approval
	}
	list := func(words ...any) []any { return words }
	for name, args := range map[string]map[string]any{
		"repository":        {"repo_path": p.project},
		"path":              {"path": "conf"},
		"further up":        {"path": p.project + "/conf/../keys"},
		"working directory": {"cwd": p.project},
		"here":              {"root": "."},
		"unheard of":        {"thing": "conf"},
		"with a slash":      {"thing": "./conf/"},
		"file address":      {"uri": "file://" + p.project + "/conf"},
		"link":              {"path": "link"},
		"list":              {"paths": list("src", "keys")},
		"list in a text":    {"paths": "src,conf"},
		"among words":       {"thing": "scan ./conf now"},
		"nested":            {"options": map[string]any{"dir": "lists"}},
		"pattern":           {"glob": "conf/**/*"},
		"matched directory": {"path": "co*"},
		"argument of argv":  {"args": list("conf")},
	} {
		for _, tool := range []string{"do", "directory_tree", "search_files", "git_status"} {
			call := p.call("mcp__x__"+tool, args)
			judgement, err := p.engine.Judge(t.Context(), call, nil, []v1.Approval{with(tool)})
			require.NoError(t, err)
			assert.Equalf(t, v1.EffectPrompt, judgement.Effect, "%s %s", tool, name)
			if args["args"] == nil {
				assert.Containsf(t, judgement.Choices, v1.ChoiceAlwaysAnywhere, "%s %s", tool, name)
			}
			effect, codes := p.judge(t, call, nil, with(tool, "secrets below"))
			assert.Equalf(t, v1.EffectAllow, effect, "%s %s: %s", tool, name, codes)
			effect, _ = p.judge(t, call, nil, with(tool, "force"))
			assert.Equalf(t, v1.EffectPrompt, effect, "%s %s", tool, name)
		}
	}
	for name, c := range map[string]struct {
		tool string
		args map[string]any
	}{
		"directory without secrets": {"do", map[string]any{"path": "src"}},
		"file":                      {"do", map[string]any{"path": "README.md"}},
		"new directory":             {"do", map[string]any{"path": "build"}},
		"words to look for":         {"do", map[string]any{"query": "conf", "pattern": "conf", "text": "see conf/ for more"}},
		"pattern of files":          {"do", map[string]any{"glob": "src/*.go"}},
		"comment":                   {"do", map[string]any{"thing": "// conf"}},
		"no argument":               {"do", map[string]any{}},
		"one level of names":        {"list_directory", map[string]any{"path": "conf"}},
		"no file":                   {"read_text_file", map[string]any{"path": "conf"}},
		"about it":                  {"get_file_info", map[string]any{"path": p.project}},
	} {
		effect, codes := p.judge(t, p.call("mcp__x__"+c.tool, c.args), nil, with(c.tool))
		assert.Equalf(t, v1.EffectAllow, effect, "%s: %s", name, codes)
	}
}

// The approval of a tool with a statement in an unparsed language shows that.
func TestApprovedToolsAndLanguages(t *testing.T) {
	p := newPlace(t)
	for want, args := range map[string]map[string]any{
		"any sql":     {"sql": "DROP TABLE x"},
		"any cypher":  {"cypherQuery": "MATCH (n) DETACH DELETE n"},
		"any graphql": {"options": map[string]any{"graphql_query": "mutation {x}"}},
	} {
		call := p.call("mcp__db__do", args)
		approval := approved("mcp:db/do")
		judgement, err := p.engine.Judge(t.Context(), call, nil, []v1.Approval{approval})
		require.NoError(t, err)
		assert.Equal(t, v1.EffectPrompt, judgement.Effect, want)
		assert.Contains(t, judgement.Choices, v1.ChoiceAlwaysAnywhere, want)
		approval.Risks.Add(want)
		effect, codes := p.judge(t, call, nil, approval)
		assert.Equalf(t, v1.EffectAllow, effect, "%s: %s", want, codes)
	}
	effect, codes := p.judge(t, p.call("mcp__db__do", map[string]any{"query": "select 1"}), nil, approved("mcp:db/do"))
	assert.Equal(t, v1.EffectAllow, effect, codes)
}
