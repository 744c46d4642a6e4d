package argv

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V5, D1: what policy calls safe is spelled as the table reads it. A form whose
// option the table reads otherwise would never match, or match something else.
func TestSafeFormsAgreeWithTheTable(t *testing.T) {
	table := newTable(t)
	require.NoError(t, table.Check())
	for _, file := range []string{"safe_verbs", "remote_readers"} {
		text, err := os.ReadFile("../../policies/policyd/config/" + file + "/data.json")
		require.NoError(t, err)
		var platforms map[string]map[string][]struct{ Form map[string]string }
		require.NoError(t, json.Unmarshal(text, &platforms))
		require.NotEmpty(t, platforms["linux"])
		for platform, verbs := range platforms {
			if platform == "windows" {
				continue
			}
			for verb, forms := range verbs {
				if verb == "[[" {
					continue // no program: the shell's own syntax
				}
				entries, err := table.chain(platform, verb)
				require.NoError(t, err, verb)
				for _, form := range forms {
					for name, kind := range form.Form {
						assert.Truef(t, agrees(entries, name, kind), "%s: %s is %s in policies/policyd/config/%s (made of policies/forms), and %s in extract/argv/programs",
							verb, name, kind, file, declared(entries, name))
					}
				}
			}
		}
	}
}

// declared is the kind of an option in the last of some entries.
func declared(entries []*Program, name string) string {
	if len(entries) > 0 {
		if known, listed := entries[len(entries)-1].Options[name]; listed {
			return strings.Join(known.Kinds, " ")
		}
	}
	return "no option"
}

// V5: a safe form declares its options, with kinds that only read.
func TestSafeFormsOnlyRead(t *testing.T) {
	refused := 0
	for kind, acts := range kinds {
		form := SafeForm{Form: map[string]string{"--x": kind}}
		if acts {
			refused++
			assert.ErrorContains(t, form.Check("common.acme[0]"), "never safe", kind)
			continue
		}
		assert.NoError(t, form.Check("common.acme[0]"), kind)
	}
	assert.Greater(t, refused, 15)
	for name, form := range map[string]SafeForm{
		"no form":                  {},
		"an unknown kind":          {Form: map[string]string{"--x": "harmless"}},
		"no kind":                  {Form: map[string]string{"--x": ""}},
		"needs what it can't hold": {Form: map[string]string{"--x": "none"}, Needs: map[string]string{"--y": "none"}},
		"needs another kind":       {Form: map[string]string{"--x": "none"}, Needs: map[string]string{"--x": "value"}},
	} {
		assert.Error(t, form.Check("common.acme[0]"), name)
	}
	assert.NoError(t, (&SafeForm{Form: map[string]string{}}).Check("common.acme[0]"))
}

// V5: a form that no call can have is told.
func TestSafeFormsThatNothingMatches(t *testing.T) {
	table := newTable(t)
	for name, test := range map[string]struct{ verb, option, kind, want string }{
		"an unknown program": {"acme", "--json", "none", "in no table"},
		"an unknown command": {"git look", "--json", "none", "no command look"},
		"an unknown option":  {"sort", "--jsn", "none", "knows no option --jsn"},
		"another name":       {"sort", "--reverse", "none", "call this option -r"},
		"another kind":       {"sort", "-r", "value", `kind "none"`},
		"an unknown operand": {"sort", "<thing>", "read", "no operand <thing>"},
		"two blanks":         {"git  status", "--short", "none", "one blank"},
	} {
		err := table.Explains("linux", test.verb, &SafeForm{Form: map[string]string{test.option: test.kind}}, "common.x[0]")
		assert.ErrorContains(t, err, test.want, name)
	}
	assert.NoError(t, table.Explains("linux", "sort", &SafeForm{Form: map[string]string{"-r": "none", "<file>": "read"}}, "x"))
	assert.NoError(t, table.Explains("linux", "make lint", &SafeForm{Form: map[string]string{}}, "x"), "a verb that ends in an operand")
}
