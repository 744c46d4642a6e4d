package sidecar

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract"
)

// form is an entry of safe verbs as the settings have it.
func form(holds, needs map[string]any) map[string]any {
	return map[string]any{"form": holds, "needs": needs}
}

// Forms of verbs that change something without naming it are noticed, and what extends a built-in form is not.
func TestFormsThatMayChangeSomethingAreNoticed(t *testing.T) {
	base, err := extract.NewBase(extract.Options{})
	require.NoError(t, err)
	t.Cleanup(base.Close)
	none := func(names ...string) map[string]any {
		options := map[string]any{}
		for _, name := range names {
			options[name] = "none"
		}
		return options
	}
	for name, test := range map[string]struct {
		verb  string
		form  map[string]any
		wants string
	}{
		"no path is named":                  {"git gc", form(none(), nil), "vouches for git gc"},
		"over the network":                  {"docker rm", form(none(), nil), "vouches for docker rm"},
		"an operand other than a path":      {"git reset", form(none("--soft"), nil), "vouches for git reset"},
		"a target":                          {"make lint", form(none(), nil), "vouches for make lint"},
		"a built-in form that needs more":   {"git clean", form(none(), nil), "vouches for git clean"},
		"held, and not needed":              {"git clean", form(none("--dry-run"), nil), "vouches for git clean"},
		"a risk":                            {"git branch", form(none("--force"), nil), "--force of git branch as a risk (force)"},
		"the need of the built-in form":     {"git clean", form(none("--dry-run", "-x"), none("--dry-run")), ""},
		"an option more":                    {"git blame", form(none("--show-stats"), nil), ""},
		"a program that only reads":         {"sort", form(none("-R"), nil), ""},
		"the operator's word":               {"git gc", map[string]any{"form": none(), "reads_only": true}, ""},
		"no word":                           {"git gc", map[string]any{"form": none(), "reads_only": false}, "vouches for git gc"},
		"a program of the operator":         {"acme gc", form(none(), nil), ""},
		"Windows, a cmdlet that changes":    {"Remove-Item", form(none(), nil), "vouches for Remove-Item"},
		"Windows, a cmdlet that only reads": {"Get-Date", form(none(), nil), ""},
	} {
		platform := "common"
		if strings.HasPrefix(name, "Windows") {
			platform = "windows"
		}
		found, err := formNotices(base, map[string]any{
			"programs": map[string]any{"acme": map[string]any{}}, platform: map[string]any{test.verb: []any{test.form}},
		})
		require.NoError(t, err)
		if test.wants == "" {
			assert.Empty(t, found, name)
			continue
		}
		require.Len(t, found, 1, name)
		assert.Equal(t, platform+"."+test.verb+"[0]", found[0].entry, name)
		assert.Contains(t, found[0].message, test.wants, name)
		assert.Contains(t, found[0].message, "reads_only: true", name)
	}
}

// No built-in form is noticed if an operator repeats it.
func TestBuiltinFormsAreNotNoticed(t *testing.T) {
	base, err := extract.NewBase(extract.Options{})
	require.NoError(t, err)
	t.Cleanup(base.Close)
	builtin, err := builtinForms()
	require.NoError(t, err)
	count := 0
	for platform, verbs := range builtin {
		for _, verb := range slices.Sorted(maps.Keys(verbs)) {
			forms := []any{}
			for _, one := range verbs[verb] {
				holds, needs := map[string]any{}, map[string]any{}
				for name, kind := range one.Form {
					holds[name] = kind
				}
				for name, kind := range one.Needs {
					needs[name] = kind
				}
				forms = append(forms, form(holds, needs))
				count++
			}
			found, err := formNotices(base, map[string]any{platform: map[string]any{verb: forms}})
			require.NoError(t, err)
			assert.Empty(t, found, verb)
		}
	}
	assert.Greater(t, count, 1000)
}
