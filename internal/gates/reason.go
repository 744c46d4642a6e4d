package gates

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// unreachable is the message while nothing can be decided.
const unreachable = "not allowed: the call can't be decided: "

// explain gives an agent the reason why a call was not allowed, and the remedy.
func explain(decision *v1.Decision) string {
	messages := []string{}
	for _, reason := range decision.Reasons {
		if reason.Effect != v1.EffectAllow && reason.Message != "" && !slices.Contains(messages, reason.Message) {
			messages = append(messages, reason.Message)
		}
	}
	text := "not allowed"
	if decision.Effect == v1.EffectPrompt {
		text = "not allowed: nobody answered in time"
	}
	if len(messages) > 0 {
		text += ": " + strings.Join(messages, "; ")
	}
	if decision.Hint != "" {
		text += ". " + decision.Hint
	}
	return text
}

// because states why a call could not be decided.
func because(err error) string { return unreachable + err.Error() }
