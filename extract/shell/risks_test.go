package shell

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
		for _, name := range slices.Sorted(maps.Keys(program.commands)) {
			walk(chain+" "+name, program.commands[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table.raw)) {
		if program := table.program(name); program != nil && !strings.Contains(name, "/") {
			walk(name, program)
		}
	}
	return table
}

// TestRisksNameWhatThereIs holds that every key of a risks column names an option, a role, a kind
// or a mark that the program has, and that what all programs share is well formed.
func TestRisksNameWhatThereIs(t *testing.T) {
	table := everyProgram(t, func(chain string, program *Program) {
		roles := map[string]bool{"<path>": program.pathspecs, "<commit>": program.pathspecs}
		for _, rule := range program.operands {
			for _, r := range rule.roles {
				roles["<"+r.name+">"] = true
			}
		}
		for name := range program.risks {
			known, listed := program.options[strings.TrimPrefix(name, "!")]
			switch {
			case strings.HasPrefix(name, "<"):
				assert.True(t, roles[name], "%s: %s", chain, name)
			case strings.HasPrefix(name, "="):
			case listed:
				assert.Equal(t, strings.TrimPrefix(name, "!"), known.canonical, "%s: %s", chain, name)
			}
		}
	})
	common := table.words.risks
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

// TestARiskyOptionIsOne holds A15 over the table: for every program, each option that is a risk,
// each common one and one that nobody knows add a risk to a line, in every notation, and the same
// line has the same risks again.
func TestARiskyOptionIsOne(t *testing.T) {
	table, err := NewTable()
	require.NoError(t, err)
	risksOf := func(line string) (risks []string, once bool) {
		parsed := table.Parse(line, Options{Home: "/home/dev", Cwd: "/srv/proj", Platform: "linux"})
		for i := range parsed.Commands {
			c := &parsed.Commands[i]
			risks = append(risks, c.Risks...)
			for _, caveat := range []string{"executes", "inline_code", "dynamic_option", "dynamic_word", "inner", "unknown_command", "assigns", "privileged"} {
				once = once || c.Caveats.Has(caveat) // no approval covers it
			}
		}
		slices.Sort(risks)
		return risks, once || len(parsed.Messy) > 0 || len(parsed.Commands) != 1
	}
	compared := 0
	everyProgram(t, func(chain string, program *Program) {
		if len(program.commands) > 0 || slices.Contains([]string{"raw", "find", "text", "test", "equals", "cmdlet", "cmd", "tar"}, program.style) || program.wrapper != "" || chain == "cd" {
			return
		}
		plain, once := risksOf(chain)
		if once {
			return
		}
		with := func(written, risk string) {
			risks, never := risksOf(chain + " " + written)
			again, _ := risksOf(chain + " " + written)
			compared++
			assert.Equal(t, risks, again, "%s %s", chain, written)
			if !never {
				assert.False(t, subset(risks, plain), "%s %s: %s is no risk: %v", chain, written, risk, risks)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(program.options)) {
			known := program.options[name]
			if known.risk == "" || subset(strings.Split(known.risk, ","), plain) || known.kinds[0] == "command" {
				continue
			}
			if onlyAddress(known.risk) {
				continue // only an address as the value has the risk
			}
			if known.kinds[0] == "none" {
				with(name, known.risk)
				continue
			}
			if !strings.HasSuffix(known.kinds[0], "?") {
				with(name+" v.example", known.risk)
			}
			if strings.HasPrefix(name, "--") {
				with(name+"=v.example", known.risk)
			}
		}
		if len(program.late) == 0 {
			with("--zz-unlisted", "an unlisted option")
			with("--zz-unlisted=v", "an unlisted option")
		}
		for _, name := range []string{"--server", "--token", "--registry", "--config"} {
			if known, listed := program.options[name]; !listed || known.risk != "" {
				with(name+"=v.example", "a common option")
			}
		}
	})
	assert.Greater(t, compared, 3000)
	for _, name := range slices.Sorted(maps.Keys(table.words.risks.Options)) {
		for _, written := range []string{name + "=v.example", name + " v.example", strings.TrimPrefix(name, "-") + "=v.example"} {
			risks, _ := risksOf("mytool run " + written)
			assert.NotEmpty(t, risks, "mytool run %s", written)
		}
	}
}

// onlyAddress reports whether a risk is one of addresses alone.
func onlyAddress(risk string) bool {
	return risk == "host {url}" || strings.Contains(risk, "{peer}") || strings.Contains(risk, "{credentials}") || strings.Contains(risk, "{linking}")
}

func subset(some, all []string) bool {
	for _, one := range some {
		if one != "" && !slices.Contains(all, one) {
			return false
		}
	}
	return true
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
		got := strings.Join(table.words.risks.values(c.value, Word{Kind: Literal, Text: c.text}), " ")
		assert.Equal(t, c.want, got, "{%s} of %q", c.value, c.text)
	}
	long := strings.Repeat("a", 100)
	assert.Len(t, shortened(long), longestRisk)
	assert.NotEqual(t, shortened(long), shortened(long+"b"))
}
