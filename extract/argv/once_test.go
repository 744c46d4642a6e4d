package argv

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Of two rows for one program the last would count, and the stricter be lost.
func TestTablesNameEverythingOnce(t *testing.T) {
	files, err := filepath.Glob("programs/*.json")
	require.NoError(t, err)
	forms, err := filepath.Glob("../../policies/forms/*/forms.json")
	require.NoError(t, err)
	files = append(append(files, forms...), "versions.json", "words.json")
	require.Greater(t, len(files), 20)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Truef(t, jsontext.Value(text).IsValid(), "%s has a key twice, or is no JSON", file)
	}
}
