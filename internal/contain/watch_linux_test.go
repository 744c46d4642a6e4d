//go:build amd64 || arm64

package contain

import (
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
)

// TestEveryRefusalIsOneThatServersKeep.
func TestEveryRefusalIsOneThatServersKeep(t *testing.T) {
	for _, calls := range []map[int]call{commonCalls, olderCalls} {
		for number, call := range calls {
			assert.Contains(t, v1.Operations(), call.operation, number)
		}
	}
}
