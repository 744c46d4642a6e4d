package explain

import (
	"fmt"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// Page lays an explained decision out for a terminal. title names the call.
// The decision has an explanation.
func Page(title string, decision *v1.Decision) string {
	told := decision.Explanation
	p := &page{}
	p.line("%s  %s", strings.ToUpper(decision.Effect.String()), line(title))
	p.line("policy %s", decision.Policy.Revision)
	for i := range decision.Reasons {
		if reason := &decision.Reasons[i]; reason.Effect != v1.EffectAllow {
			p.line("%s: %s (%s, %s)", reason.Effect, line(reason.Message), reason.Rule, reason.Code)
		}
	}
	p.section("the call", told.Facts)
	p.items(told.Items)
	p.rules(told.Rules)
	var near []string
	for _, miss := range told.Near {
		near = append(near, fmt.Sprintf("%s %s: %s%s", miss.Kind, miss.Text, miss.Why, itemNumbers([]int{miss.Item})))
	}
	p.section("came near", near)
	p.section("what would allow it", told.Remedies)
	if told.Fault != "" {
		p.section("this explanation is not whole", []string{told.Fault})
	}
	return p.text.String()
}

type page struct{ text strings.Builder }

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.text, format+"\n", args...)
}

func (p *page) section(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.line("\n%s", title)
	for _, text := range lines {
		p.line("  %s", text)
	}
}

func (p *page) items(items []v1.ItemExplanation) {
	if len(items) == 0 {
		return
	}
	p.line("\nitems")
	for i := range items {
		covered := "nothing covers it"
		if len(items[i].CoveredBy) > 0 {
			covered = "covered by " + strings.Join(items[i].CoveredBy, ", ")
		}
		p.line("  %d  %s: %s", i, items[i].Text, covered)
		for _, missing := range items[i].Missing {
			p.line("     - %s", missing)
		}
	}
}

func (p *page) rules(rules []v1.SpokenRule) {
	if len(rules) == 0 {
		return
	}
	p.line("\nrules that spoke")
	for i := range rules {
		rule := &rules[i]
		p.line("  %-6s  %s%s", rule.Says, ruleName(rule), itemNumbers(rule.Items))
		if rule.File != "" {
			p.line("          %s:%d", rule.File, rule.Row)
		}
		for _, message := range rule.Messages {
			p.line("          %s", line(message))
		}
	}
}

func ruleName(rule *v1.SpokenRule) string {
	if rule.Title == "" {
		return rule.Rule
	}
	return rule.Rule + ", " + rule.Title
}

// itemNumbers lists the items that a line is about.
func itemNumbers(items []int) string {
	if len(items) == 0 {
		return ""
	}
	var numbers []string
	for _, item := range slices.Sorted(slices.Values(items)) {
		numbers = append(numbers, fmt.Sprint(item))
	}
	return " (item " + strings.Join(numbers, ", ") + ")"
}
