package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	v1 "policyd/api/v1"
)

const (
	// mostRules bounds the rules that are counted by their ids: an operator's bundle can contain any number
	// of them.
	mostRules = 500
	// longestRule is the longest id that is one.
	longestRule = 100
	// mostReasons is how many rules of one decision are counted.
	mostReasons = 16
	// otherRule represents the rest.
	otherRule = "other"
)

type reasonKey struct {
	effect v1.Effect
	rule   string
}

// Decided counts a decision, and each rule that gave a reason for it once.
func (m *Metrics) Decided(decision *v1.Decision) {
	m.decisions.of(decision.Effect).Observe(1)
	var seen [mostReasons]string
	count := 0
	for i := range decision.Reasons {
		rule := decision.Reasons[i].Rule
		if count == mostReasons {
			return
		}
		if contains(seen[:count], rule) {
			continue
		}
		seen[count] = rule
		count++
		m.reasons.of(m.reasonKey(decision.Effect, rule)).Observe(1)
	}
}

func contains(list []string, text string) bool {
	for _, entry := range list {
		if entry == text {
			return true
		}
	}
	return false
}

// reasonKey bounds the id of a rule.
func (m *Metrics) reasonKey(effect v1.Effect, rule string) reasonKey {
	key := reasonKey{effect: effect, rule: rule}
	m.reasons.mu.RLock()
	_, known := m.reasons.series[key]
	full := len(m.reasons.series) >= mostRules
	m.reasons.mu.RUnlock()
	if !known && (full || !RuleID(rule)) {
		key.rule = otherRule
	}
	return key
}

// RuleID reports whether a text has the form of a rule id.
func RuleID(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"
	return text != "" && len(text) <= longestRule && strings.Trim(text, letters) == ""
}

// steps are the series of the steps of a decision.
type steps struct{ extract, judge, gate, record prometheus.Observer }

func newSteps(of *prometheus.HistogramVec) steps {
	return steps{
		extract: of.WithLabelValues("extract"), judge: of.WithLabelValues("judge"),
		gate: of.WithLabelValues("gate"), record: of.WithLabelValues("record"),
	}
}

// Recorded counts a record that was written, with its duration, or that was not.
func (m *Metrics) Recorded(record *v1.Record, took time.Duration, err error) {
	if err != nil {
		m.failures.Inc()
	}
	m.steps.extract.Observe(time.Duration(record.Metrics.Extract).Seconds())
	m.steps.judge.Observe(time.Duration(record.Metrics.Evaluate).Seconds())
	m.steps.gate.Observe(time.Duration(record.Metrics.Gate).Seconds())
	m.steps.record.Observe(took.Seconds())
}

type endKey struct{ state, choice string }

// Prompt counts a prompt that was opened or has ended.
func (m *Metrics) Prompt(prompt *v1.Prompt) {
	key := endKey{state: prompt.State}
	switch prompt.State {
	case v1.PromptPending:
		m.opened.Inc()
		return
	case v1.PromptAnswered, v1.PromptExpired, v1.PromptWithdrawn, v1.PromptDelegated:
	default:
		key.state = "other"
	}
	if prompt.Answer != nil {
		switch key.choice = prompt.Answer.Choice; {
		case v1.Remembers(key.choice), key.choice == v1.ChoiceOnce, key.choice == v1.ChoiceDeny, key.choice == v1.ChoiceAllow:
		default:
			key.choice = "other"
		}
	}
	m.ended.of(key).Observe(1)
}
