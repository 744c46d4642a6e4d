package argv

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Entries for Windows that stand for another exist, and its forms are spelled
// as the table reads them (V5, D1).
func TestWindowsTable(t *testing.T) {
	table := newTable(t)
	require.NoError(t, table.Check())
	for key := range table.raw {
		if entry := table.Program(key); strings.Contains(key, "/") && entry.As != "" {
			assert.NotNil(t, table.Program(entry.As), key)
		}
	}
	text, err := os.ReadFile("../../policies/policyd/config/safe_verbs/data.json")
	require.NoError(t, err)
	var platforms map[string]map[string][]struct{ Form map[string]string }
	require.NoError(t, json.Unmarshal(text, &platforms))
	checked := 0
	for verb, forms := range platforms["windows"] {
		for _, prefix := range []Namespace{Cmdlets, Builtins, programs} {
			entry := table.Program(string(prefix) + verb)
			if entry == nil || entry.As != "" {
				continue
			}
			checked++
			for name, kind := range forms[0].Form {
				common := slices.Contains([]string{"-ErrorAction", "-WarningAction", "-Verbose"}, name)
				assert.True(t, common || agrees([]*Program{entry}, name, kind), "%s: %s is %s", verb, name, kind)
			}
		}
		assert.NotContains(t, []string{"Remove-Item", "del", "copy", "Set-Content", "Invoke-Expression", "ForEach-Object", "sed", "xargs"}, verb)
	}
	assert.Greater(t, checked, 50)
}
