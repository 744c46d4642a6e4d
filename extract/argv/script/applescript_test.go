package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAppleScriptThatOnlyNotifies(t *testing.T) {
	for _, text := range []string{
		`display notification "done"`,
		`display notification "all \"42\" tests pass" sound name "Ping" with title "Agent"`,
		`Display Notification "a & b" with title "c" subtitle "d"`,
		"beep", "beep 3",
	} {
		assert.True(t, Read("applescript", text).OnlyPrints, text)
	}
	for _, text := range []string{
		"", "display", "display notification", `display notification (do shell script "id")`,
		`display notification "a" & (do shell script "id")`, "display notification \"a\"\ndo shell script \"id\"",
		`display notification "a`, `display notification "a\"`, `display notification "a" with title`, `display notificationx "a"`,
		`display dialog "a"`, `do shell script "id"`, `tell app "Finder" to beep`, "beep (do shell script 1)", "beep3 x", `say "a" saving to "b"`,
	} {
		assert.False(t, Read("applescript", text).OnlyPrints, text)
	}
}
