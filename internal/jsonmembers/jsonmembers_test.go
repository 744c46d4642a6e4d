package jsonmembers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tailscale/hujson"

	"policyd/internal/jsonmembers"
)

func TestDuplicate(t *testing.T) {
	for text, duplicate := range map[string]bool{
		`{}`: false, `[]`: false, `{"a":1,"b":{"a":2}}`: false, `[{"a":1},{"a":1}]`: false,
		`{"a":1,"a":2}`: true, `{"a":1,"\u0061":2}`: true, `{"x":[{"b":{"":1,/**/"":2}}]}`: true,
		"{\"a\":1, // first\n\"b\":{\"c\":1,\"c\":2},}": true,
	} {
		root, err := hujson.Parse([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, duplicate, jsonmembers.Duplicate(&root) != nil, text)
	}
}
