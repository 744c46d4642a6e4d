package lists_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/lists"
)

// What can't be used of a policy's lists is named by list and key.
func TestErrorsNameListAndKey(t *testing.T) {
	for name, test := range map[string]struct{ secrets, want string }{
		"an unknown key": {`{"nams": [".env"]}`, `config.secrets (config/secrets/data.json): unknown field "nams"`},
		"a wrong type":   {`{"names": [7]}`, `config.secrets.names (config/secrets/data.json): a number is of the wrong type`},
		"no pattern":     {`{"names": [".env", "[ab"], "directories": [".ssh"]}`, `secrets.names: "[ab" is no pattern: syntax error in pattern`},
		"none":           {`{"names": []}`, `config.secrets.names, config.secrets.directories`},
	} {
		var secrets any
		require.NoError(t, json.Unmarshal([]byte(test.secrets), &secrets))
		_, err := lists.New(map[string]any{"config": map[string]any{"secrets": secrets, "protected": map[string]any{"always": []any{".git"}}}}, "/home/a")
		assert.ErrorContains(t, err, test.want, name)
	}
}
