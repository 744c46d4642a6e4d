package config

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The documentation lists every setting, and every key of a setting with fixed keys.
func TestEverySettingIsListed(t *testing.T) {
	operators, err := os.ReadFile("../../docs/operators.md")
	require.NoError(t, err)
	var pages []byte
	for _, page := range []string{"operators", "operations", "decision-log", "console", "notify", "bundles"} {
		text, err := os.ReadFile("../../docs/" + page + ".md")
		require.NoError(t, err)
		pages = append(pages, text...)
	}
	whole := settings()
	require.NotEmpty(t, whole.fields)
	for _, name := range slices.Sorted(maps.Keys(whole.fields)) {
		assert.True(t, regexp.MustCompile("(?m)^"+name+":").Match(operators), "%s isn't in docs/operators.md: add it", name)
		for _, key := range slices.Sorted(maps.Keys(whole.fields[name].fields)) {
			assert.True(t, regexp.MustCompile(`\b`+key+`\b`).Match(pages), "%s.%s is on no page: add it to one below docs", name, key)
		}
	}
}
