package extract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: of a search that leaves ignored files out, no argument that could change
// that counts as one without effect.
func TestIgnoringIsNotInert(t *testing.T) {
	c, err := loadCatalog()
	require.NoError(t, err)
	searches := 0
	for client, entry := range c.Clients {
		for name, tool := range entry.Tools {
			if !tool.Ignoring {
				assert.Empty(t, tool.ReadsIgnored, "%s of %s", name, client)
				continue
			}
			searches++
			for _, argument := range tool.Inert {
				assert.NotRegexp(t, "(?i)ignore|hidden|filter|exclude[^_]*s$|unrestricted|follow", argument, "%s of %s", name, client)
			}
		}
	}
	assert.Greater(t, searches, 4)
}
