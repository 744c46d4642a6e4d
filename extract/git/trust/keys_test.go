package trust

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/git/syntax"
)

func TestEveryPatternIsReachable(t *testing.T) {
	table, err := loadKeyTable(embeddedKeys)
	require.NoError(t, err)
	require.NotEmpty(t, table.classes)
	for pattern, want := range table.classes {
		parts := strings.Split(pattern, ".")
		require.Contains(t, []int{2, 3}, len(parts), pattern)
		assert.Equal(t, strings.ToLower(pattern), pattern)
		s := syntax.Setting{Section: parts[0], Key: parts[len(parts)-1], HasSubsection: len(parts) == 3, Subsection: "x.y"}
		if s.HasSubsection {
			assert.Equal(t, "*", parts[1], pattern)
		}
		assert.Equal(t, want, table.classOf(s), pattern)
	}
	assert.Empty(t, table.classOf(syntax.Setting{Section: "core", Key: "unheard-of"}))
}
