package v1

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// D3: no argument that an agent may send makes its record one that can't be read.
func TestARecordIsReadWhateverItsNumbers(t *testing.T) {
	for _, number := range []string{"1e400", "-1e999999999", "1e-400", "123456789012345678901234567890", "0.1"} {
		line := `{"decision_id":"d-1","call":{"tool":"t","args":{"list":[{"n":` + number + `}]}}}`
		var record Record
		require.NoError(t, json.Unmarshal([]byte(line), &record), number)
		written, err := json.Marshal(record.Call.Args)
		require.NoError(t, err)
		require.Equal(t, `{"list":[{"n":`+number+`}]}`, string(written))
	}
}
