package clientrules_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/clientrules"
)

// chains are the programs of these tests and how many words a verb of theirs has.
var chains = map[string]int{"git": 2, "npm": 3, "gh": 3, "make": 2, "kubectl": 2, "go": 2, "foo": 1, "python3": 1, "ls": 1}

// commands reads lines of the programs above: --force and --context are risks.
func commands(line string) (clientrules.Command, bool) {
	words := strings.Fields(line)
	longest, known := chains[words[0]]
	if !known {
		return clientrules.Command{}, false
	}
	var verb, risks []string
	var command clientrules.Command
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == "--force":
			risks = append(risks, "force")
		case word == "--context" && i+1 < len(words):
			i++
			risks = append(risks, "context "+words[i])
		case strings.HasPrefix(word, "-"):
		case len(verb) < longest:
			verb = append(verb, word)
		}
	}
	command.Verb, command.Risks = strings.Join(verb, " "), risks
	command.RunsAnything, command.Operand = words[0] == "python3", words[0] == "make" && len(verb) > 1
	return command, true
}

// home is a directory with these files, and the client's rules in it. $P represents the project.
func mapped(t *testing.T, client string, files map[string]string) ([]clientrules.Mapped, error) {
	t.Helper()
	root := t.TempDir()
	where := clientrules.Surroundings{
		Home: filepath.Join(root, "home"), Env: func(string) (string, bool) { return "", false },
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		if strings.HasPrefix(name, "project/") {
			where.Project = filepath.Join(root, "project")
		}
	}
	at := slices.IndexFunc(clientrules.Clients(), func(known clientrules.Client) bool { return known.Name == client })
	require.GreaterOrEqual(t, at, 0)
	rules, _, err := clientrules.Clients()[at].Read(where)
	if err != nil {
		var wrong *clientrules.FileError
		require.ErrorAs(t, err, &wrong)
		return nil, errors.New(strings.TrimPrefix(wrong.Error(), root+"/"))
	}
	return clientrules.Map(rules, clientrules.Options{Project: where.Project, Commands: commands, Agent: client, Audience: v1.AudiencePersonal}), nil
}

// shown are the results, a line each: the rule, what it becomes, and a word of the note.
func shown(list []clientrules.Mapped) []string {
	var out []string
	for _, rule := range list {
		line := fmt.Sprintf("%s %s => %s", rule.Effect, rule.Text, rule.Outcome)
		if rule.Approval != nil {
			entry := v1.ApprovalEntry{Verb: rule.Approval.Verb, Risks: rule.Approval.Risks}
			line += ": " + strings.TrimSuffix(entry.Words(), " anywhere")
			if rule.Approval.Directory != nil {
				line += " in " + filepath.Base(*rule.Approval.Directory)
			}
			if rule.Approval.Tool != v1.ToolShell {
				line += " by " + rule.Approval.Tool
			}
		}
		out = append(out, line)
	}
	return out
}

// allow is a settings file of Claude Code that allows these rules, and denies others.
func allow(allowed string, denied ...string) string {
	return `{"permissions": {"allow": [` + allowed + `], "deny": [` + strings.Join(denied, ",") + `]}}`
}

const (
	claudeUser    = "home/.claude/settings.json"
	claudeProject = "project/.claude/settings.json"
	codexUser     = "home/.codex/rules/default.rules"
	geminiUser    = "home/.gemini/settings.json"
	geminiPolicy  = "home/.gemini/policies/mine.toml"
	openCodeUser  = "home/.config/opencode/opencode.json"
)

