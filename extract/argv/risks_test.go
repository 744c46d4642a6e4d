package argv

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyProgram visits every program of the table, and every subcommand.
func everyProgram(t *testing.T, visit func(chain string, program *Program)) *Table {
	t.Helper()
	table, err := NewTable()
	require.NoError(t, err)
	var walk func(chain string, program *Program)
	walk = func(chain string, program *Program) {
		visit(chain, program)
		for _, name := range slices.Sorted(maps.Keys(program.Commands)) {
			walk(chain+" "+name, program.Commands[name])
		}
	}
	for _, name := range table.Names() {
		if program := table.Program(name); program != nil && !strings.Contains(name, "/") {
			walk(name, program)
		}
	}
	return table
}

// TestRisksNameWhatThereIs holds that every key of a risks column names an option, a role, a kind
// or a mark that the program has, and that what all programs share is well formed.
func TestRisksNameWhatThereIs(t *testing.T) {
	table := everyProgram(t, func(chain string, program *Program) {
		roles := map[string]bool{"<path>": program.Pathspecs, "<commit>": program.Pathspecs}
		for _, rule := range program.Rules {
			for _, r := range rule.Roles {
				roles["<"+r.Name+">"] = true
			}
		}
		for name := range program.Risks {
			known, listed := program.Options[strings.TrimPrefix(name, "!")]
			switch {
			case strings.HasPrefix(name, "<"):
				assert.True(t, roles[name], "%s: %s", chain, name)
			case strings.HasPrefix(name, "="):
			case listed:
				assert.Equal(t, strings.TrimPrefix(name, "!"), known.Canonical, "%s: %s", chain, name)
			}
		}
	})
	common := table.Words.Risks()
	for _, risks := range []map[string]string{common.Options, common.Kinds, common.Commands} {
		require.NotEmpty(t, risks)
		assert.NoError(t, checkRisks(risks))
	}
	for name := range common.Options {
		assert.True(t, strings.HasPrefix(name, "--"), name)
	}
	for name, risk := range common.Kinds {
		assert.Contains(t, kinds, name)
		assert.Contains(t, risk, "{", "an operand of a kind has no risk by itself: %s", name)
	}
	assert.Error(t, checkRisks(map[string]string{"-x": "method {nothing}"}))
	assert.Error(t, checkRisks(map[string]string{"-x": "method {"}))
}

// TestValuesOfRisks holds what a risk names of a word, that two values of one have two names, and
// that no secret stands in one.
func TestValuesOfRisks(t *testing.T) {
	table, err := NewTable()
	require.NoError(t, err)
	for _, c := range []struct{ value, text, want string }{
		{"", "a b", "a%20b"},
		{"", "a%20b", "a%2520b"},
		{"", "(x), y", "%28x%29,%20y"},
		{"", "", ""},
		{"", "ä\n", "%C3%A4%0A"},
		{"host", "https://u:p@H.example:8443/a?b#c", "h.example"},
		{"host", "h.example/a", "h.example"},
		{"host", "file:///etc/x", ""},
		{"host", "./x", ""},
		{"host", `https://evil.example\@good.example/`, "evil.example"},
		{"host", "https://good.example@evil.example", "evil.example"},
		{"host", "http://[::1]:80/", "[::1]"},
		{"remote", "origin", ""},
		{"remote", "backup", "backup"},
		{"remote", "https://u:p@h.example/x", "https://h.example/x"},
		{"remote", "git@h.example:x", "git@h.example:x"},
		{"remote", "https://u:p@h.example", "https://h.example"},
		{"address", "postgres://u:p@h/db", "postgres://h/db"},
		{"account", "me:secret", "me"},
		{"peer", "a/b:c", ""},
		{"peer", "h:x", "h"},
		{"peer", "u@h:x", "u@h"},
		{"peer", "rsync://h/x", "h"},
		{"peer", "h::x", "h"},
		{"peer", "./h:x", ""},
		{"refspec", "main", ""},
		{"refspec", "+main", "+main"},
		{"refspec", "a:b", "a:b"},
		{"package", "a@1", "a"},
		{"package", "@a/b@^2", "@a/b"},
		{"package", "a==1", "a"},
		{"package", "a[x]~=1", "a"},
		{"package", ".", ""},
		{"package", "git+https://h/x@v1", "git+https://h/x@v1"},
		{"package", "github:a/b#c", "github:a/b%23c"},
		{"resource", "Pods/x", "pods"},
		{"credentials", "pods", ""},
		{"credentials", "secrets.v1.core", "secrets"},
		{"credentials", "Secret/x", "secret"},
		{"endpoint", "/repos/a/b/pulls?x=y", "repos/a/b"},
		{"endpoint", "https://api.h.example/user/keys", "user"},
		{"endpoint", "repos", "repos"},
		{"endpoint", "", ""},
		{"header", "Accept: x", ""},
		{"header", "Authorization: Bearer x", "authorization"},
		{"linking", "-s -w -X main.v=1 -X=a.b=c", ""},
		{"linking", "-s -linkmode external", "-linkmode%20external"},
		{"module", "./x", ""},
		{"module", "cmd/x", ""},
		{"module", "h.example/x@v1", "h.example/x"},
		{"module", "main.go", ""},
		{"request", "DELETE", "DELETE"},
		{"request", "a=b", "fields"},
		{"request", ":8080/x", ""},
		{"request", "https://h.example/?a=b", "h.example"},
		{"url", "x", ""},
		{"url", "--to=https://h.example/x", "h.example"},
	} {
		got := strings.Join(table.Words.Risks().Named("{"+c.value+"}", c.text, true), " ")
		assert.Equal(t, c.want, got, "{%s} of %q", c.value, c.text)
	}
	long := strings.Repeat("a", 100)
	assert.Len(t, Shortened(long), longestRisk)
	assert.NotEqual(t, Shortened(long), Shortened(long+"b"))
}
