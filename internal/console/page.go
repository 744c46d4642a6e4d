package console

import (
	"fmt"
	"time"

	v1 "policyd/api/v1"
)

// choiceKeys are the keys of answers; they are those of policyd prompts watch.
var choiceKeys = map[string]string{
	v1.ChoiceOnce: "o", v1.ChoiceSession: "s", v1.ChoiceAlwaysHere: "h", v1.ChoiceAlwaysAnywhere: "a",
	v1.ChoiceProject: "t", v1.ChoiceReadChat: "c", v1.ChoiceReadHere: "r", v1.ChoiceAllow: "y", v1.ChoiceDeny: "d",
}

// pageFunctions are what pages call.
func pageFunctions() map[string]any {
	return map[string]any{
		"key":      func(choice string) string { return choiceKeys[choice] },
		"twice":    needsSecondPress,
		"remember": v1.Remembers,
		"clock":    func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") },
		"stamp":    func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
		"item":     func(number int) string { return fmt.Sprintf("item %d", number) },
		"effects":  func() []string { return []string{"allow", "prompt", "deny"} },
		"inc":      func(number int) int { return number + 1 },
	}
}
