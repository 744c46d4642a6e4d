package disk

import (
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func segments() map[string]bool {
	return map[string]bool{
		"..": true, "{..,x}": true, "{x,..}": true, "{,x}": true, ".{.,x}": true, "{.,x}{.,y}": true, "@(..|x)": true, "(..|x)": true,
		"!(x)": true, "?(x)": true, "*(.)": true, "+(.)": true, ".[.]": true, "[.][.]": true, "[!a][!a]": true, "[+-9].": true, "[^a].": true,
		"[[:punct:]].": true, `\.\.`: true, "{": true, "a}": true, "(": true, "{~,x}": true, "{C:,x}": true, "{+..0}": true, "a{+..0}b": true,
		"{{..,x},y}": true, "{@(..),x}": true, "..{,x}": true, "{..}": true, "@()": true, ".[": true, "{.a,}": true,
		"": false, "*": false, "**": false, "[id]": false, "[...slug]": false, "[[...slug]]": false, "(auth)": false, "(a|b)": false,
		"@types": false, "@scope": false, "[A-Z]*.go": false, "*.{ts,tsx}": false, "{a,b}": false, "{a,b}.go": false, ".github": false,
		"+page.svelte": false, "@(a|b)": false, "{1..3}": false, "*{,.bak}": false, "(.)group": false, ".": false, "...": false, "[a].": true,
		".{eslintrc,prettierrc}": false, "?(x)y": false, "[...slug].tsx": false, "!x": false, "[0-9]": false,
	}
}

// P1: a segment climbs where it can spell "..", by its grammar.
func TestClimbs(t *testing.T) {
	cases := segments()
	require.NotEmpty(t, cases)
	for segment, want := range cases {
		assert.Equal(t, want, Climbs(segment), segment)
	}
}

// What a shell makes two dots of climbs.
func FuzzClimbs(f *testing.F) {
	for segment := range segments() {
		f.Add(segment)
	}
	shell, err := exec.LookPath("bash")
	f.Fuzz(func(t *testing.T, segment string) {
		found := Climbs(segment)
		if found || err != nil || len(segment) > 40 || strings.Trim(segment, "{},.()[]@!+*?|abx-") != "" {
			return
		}
		if matched, bad := path.Match(segment, ".."); bad == nil && strings.Contains(segment, "[") && !strings.ContainsAny(segment, "*?") {
			require.False(t, matched, segment)
		}
		if strings.ContainsAny(segment, "()!|") {
			return // no words of their own to bash
		}
		out, run := exec.CommandContext(t.Context(), shell, "-fc", "printf '%s\\n' "+strings.ReplaceAll(segment, "*", `\*`)).Output()
		require.NoError(t, run)
		require.NotContains(t, strings.Split(string(out), "\n"), "..", segment)
	})
}
