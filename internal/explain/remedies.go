package explain

import (
	"fmt"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/shellquote"
)

// remedies are what would allow a denied or prompted call: the remedies of the rules that denied it or
// prompted, and a person's answer for the uncovered items.
func remedies(question *Question) []string {
	told := []string{}
	add := func(text string) {
		if text != "" && !slices.Contains(told, text) {
			told = append(told, text)
		}
	}
	denied := false
	if question.Account != nil {
		for _, rule := range question.Account.Rules {
			if rule.Says != "cover" {
				add(rule.Remedy)
				denied = denied || rule.Says == "deny"
			}
		}
	}
	if hint := question.Decision.Hint; hint != "" {
		add("hint: " + line(hint))
	}
	if denied {
		return told // a person's answer doesn't override a deny
	}
	if prompt := question.Decision.Prompt; prompt != nil {
		add("a person's yes: " + yes(prompt))
	}
	for _, index := range uncovered(question.Decision) {
		add(approvalCommand(question, index))
	}
	return told
}

// yes lists the answers that a prompt offers.
func yes(prompt *v1.Prompt) string {
	var labels []string
	for _, choice := range prompt.Choices {
		if choice.Key != v1.ChoiceDeny {
			labels = append(labels, strings.ToLower(choice.Label))
		}
	}
	return strings.Join(labels, ", ")
}

func offers(prompt *v1.Prompt, key string) bool {
	return slices.ContainsFunc(prompt.Choices, func(choice v1.Choice) bool { return choice.Key == key })
}

// approvalCommand is the command with which an operator allows an item permanently, empty if there is none.
func approvalCommand(question *Question, index int) string {
	in := question.Input
	item := &in.Items[index]
	switch {
	case in.Messy || item.Verb == "":
		return ""
	case item.Kind == v1.ItemPath:
		if item.Path < 0 || item.Path >= len(in.Paths) || in.Paths[item.Path].Space != v1.SpaceOutside {
			return ""
		}
		return fmt.Sprintf("a path grant: %s, with a directory above %s",
			shellquote.Join([]string{"policyd", "grants", "add", "DIR", "--session", line(in.Session.ID)}), line(in.Paths[item.Path].Real))
	case question.Decision.Prompt == nil || !offers(question.Decision.Prompt, v1.ChoiceAlwaysAnywhere):
		return "" // an unattended session has it in its hint; for others it would not help
	}
	words := []string{"policyd", "approvals", "trust-verb", line(item.Verb)}
	if in.Tool.Kind != v1.ToolShell {
		words = append(words, "--tool", in.Tool.Kind)
	}
	if in.Session.Audience != v1.AudiencePersonal {
		words = append(words, "--audience", string(in.Session.Audience))
	}
	return shellquote.Join(words)
}