func TestRulesMap(t *testing.T) {
	tests := map[string]struct {
		client string
		files  map[string]string
		want   []string
	}{
		"claude, a verb": {"claude", map[string]string{claudeUser: allow(`"Bash(npm run test:*)", "Bash(git push *)"`)}, []string{
			"allow Bash(npm run test:*) => maps: npm run test", "allow Bash(git push *) => maps: git push",
		}},
		"claude, one exact line": {"claude", map[string]string{claudeUser: allow(`"Bash(git push)"`)}, []string{"allow Bash(git push) => doesn't map"}},
		"claude, one exact line beside its program": {"claude", map[string]string{claudeUser: allow(`"Bash(git push)", "Bash(git:*)"`)}, []string{
			"allow Bash(git push) => maps: git push", "allow Bash(git:*) => doesn't map",
		}},
		"claude, every line": {"claude", map[string]string{claudeUser: allow(`"Bash", "Bash(*)", "*"`)}, []string{
			"allow Bash => doesn't map", "allow Bash(*) => doesn't map", "allow * => doesn't map",
		}},
		"claude, an option alone": {"claude", map[string]string{claudeUser: allow(`"Bash(git push --force:*)"`)}, []string{
			"allow Bash(git push --force:*) => doesn't map",
		}},
		"claude, an option beside its verb": {"claude", map[string]string{claudeUser: allow(`"Bash(git push --force:*)", "Bash(git push:*)"`)}, []string{
			"allow Bash(git push --force:*) => maps: git push (force)", "allow Bash(git push:*) => maps: git push",
		}},
		"claude, an operand": {"claude", map[string]string{claudeUser: allow(`"Bash(git push origin:*)"`)}, []string{"allow Bash(git push origin:*) => doesn't map"}},
		"claude, a target": {"claude", map[string]string{claudeUser: allow(`"Bash(make:*)", "Bash(make lint:*)"`)}, []string{
			"allow Bash(make:*) => maps narrower: make", "allow Bash(make lint:*) => maps: make lint",
		}},
		"claude, a prefix inside a word": {"claude", map[string]string{claudeUser: allow(`"Bash(npm run test*)"`)}, []string{
			"allow Bash(npm run test*) => maps narrower: npm run test",
		}},
		"claude, a wildcard inside": {"claude", map[string]string{claudeUser: allow(`"Bash(git * main)", "Bash(* install)"`)}, []string{
			"allow Bash(git * main) => doesn't map", "allow Bash(* install) => doesn't map",
		}},
		"claude, more than one command": {"claude", map[string]string{claudeUser: allow(`"Bash(ls && git push:*)", "Bash(FOO=1 ls:*)", "Bash(ls \"a b\":*)", "Bash(./x:*)"`)}, []string{
			"allow Bash(ls && git push:*) => doesn't map", "allow Bash(FOO=1 ls:*) => doesn't map",
			`allow Bash(ls "a b":*) => doesn't map`, "allow Bash(./x:*) => doesn't map",
		}},
		"claude, runs anything": {"claude", map[string]string{claudeUser: allow(`"Bash(python3:*)"`)}, []string{"allow Bash(python3:*) => doesn't map"}},
		"claude, runs anything, with a project": {"claude", map[string]string{claudeUser: allow(`"Bash(python3:*)"`), claudeProject: allow(`"Bash(go test:*)"`)}, []string{
			"allow Bash(python3:*) => maps narrower: python3 in project", "allow Bash(go test:*) => maps: go test in project",
		}},
		"claude, a rule of a project allows nothing elsewhere": {"claude", map[string]string{
			claudeUser: allow(`"Bash(git push)"`), claudeProject: allow(`"Bash(git:*)", "WebFetch(domain:a.example)", "mcp__s__t"`),
		}, []string{
			"allow Bash(git push) => doesn't map", "allow Bash(git:*) => doesn't map",
			"allow WebFetch(domain:a.example) => doesn't map", "allow mcp__s__t => doesn't map",
		}},
		"claude, other tools": {"claude", map[string]string{claudeUser: allow(
			`"Read(//etc/**)", "Edit", "WebFetch", "WebFetch(domain:a.example)", "WebFetch(domain:*.example)", "mcp__s", "mcp__s__*", "mcp__s__t", "Skill(x)"`)}, []string{
			"allow Read(//etc/**) => doesn't map", "allow Edit => doesn't map", "allow WebFetch => doesn't map",
			"allow WebFetch(domain:a.example) => maps: fetch a.example by fetch", "allow WebFetch(domain:*.example) => doesn't map",
			"allow mcp__s => doesn't map", "allow mcp__s__* => doesn't map", "allow mcp__s__t => maps: mcp:s/t by mcp", "allow Skill(x) => doesn't map",
		}},
		"claude, a blank that shells don't split at": {"claude", map[string]string{claudeUser: allow("\"Bash(git\u00a0push:*)\"")}, []string{
			"allow Bash(git\u00a0push:*) => doesn't map",
		}},
		"claude, a tool with some arguments": {"claude", map[string]string{claudeUser: allow(`"mcp__x__y(z)"`)}, []string{"allow mcp__x__y(z) => doesn't map"}},
		"claude, denied in part": {"claude", map[string]string{claudeUser: allow(`"Bash(git push:*)"`, `"Bash(git push origin:*)"`)}, []string{
			"allow Bash(git push:*) => doesn't map", "deny Bash(git push origin:*) => doesn't map",
		}},
		"claude, an option before the verb is denied": {"claude", map[string]string{claudeUser: allow(`"Bash(git push:*)"`, `"Bash(git -C:*)"`)}, []string{
			"allow Bash(git push:*) => doesn't map", "deny Bash(git -C:*) => doesn't map",
		}},
		"claude, a risk is denied": {"claude", map[string]string{claudeUser: allow(`"Bash(git push:*)", "Bash(go test:*)"`, `"Bash(git push --force:*)"`)}, []string{
			"allow Bash(git push:*) => maps: git push", "allow Bash(go test:*) => maps: go test", "deny Bash(git push --force:*) => doesn't map",
		}},
		"claude, a pattern is denied": {"claude", map[string]string{claudeUser: allow(`"Bash(git push:*)", "Bash(go test:*)"`, `"Bash(git * main)"`)}, []string{
			"allow Bash(git push:*) => doesn't map", "allow Bash(go test:*) => maps: go test", "deny Bash(git * main) => doesn't map",
		}},
		"claude, a project denies": {"claude", map[string]string{claudeUser: allow(`"Bash(git push:*)"`), claudeProject: allow(``, `"Bash(git push:*)"`)}, []string{
			"allow Bash(git push:*) => doesn't map", "deny Bash(git push:*) => doesn't map",
		}},
		"claude, a server is denied": {"claude", map[string]string{claudeUser: allow(`"mcp__s__t"`, `"mcp__s"`)}, []string{
			"allow mcp__s__t => doesn't map", "deny mcp__s => doesn't map",
		}},
		"claude, settings that allow": {"claude", map[string]string{
			claudeUser: `{"permissions": {"defaultMode": "bypassPermissions", "additionalDirectories": ["/x"], "ask": ["Bash(ls:*)"]}}`,
		}, []string{
			"ask Bash(ls:*) => doesn't map", "allow additionalDirectories /x => doesn't map", "allow defaultMode bypassPermissions => doesn't map",
		}},
		"codex": {"codex", map[string]string{codexUser: `
# a comment
prefix_rule(pattern=["git", ["push", "fetch"]], decision="allow", justification="""often
needed""", match=["git push"], not_match=[["git", "x"]],)
prefix_rule(pattern = ['gh', 'pr', 'view'])
prefix_rule(pattern=["git", "clean"], decision="forbidden")
prefix_rule(pattern=["ls", "a b"], decision="prompt")
network_rule(host="a.example", protocol="https", decision="allow")
host_executable(name="git", paths=["/usr/bin/git"])
`, "home/.codex/config.toml": "approval_policy = \"never\"\n[mcp_servers.docs.tools.search]\napproval_mode = \"approve\"\n[mcp_servers.docs.tools.write]\napproval_mode = \"prompt\"\n"}, []string{
			"allow prefix_rule git push => maps: git push", "allow prefix_rule git fetch => maps: git fetch", "allow prefix_rule gh pr view => maps: gh pr view",
			"deny prefix_rule git clean => doesn't map", "ask prefix_rule ls a b => doesn't map", "allow network_rule a.example => doesn't map",
			"allow host_executable git => doesn't map", "allow approval_policy never => doesn't map",
			"allow mcp_servers.docs.tools.search approve => maps: mcp:docs/search by mcp", "ask mcp_servers.docs.tools.write prompt => doesn't map",
		}},
		"codex, a project": {"codex", map[string]string{"project/.codex/rules/a.rules": `prefix_rule(pattern=["go", "test"])`}, []string{
			"allow prefix_rule go test => maps: go test in project",
		}},
		"gemini": {"gemini", map[string]string{geminiUser: `{ // comments are read
			"tools": {"allowed": ["run_shell_command(git push)", "run_shell_command", "read_file", "s__t"], "exclude": ["run_shell_command(git clean)"], "core": ["ShellTool(ls)"]},
			"mcpServers": {"s": {"trust": true}},
		}`}, []string{
			"allow run_shell_command(git push) => maps: git push", "allow run_shell_command => doesn't map", "allow read_file => doesn't map",
			"allow s__t => maps: mcp:s/t by mcp", "deny run_shell_command(git clean) => doesn't map", "allow ShellTool(ls) => doesn't map",
			"allow mcpServers.s.trust => doesn't map",
		}},
		"gemini, a policy": {"gemini", map[string]string{geminiPolicy: `
[[rule]]
toolName = "run_shell_command"
decision = "ask_user"
priority = 10
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git push", "go test "]
decision = "allow"
priority = 100
[[rule]]
commandRegex = "ls .*"
decision = "allow"
priority = 100
[[rule]]
mcpName = "s"
toolName = "t"
decision = "allow"
priority = 100
[[rule]]
toolName = "run_shell_command"
commandPrefix = "npm run test"
decision = "allow"
modes = ["autoEdit"]
priority = 5
`}, []string{
			"ask run_shell_command => doesn't map", "allow run_shell_command(git push) => maps: git push", "allow run_shell_command(go test ) => maps: go test",
			"allow run_shell_command(/ls .*/) => doesn't map", "allow s t => maps: mcp:s/t by mcp", "allow run_shell_command(npm run test) => doesn't map",
		}},
		"gemini, a stronger question": {"gemini", map[string]string{geminiPolicy: "[[rule]]\ncommandPrefix = \"git push\"\ndecision = \"allow\"\npriority = 1\n" +
			"[[rule]]\ncommandRegex = \"git .*\"\ndecision = \"ask_user\"\npriority = 2\n"}, []string{
			"allow run_shell_command(git push) => doesn't map", "ask run_shell_command(/git .*/) => doesn't map",
		}},
		"opencode, the last rule counts": {"opencode", map[string]string{openCodeUser: `{"permission": {"bash": {
			"*": "ask", "git push *": "allow", "git status": "allow", "go test*": "allow", "go *": "deny"}, "edit": "allow", "webfetch": "allow"}, "tools": {"write": false}}`}, []string{
			"ask bash: ask => doesn't map", "allow bash git push *: allow => maps: git push", "allow bash git status: allow => doesn't map",
			"allow bash go test*: allow => doesn't map", "deny bash go *: deny => doesn't map", "allow edit: allow => doesn't map", "allow webfetch: allow => doesn't map",
			"deny tools.write: false => doesn't map",
		}},
		"opencode, a project changes a rule in its place": {"opencode", map[string]string{
			openCodeUser:            `{"permission": {"bash": {"git push *": "allow", "git *": "deny"}}}`,
			"project/opencode.json": `{"permission": {"bash": {"git push *": "allow", "make *": "allow",}}}`,
		}, []string{
			"allow bash git push *: allow => doesn't map", "deny bash git *: deny => doesn't map",
			"allow bash git push *: allow => doesn't map", "allow bash make *: allow => maps narrower: make in project",
		}},
		"opencode, one agent": {"opencode", map[string]string{openCodeUser: `{"permission": {"bash": {"git push *": "allow"}}, "agent": {"plan": {"permission": {"bash": {"go test *": "allow", "git *": "deny"}}}}}`}, []string{
			"allow bash git push *: allow => doesn't map", "allow plan: bash go test *: allow => doesn't map", "deny plan: bash git *: deny => doesn't map",
		}},
		"opencode, everything": {"opencode", map[string]string{openCodeUser: `{"permission": "allow"}`}, []string{"allow *: allow => doesn't map"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := mapped(t, test.client, test.files)
			require.NoError(t, err)
			assert.Equal(t, test.want, shown(got))
			for _, rule := range got {
				assert.NotZero(t, rule.Line, rule.Text)
				assert.True(t, rule.Outcome == clientrules.Maps || rule.Note != "", "%s has no reason", rule.Text)
				assert.Equal(t, rule.Outcome == clientrules.None, rule.Approval == nil, rule.Text)
			}
		})
	}
}

