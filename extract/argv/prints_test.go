package argv

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An option that the entry doesn't list would never match.
func TestPrintsNamesKnownOptions(t *testing.T) {
	table := newTable(t)
	verbs := 0
	var visit func(verb string, chain []*Program)
	visit = func(verb string, chain []*Program) {
		entry := chain[len(chain)-1]
		if prints := entry.Prints; prints != nil {
			verbs++
			lists := slices.Concat(prints.Names.Options, prints.Names.OnlyWith, prints.Names.FilesWith, prints.Names.NULWith, prints.Names.Tracked,
				prints.FiltersNames, prints.PicksNames, prints.Number, prints.Hashes)
			for _, printing := range []*Printing{prints.Words, prints.Names.Untracked} {
				if printing != nil {
					lists = slices.Concat(lists, printing.Needs, printing.Options)
				}
			}
			if prints.Refs != nil {
				lists = slices.Concat(lists, prints.Refs.Options, prints.Refs.BareWith)
			}
			if prints.Names.Commits != nil {
				lists = append(lists, prints.Names.Commits.Needs...)
			}
			for _, name := range lists {
				assert.Truef(t, slices.ContainsFunc(chain, func(p *Program) bool { return p.names(name) }), "%s has no %s", verb, name)
			}
		}
		for name, command := range entry.Commands {
			visit(verb+" "+name, append(slices.Clip(chain), command))
		}
	}
	for _, name := range table.Names() {
		if entry := table.Program(name); entry != nil {
			visit(name, []*Program{entry})
		}
	}
	assert.Greater(t, verbs, 150)
}

// names reports whether a form of the entry can have a name.
func (p *Program) names(name string) bool {
	if strings.HasPrefix(name, "-") {
		_, darwin := p.Darwin[name]
		known, listed := p.Options[name]
		return darwin || listed && known.Canonical == name || name == OptionNumber && p.Numeric
	}
	return p.Pathspecs && name == "<path>" || slices.ContainsFunc(p.Rules, func(rule OperandRule) bool {
		return slices.ContainsFunc(rule.Roles, func(r Role) bool { return r.Label == name })
	})
}

func TestPrintsOfVerbs(t *testing.T) {
	table := newTable(t)
	assert.NotEmpty(t, table.Prints("git ls-files").Names.Tracked)
	assert.NotNil(t, table.Prints("git show").Names.Commits)
	assert.NotEmpty(t, table.Prints("grep").FiltersNames)
	for _, verb := range []string{"", "unheard", "git unheard", "git ls-files x", "ls x", "python3.11"} {
		assert.Same(t, &nothingKnown, table.Prints(verb), verb)
	}
}

func TestVersions(t *testing.T) {
	table := newTable(t)
	assert.True(t, table.PrintsVersion("git", "--version"))
	assert.True(t, table.PrintsVersion("pandoc", "--version"))
	assert.False(t, table.PrintsVersion("git", "--exec-path"))
	assert.False(t, table.PrintsVersion("unheard", "--version"))
	require.NotEmpty(t, table.Words.versions)
	for name := range table.Words.versions {
		assert.Nilf(t, table.Program(name), "%s has an entry, which holds its versions", name)
	}
}
