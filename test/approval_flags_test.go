package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRisksOfSeveralWordsAreFlags checks that the policy knows each risk of the program table that has a blank and no
// value. It takes any other for one with a value, without which no approval holds.
func TestRisksOfSeveralWordsAreFlags(t *testing.T) {
	var config struct {
		Flags map[string]bool `json:"flags"`
	}
	readJSON(t, "../policies/policyd/config/approvals/data.json", &config)
	files, err := filepath.Glob("../extract/argv/programs/*.json")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, file := range append(files, "../extract/argv/risks.json") {
		var table map[string]any
		readJSON(t, file, &table)
		if strings.HasSuffix(file, "/risks.json") {
			table = map[string]any{"risks": table["options"]}
		}
		addFlags(found, table)
	}
	assert.Equal(t, found, config.Flags)
}

// addFlags adds the risks below a value that have a blank and no placeholder.
func addFlags(found map[string]bool, value any) {
	switch value := value.(type) {
	case []any:
		for _, member := range value {
			addFlags(found, member)
		}
	case map[string]any:
		risks, _ := value["risks"].(map[string]any)
		for _, risk := range risks {
			text, _ := risk.(string)
			for each := range strings.SplitSeq(text, ",") {
				if strings.Contains(each, " ") && !strings.Contains(each, "{") {
					found[each] = true
				}
			}
		}
		for _, member := range value {
			addFlags(found, member)
		}
	}
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into), file)
}