func TestWrongFilesNameTheLine(t *testing.T) {
	tests := map[string]struct{ client, file, text, want string }{
		"no JSON":              {"claude", claudeUser, "{\n  \"permissions\": {\n", claudeUser + ":"},
		"comments":             {"claude", claudeUser, "{} // x\n", claudeUser + ":1: has comments"},
		"no list":              {"claude", claudeUser, "{\"permissions\":\n{\"allow\": \"Bash\"}}", claudeUser + ":2: permissions.allow is no list"},
		"no string":            {"claude", claudeUser, "{\"permissions\": {\"allow\": [\n\"Bash\",\n1]}}", claudeUser + ":3: permissions.allow holds"},
		"no end":               {"claude", claudeUser, allow("\n" + `"Bash(ls"`), claudeUser + ":2: permission rule Bash(ls has no closing"},
		"twice":                {"claude", claudeUser, "{\"permissions\": {},\n\"permissions\": {}}", claudeUser + `:2: "permissions" is there twice`},
		"a list":               {"claude", claudeUser, "[]", claudeUser + ":1: is no object"},
		"a variable":           {"codex", codexUser, "x = 1\n", codexUser + ":1: only calls of"},
		"computed":             {"codex", codexUser, "\nprefix_rule(pattern=[\"a\" + \"b\"])", codexUser + ":2: want a string or a list of strings; nothing is computed"},
		"a statement":          {"codex", codexUser, "\nif True:\n  prefix_rule(pattern=[\"a\"])", codexUser + ":2: only calls of"},
		"a file to load":       {"codex", codexUser, "load(\"x\", \"prefix_rule\")", codexUser + ":1: only calls of"},
		"another function":     {"codex", codexUser, "print(\"a\")", codexUser + ":1: only calls of"},
		"a method":             {"codex", codexUser, "x.prefix_rule(pattern=[\"a\"])", codexUser + ":1: only calls of"},
		"by its place":         {"codex", codexUser, "prefix_rule([\"a\"])", codexUser + ":1: prefix_rule takes pattern"},
		"many arguments":       {"codex", codexUser, "prefix_rule(**{})", codexUser + ":1: prefix_rule takes pattern"},
		"bytes":                {"codex", codexUser, "prefix_rule(pattern=[b\"a\"])", codexUser + ":1: want a string"},
		"a number":             {"codex", codexUser, "prefix_rule(\npattern=[\"a\",\n1])", codexUser + ":3: want a string"},
		"a comprehension":      {"codex", codexUser, "prefix_rule(pattern=[x for x in y])", codexUser + ":1: want a string"},
		"deep lists":           {"codex", codexUser, "prefix_rule(pattern=" + strings.Repeat("[", 10) + strings.Repeat("]", 10) + ")", codexUser + ":1: lists are nested too deep"},
		"endless lists":        {"codex", codexUser, "prefix_rule(pattern=" + strings.Repeat("[", 1e6), codexUser + ":1: excessive nesting"},
		"an open call":         {"codex", codexUser, "prefix_rule(pattern=[\"a\"]\n\n", codexUser + ":"},
		"two on a line":        {"codex", codexUser, "prefix_rule(pattern=[\"a\"]) prefix_rule(pattern=[\"b\"])", codexUser + ":1: got identifier"},
		"an unknown argument":  {"codex", codexUser, "\n\nprefix_rule(patern=[\"a\"])", codexUser + ":3: prefix_rule takes pattern"},
		"no pattern":           {"codex", codexUser, "prefix_rule(decision=\"allow\")", codexUser + ":1: pattern is no list"},
		"an unknown decision":  {"codex", codexUser, "prefix_rule(pattern=[\"a\"], decision=\"maybe\")", codexUser + `:1: decision "maybe"`},
		"an open string":       {"codex", codexUser, "prefix_rule(pattern=[\n\"a\n", codexUser + ":2: unexpected newline in string"},
		"too many":             {"codex", codexUser, "prefix_rule(pattern=[" + strings.Repeat(`["a","b"],`, 11) + "])", codexUser + ":1: pattern matches more"},
		"no TOML":              {"codex", "home/.codex/config.toml", "a = 1\nb = = 2\n", "home/.codex/config.toml:2: "},
		"a policy, no TOML":    {"gemini", geminiPolicy, "[[rule]]\ndecision =\n", geminiPolicy + ":2: "},
		"a policy, a new key":  {"gemini", geminiPolicy, "[[rule]]\ndecision = \"allow\"\nonlyIf = 1\n", geminiPolicy + ":3: the key rule.onlyIf"},
		"a policy, a decision": {"gemini", geminiPolicy, "[[rule]]\ndecision = \"allow\"\n[[rule]]\ntoolName = \"x\"\n", geminiPolicy + `:3: decision ""`},
		"a permission":         {"opencode", openCodeUser, "{\"permission\": {\n\"bash\": \"yes\"}}", openCodeUser + ":2: permission.bash is none of"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := mapped(t, test.client, map[string]string{test.file: test.text})
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), test.want), err)
		})
	}
}
