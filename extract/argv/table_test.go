package argv

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// newTable returns the embedded table.
func newTable(tb testing.TB) *Table {
	tb.Helper()
	table, err := NewTable()
	require.NoError(tb, err)
	return table
}
