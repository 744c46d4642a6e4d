package clients

import (
	"fmt"
	"strings"
	"unicode/utf8"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

// Bounds of a text for the model: the number of reasons, and bytes.
const (
	mostReasons = 5
	mostAsked   = 2
	mostText    = 2000
)

// codeConflict is the code of a call whose session was registered with other attributes.
const codeConflict = "session_conflict"

// Explain returns one line for the model and the person: the reason of the decision and the remedy. Invisible
// characters of foreign text are made visible.
func Explain(decision *v1.Decision) string {
	why := strings.Join(messages(decision), "; ")
	switch {
	case decision.Effect == v1.EffectAllow:
		return "policyd allows this call"
	case decision.Effect == v1.EffectDeny:
		return bounded("policyd denies this call: "+why, hint(decision))
	case decision.Prompt == nil, decision.Prompt.ID == "", decision.Prompt.State == v1.PromptDelegated:
		return bounded("policyd asks: "+why, hint(decision))
	}
	answer := fmt.Sprintf(" A person answers with `policyd prompts answer %s CHOICE`, the choice being one of %s; then make the same call again.",
		line(decision.Prompt.ID), choices(decision.Prompt))
	return bounded("policyd: a person has to approve this call, and has not yet: "+why, hint(decision)+answer)
}

func choices(prompt *v1.Prompt) string {
	keys := make([]string, 0, len(prompt.Choices))
	for _, choice := range prompt.Choices {
		keys = append(keys, line(choice.Key))
	}
	return strings.Join(keys, ", ")
}

// Refusal returns the reason why an event could not be decided, with the code that policyd's log has.
func Refusal(code, detail string) string {
	return bounded("policyd refuses this call ("+line(code)+"): "+line(detail), "")
}

// messages are those of the reasons that decided, each once.
func messages(decision *v1.Decision) []string {
	var out []string
	seen := map[string]bool{}
	for i := range decision.Reasons {
		reason := &decision.Reasons[i]
		if reason.Effect != decision.Effect || seen[reason.Message] {
			continue
		}
		seen[reason.Message] = true
		out = append(out, line(reason.Message))
	}
	most := mostReasons
	if decision.Effect == v1.EffectPrompt {
		most = mostAsked
	}
	if more := len(out) - most; more > 0 {
		out = append(out[:most], fmt.Sprintf("and %d more", more))
	}
	if len(out) == 0 {
		return []string{"no reason was given"}
	}
	return out
}

func hint(decision *v1.Decision) string {
	switch {
	case decision.Hint != "" && decision.Effect == v1.EffectPrompt:
		return ". To stop asking for this, a person runs: " + line(decision.Hint) + " ."
	case decision.Hint != "":
		return ". Hint: " + line(decision.Hint)
	}
	for i := range decision.Reasons {
		if decision.Reasons[i].Code == codeConflict {
			return ". Hint: begin a new session of the agent for what differs"
		}
	}
	return "."
}

// bounded joins a text and what has to be at its end whole.
func bounded(text, end string) string {
	room := max(mostText-len(end), 0)
	if len(text) <= room {
		return text + end
	}
	for room > 0 && !utf8.RuneStart(text[room]) {
		room--
	}
	return text[:room] + "…" + end
}

// line shows a foreign text on one line.
func line(text string) string {
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[:mostText], "") + "…"
	}
	shown, _ := visible.Line(text)
	return shown
}
