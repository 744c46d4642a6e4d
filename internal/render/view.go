package render

import (
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

// fact is something that a person has to know in addition to the call itself.
type fact struct {
	name, value string
	// long allows more room, for long texts of agents.
	long bool
}

// view is a prompt with every text made visible, before a channel escapes and
// cuts it.
type view struct {
	prompt *v1.Prompt
	title  string
	// code is the command or the path, in full; it may have several lines.
	code  string
	facts []fact
	// before are the facts that precede the command: nothing in it can push them out of sight.
	before []fact
	// ending is the outcome of a prompt that isn't pending, empty while it is.
	ending string
	// altered is set if a text had to be changed to be visible, and cut if a channel had no room for a whole
	// text.
	altered, cut bool
}

func look(prompt *v1.Prompt) *view {
	v := &view{prompt: prompt, altered: prompt.Call.Altered}
	v.title = v.line(prompt.Title)
	if strings.TrimSpace(v.title) == "" {
		v.title = "Approve this call?"
	}
	code, altered := visible.Whole(visible.Fold(prompt.Call.Text))
	v.altered = v.altered || altered
	if strings.Trim(code, "\n") == "" {
		// Line feeds alone show as nothing, and aren't nothing.
		code = v.line(prompt.Call.Text)
	}
	v.code = code
	v.before, v.facts = v.first(), v.about()
	v.ending = v.end()
	return v
}

// line makes a text visible on one line, so that it can't pose as two facts.
func (v *view) line(text string) string {
	shown, altered := visible.Line(text)
	v.altered = v.altered || altered
	return shown
}

func (v *view) lines(texts []string) string {
	shown := make([]string, 0, len(texts))
	for _, text := range texts {
		shown = append(shown, v.line(text))
	}
	return strings.Join(shown, "\n")
}

// first lists the facts that precede the command.
func (v *view) first() []fact {
	verbs := v.prompt.Verbs
	if len(verbs) < 2 {
		verbs = nil // the title names it
	}
	return present([]fact{
		{name: "warning", value: v.lines(v.prompt.Warnings), long: true},
		{name: "verbs", value: v.lines(verbs)},
		{name: "in", value: v.line(v.prompt.Call.Cwd)},
		{name: "why", value: v.lines(v.prompt.Reasons), long: true},
	})
}

// about lists the facts that follow the command.
func (v *view) about() []fact {
	call := &v.prompt.Call
	paths := slices.DeleteFunc(slices.Clone(call.Paths), func(path string) bool { return path == call.Text })
	all := []fact{
		{name: "agent", value: v.line(call.Agent)},
		{name: "session", value: v.line(call.SessionID)},
		{name: "paths", value: v.lines(paths), long: true},
		{name: "reason", value: v.line(call.Reason), long: true},
		{name: "grants", value: v.line(call.GrantRoot)},
	}
	if v.prompt.State == v1.PromptPending {
		all = append(all, fact{name: "expires", value: clock(v.prompt.ExpiresAt)})
	}
	return present(all)
}

// present leaves out empty facts.
func present(all []fact) []fact {
	return slices.DeleteFunc(all, func(f fact) bool { return f.value == "" })
}

// end is the resolution, and who gave it.
func (v *view) end() string {
	switch v.prompt.State {
	case v1.PromptPending:
		return ""
	case v1.PromptExpired:
		return "Expired: nobody answered until " + clock(v.prompt.ExpiresAt) + ", and the call was denied"
	case v1.PromptWithdrawn:
		return "Withdrawn: nobody waits for an answer any more"
	case v1.PromptDelegated:
		return "Delegated: it is answered in the agent's own dialog, and can't be answered here"
	}
	answer := v.prompt.Answer
	if answer == nil {
		return "Ended"
	}
	text := v.line(answer.Resolution)
	if text == "" {
		text = "Answered"
	}
	if by := v.line(answer.By); by != "" {
		text += " (by " + by + ", " + clock(answer.At) + ")"
	}
	return text
}

// note describes what the person doesn't see, empty if everything is shown.
func (v *view) note() string {
	if v.prompt.State != v1.PromptPending || !v.altered && !v.cut {
		return ""
	}
	what := "the text holds what can't be shown as it is, or was cut"
	if v.cut {
		what = "the text is cut"
	}
	left := "it can be approved once at most"
	if !slices.ContainsFunc(v.offers(), func(choice v1.Choice) bool { return choice.Key == v1.ChoiceOnce }) {
		left = "it can't be approved here"
	}
	return "Not everything is shown: " + what + ", so " + left + ". policyd prompts list shows all that is kept of it."
}

// longestKey bounds the key of a choice that a button can carry.
const longestKey = 32

// offers are the choices that are offered here: all of the prompt's, or only once and deny if the person
// doesn't see the whole question.
func (v *view) offers() []v1.Choice {
	if v.prompt.State != v1.PromptPending {
		return nil
	}
	var offered []v1.Choice
	for _, choice := range v.prompt.Choices {
		known := slices.ContainsFunc(offered, func(other v1.Choice) bool { return other.Key == choice.Key })
		blind := (v.altered || v.cut) && choice.Key != v1.ChoiceOnce && choice.Key != v1.ChoiceDeny
		if known || blind || !plainKey(choice.Key) {
			continue
		}
		choice.Label, _ = visible.Line(choice.Label)
		if strings.TrimSpace(choice.Label) == "" {
			choice.Label = choice.Key
		}
		offered = append(offered, choice)
	}
	return offered
}

// saves describes what each offered choice saves, one line for a choice; empty if there is none. It is called
// after everything else is rendered: then the offer is known.
func (v *view) saves() []fact {
	var saved []string
	for _, choice := range v.offers() {
		if choice.Saves != "" {
			line := choice.Label + ": saves \"" + v.line(choice.Saves) + "\""
			if choice.Note != "" {
				line += "; " + v.line(choice.Note)
			}
			saved = append(saved, line)
		}
	}
	if len(saved) == 0 || v.altered || v.cut {
		return nil
	}
	return []fact{{name: "answers", value: strings.Join(saved, "\n"), long: true}}
}

// plainKey reports whether a key can be in a button's identifier, in which a colon separates and length is
// bounded.
func plainKey(key string) bool {
	return key != "" && len(key) <= longestKey && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// dangerous reports whether a choice is styled as dangerous (A1), also if the prompt doesn't mark it.
func dangerous(choice v1.Choice) bool {
	return choice.Style == "danger" || choice.Key == v1.ChoiceAlwaysAnywhere || choice.Key == v1.ChoiceDeny
}

func clock(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }
