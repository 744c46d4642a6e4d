package contain

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

var update = flag.Bool("update", false, "write the golden files")

// TestSeatbeltProfile checks the text of both profiles. No test runs them: that needs a Mac.
func TestSeatbeltProfile(t *testing.T) {
	for name, obligation := range map[string]v1.Obligation{
		"read_only": {Profile: v1.ProfileReadOnly, Read: []string{"/"}, Hide: []string{"/Users/ida/app/.env"}, Network: v1.NetworkNone},
		"project": {
			Profile: v1.ProfileProject, Read: []string{"/usr", "/Users/ida/\"odd\" \\ name"}, Write: []string{"/Users/ida/app"},
			Protect: []string{"/Users/ida/app/.git/hooks", "/Users/ida/app/.mcp.json"}, Network: v1.NetworkNone,
		},
	} {
		file := "testdata/" + name + ".sb"
		got := seatbelt(&obligation, "/private/tmp/run")
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, name)
	}
}
