package e2e

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRulesReadNoZoneOfTheMachine checks that the same input is judged alike wherever policyd runs: the zone
// "Local", and the names of zones that a machine knows by its own, are those of UTC (D3).
func TestRulesReadNoZoneOfTheMachine(t *testing.T) {
	for query, want := range map[string]string{
		`time.clock([0, concat("", ["Lo", "cal"])])`:           "[0,0,0]",
		`time.weekday([0, "Local"])`:                           `Thursday`,
		`time.format([0, "Local"])`:                            `1970-01-01T00:00:00Z`,
		`time.parse_ns("2006-01-02 MST", "1970-01-01 JST")`:    "0",
		`time.diff([0, "Local"], [3600000000000, "Local"])[3]`: "1",
		`time.clock([0, "Asia/Tokyo"])`:                        "[9,0,0]",
	} {
		for _, zone := range []string{"UTC", "Asia/Tokyo", "Pacific/Marquesas"} {
			command := exec.CommandContext(t.Context(), program, "eval", "--format", "raw", query)
			command.Env = append(environment(t.TempDir()), "TZ="+zone)
			out, err := command.CombinedOutput()
			require.NoErrorf(t, err, "%s", out)
			assert.Equal(t, want+"\n", string(out), "%s in %s", query, zone)
		}
	}
}
