package explain

import (
	"slices"

	v1 "policyd/api/v1"
)

// Question is what is to be explained. Input, Decision and Account belong together.
type Question struct {
	Input    *v1.Input
	Decision *v1.Decision
	// Account is the policy's account; nil if it isn't known.
	Account *v1.Account
	// Remembered are approvals for the verbs of the call, for any agent, and Grants the session's path
	// grants.
	Remembered []v1.ApprovalEntry
	Grants     []v1.PathGrant
}

// Explain answers. It never fails: what is not known is left out.
func Explain(question *Question) *v1.Explanation {
	in, decision := question.Input, question.Decision
	answer := &v1.Explanation{
		Facts: facts(in), Items: []v1.ItemExplanation{}, Rules: []v1.SpokenRule{},
		Near: near(question), Remedies: []string{},
	}
	if question.Account != nil && question.Account.Rules != nil {
		answer.Rules = question.Account.Rules
	}
	for i := range in.Items {
		answer.Items = append(answer.Items, item(question, i))
	}
	if decision.Effect != v1.EffectAllow {
		answer.Remedies = remedies(question)
	}
	return answer
}

// item describes one item.
func item(question *Question, index int) v1.ItemExplanation {
	told := v1.ItemExplanation{
		Text: itemText(question.Input, index), CoveredBy: []string{}, Missing: []string{},
	}
	if question.Account == nil {
		return told
	}
	for _, rule := range question.Account.Rules {
		if rule.Says == "cover" && slices.Contains(rule.Items, index) && !slices.Contains(told.CoveredBy, rule.Rule) {
			told.CoveredBy = append(told.CoveredBy, rule.Rule)
		}
	}
	if len(told.CoveredBy) == 0 && question.Account.Missing[index] != nil {
		told.Missing = question.Account.Missing[index]
	}
	return told
}

// uncovered are the items that the decision shows without a cover.
func uncovered(decision *v1.Decision) []int {
	var found []int
	for i := range decision.Items {
		if decision.Items[i].CoveredBy == "" {
			found = append(found, i)
		}
	}
	return found
}
