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

// Every setting is listed for operators.
func TestEverySettingIsListed(t *testing.T) {
	text, err := os.ReadFile("../../docs/operators.md")
	require.NoError(t, err)
	whole := settings()
	require.NotEmpty(t, whole.fields)
	for _, name := range slices.Sorted(maps.Keys(whole.fields)) {
		assert.True(t, regexp.MustCompile("(?m)^"+name+":").Match(text), name)
	}
}
