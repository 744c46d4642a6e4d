package shell

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/argv"
	"policyd/extract/shell/host"
)

// everyProgram visits every program of the table, and every subcommand.
func everyProgram(t *testing.T, visit func(chain string, program *argv.Program)) *Table {
	t.Helper()
	table, err := NewTable()
	require.NoError(t, err)
	var walk func(chain string, program *argv.Program)
	walk = func(chain string, program *argv.Program) {
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

// TestARiskyOptionIsOne holds A15 over the table: for every program, each option that is a risk,
// each common one and one that nobody knows add a risk to a line, in every notation, and the same
// line has the same risks again.
func TestARiskyOptionIsOne(t *testing.T) {
	table, err := NewTable()
	require.NoError(t, err)
	risksOf := func(line string) (risks []string, once bool) {
		parsed := table.Parse(line, host.Options{Home: "/home/dev", Cwd: "/srv/proj", Platform: "linux"})
		for i := range parsed.Commands {
			c := &parsed.Commands[i]
			risks = append(risks, c.Approval.Risks...)
			for _, caveat := range []string{"executes", "inline_code", "dynamic_option", "dynamic_word", "inner", "unknown_command", "assigns", "privileged"} {
				once = once || c.Caveats.Has(caveat) // no approval covers it
			}
		}
		slices.Sort(risks)
		return risks, once || len(parsed.Messy) > 0 || len(parsed.Commands) != 1
	}
	compared := 0
	everyProgram(t, func(chain string, program *argv.Program) {
		if len(program.Commands) > 0 || slices.Contains([]string{"raw", "find", "text", "test", "equals", "cmdlet", "cmd", "tar"}, program.Style) || program.Wrapper != "" || chain == "cd" {
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
		for _, name := range slices.Sorted(maps.Keys(program.Options)) {
			known := program.Options[name]
			if known.Risk == "" || subset(strings.Split(known.Risk, ","), plain) || known.Kinds[0] == "command" {
				continue
			}
			if onlyAddress(known.Risk) {
				continue // only an address as the value has the risk
			}
			if known.Kinds[0] == "none" {
				with(name, known.Risk)
				continue
			}
			if !strings.HasSuffix(known.Kinds[0], "?") {
				with(name+" v.example", known.Risk)
			}
			if strings.HasPrefix(name, "--") {
				with(name+"=v.example", known.Risk)
			}
		}
		if len(program.Late) == 0 {
			with("--zz-unlisted", "an unlisted option")
			with("--zz-unlisted=v", "an unlisted option")
		}
		for _, name := range []string{"--server", "--token", "--registry", "--config"} {
			if known, listed := program.Options[name]; !listed || known.Risk != "" {
				with(name+"=v.example", "a common option")
			}
		}
	})
	assert.Greater(t, compared, 3000)
	for _, name := range slices.Sorted(maps.Keys(table.Words.Risks().Options)) {
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
