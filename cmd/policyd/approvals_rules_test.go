package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/clientrules"
	"policyd/internal/config"
)

// An approval that is made of rules covers no line that the rules don't allow, by the built-in program table.
func TestImportedRulesAllowNothingMore(t *testing.T) {
	home := t.TempDir()
	loaded, err := config.Load("", func(name string) (string, bool) { return home, name == "HOME" }, nil)
	require.NoError(t, err)
	own := *loaded
	s := &settings{Config: &own, Home: home, Platform: "linux"}
	read, done, err := commandReader(t.Context(), s)
	require.NoError(t, err)
	defer done()
	type answer struct {
		command clientrules.Command
		ok      bool
	}
	known := map[string]answer{}
	commands := func(line string) (clientrules.Command, bool) {
		if _, found := known[line]; !found {
			command, ok := read(line)
			known[line] = answer{command, ok}
		}
		return known[line].command, known[line].ok
	}
	verbs := []string{
		"git push", "git commit", "git", "npm run test", "npm run", "gh pr view", "gh", "kubectl get", "docker compose up", "make", "make lint",
		"pytest", "rm", "curl", "cargo build", "pip install", "terraform plan", "aws s3 ls", "foo", "uv run", "go test",
	}
	tails := []string{"", "--force", "-f", "--amend", "-d", "x", "x y", "--context prod", "--help", "-v", "--config x", "--token y", "-r", "zzz --force"}
	var lines []string
	for _, verb := range verbs {
		for _, tail := range tails {
			lines = append(lines, strings.TrimSpace(verb+" "+tail))
		}
	}
	mapped := 0
	for i, line := range lines {
		for _, rule := range []string{"Bash(" + line + ")", "Bash(" + line + ":*)", "Bash(" + line + "*)"} {
			for _, denied := range []string{"", lines[(i*7+3)%len(lines)], line + " x"} {
				mapped += allowsNothingMore(t, home, commands, lines, rule, denied)
			}
		}
	}
	assert.Positive(t, mapped)
}

// allowsNothingMore checks one allow and one deny rule against all lines. It returns how many approvals there
// were.
func allowsNothingMore(t *testing.T, home string, commands clientrules.Commands, lines []string, rule, denied string) int {
	t.Helper()
	deny := ""
	if denied != "" {
		deny = `"Bash(` + denied + `:*)"`
	}
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".claude"), 0o700))
	text := `{"permissions": {"allow": ["` + rule + `"], "deny": [` + deny + `]}}`
	require.NoError(t, os.WriteFile(filepath.Join(home, ".claude", "settings.json"), []byte(text), 0o600))
	rules, _, err := clientrules.Clients()[0].Read(clientrules.Surroundings{Home: home, Env: func(string) (string, bool) { return "", false }})
	require.NoError(t, err)
	result := clientrules.Map(rules, clientrules.Options{Commands: commands, Agent: "claude-code", Audience: v1.AudiencePersonal})[0]
	if result.Approval == nil {
		return 0
	}
	for _, line := range lines {
		command, ok := commands(line)
		covered := ok && command.Verb == result.Approval.Verb && !slices.ContainsFunc(command.Risks, func(risk string) bool { return !slices.Contains(result.Approval.Risks, risk) })
		if !covered {
			continue
		}
		assert.True(t, claudeMatches(rule, line), "%s covers %s", rule, line)
		assert.False(t, denied != "" && claudeMatches("Bash("+denied+":*)", line), "%s covers %s, which %s denies", rule, line, denied)
	}
	return 1
}

// claudeMatches is how Claude Code matches a line.
func claudeMatches(rule, line string) bool {
	pattern := strings.TrimSuffix(strings.TrimPrefix(rule, "Bash("), ")")
	if prefix, found := strings.CutSuffix(pattern, ":*"); found {
		return line == prefix || strings.HasPrefix(line, prefix+" ")
	}
	if prefix, found := strings.CutSuffix(pattern, "*"); found {
		return strings.HasPrefix(line, prefix)
	}
	return line == pattern
}

// The example in docs/prompts.md is what the program prints.
func TestImportedRulesOfTheGuide(t *testing.T) {
	page, err := os.ReadFile("../../docs/prompts.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "## Importing an agent program's own rules")
	require.True(t, found)
	example := func(kind string) string {
		_, rest, opened := strings.Cut(section, "```"+kind+"\n")
		block, _, closed := strings.Cut(rest, "```")
		require.True(t, opened && closed)
		return block
	}
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".claude"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".claude", "settings.json"), []byte(example("json")), 0o600))
	lookup := func(name string) (string, bool) {
		if name == "HOME" {
			return home, true
		}
		return "", false
	}
	var stdout, stderr strings.Builder
	program := &Program{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, LookupEnv: lookup}
	require.Zero(t, program.Run(t.Context(), []string{"approvals", "import", "--from", "claude"}), stderr.String())
	var rows []string
	for line := range strings.Lines(stdout.String()) {
		if rule, rest, isRow := strings.Cut(line, home); isRow {
			_, result, _ := strings.Cut(rest, "  ")
			rows = append(rows, strings.TrimSpace(rule)+" | "+strings.TrimSpace(result))
		}
	}
	var want []string
	for line := range strings.Lines(example("text")) {
		rule, result, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want = append(want, rule+" | "+strings.TrimSpace(result))
	}
	assert.Equal(t, want, rows)
}
