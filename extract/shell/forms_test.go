package shell

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V5, D1: what policy calls safe is spelled as the table reads it. A form whose
// option the table reads otherwise would never match, or match something else.
func TestSafeFormsAgreeWithTheTable(t *testing.T) {
	table := newTable(t)
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
						assert.True(t, agrees(entries, name, kind), "%s: %s: %s is %s", file, verb, name, kind)
					}
				}
			}
		}
	}
}
