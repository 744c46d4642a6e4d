package bundles

import (
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// D2: a denial in a package that nobody reads would silently have no effect.
func TestARuleThatNobodyReadsIsRefused(t *testing.T) {
	finding := `{"rule": "site/x", "code": "x", "message": "x", "item": -1}`
	for name, test := range map[string]struct {
		module  string
		refused string
	}{
		"deny below a name":     {"package site.team.network\n\ndeny contains " + finding, "data.site.team.network.deny"},
		"prompt below a name":   {"package site.team.network\n\nprompt contains " + finding, "data.site.team.network.prompt"},
		"cover below a name":    {"package site.team.network\n\ncover contains [0, \"x\"]", "data.site.team.network.cover"},
		"deny without a name":   {"package site\n\ndeny contains " + finding, "data.site.deny"},
		"deny by a longer head": {"package site.team\n\nnetwork.deny contains " + finding, "data.site.team.network.deny"},
		"mask below the log":    {"package system.log.team\n\nmask contains \"/call\"", "data.system.log.team.mask"},
		"drop below the log":    {"package system.log.team\n\ndrop := true", "data.system.log.team.drop"},
		"deny of a name":        {"package site.team\n\ndeny contains " + finding + " if input.cwd == \"/nowhere\"", ""},
		"deny by a head":        {"package site\n\nteam.deny contains " + finding + " if input.cwd == \"/nowhere\"", ""},
		"helpers below a name":  {"package site.team.network\n\nhosts := {\"a\"}", ""},
		"mask of the log":       {"package system.log\n\nmask contains \"/call\"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeTree(t, root, map[string]string{".manifest": `{"roots": ["site", "system/log"]}`, "x/x.rego": test.module + "\n"})
			e, err := New(t.Context(), Options{FS: policies.FS, Source: root})
			if test.refused == "" {
				require.NoError(t, err)
				e.Close()
				return
			}
			var refusal *RefusalError
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, CheckEntrypoint, refusal.Check)
			require.ErrorContains(t, err, test.refused+" would never be asked")
			require.NotEmpty(t, refusal.Hint)
		})
	}
}
