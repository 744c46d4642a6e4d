package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// longSession is how many calls a session has at least that counts for the median.
const longSession = 20

// Figures are what a replay for one person comes to.
type Figures struct {
	Person  string `json:"person"`
	Calls   int    `json:"calls"`
	Allowed int    `json:"allowed"`
	Asked   int    `json:"asked"`
	Denied  int    `json:"denied"`
	// OnceOnly counts prompts that offer nothing but once and deny.
	OnceOnly int `json:"once_only"`
	// AskedAgain counts calls that were not allowed after they were answered: it is zero.
	AskedAgain int `json:"asked_again"`
	// Questions are the prompts of each session of at least 20 calls, and Median their median.
	Questions []int   `json:"questions"`
	Median    float64 `json:"median"`
	// Contains is true if the person's hosts run calls contained, and this machine can.
	Contains bool `json:"contains"`
	// Groups are the same by ecosystem.
	Groups map[string]*Group `json:"groups"`
	// Verbs counts prompts by the verbs that they ask about.
	Verbs   map[string]int `json:"verbs"`
	prompts []string
	again   []string
}

// Group is the share of one ecosystem.
type Group struct {
	Calls int `json:"calls"`
	Asked int `json:"asked"`
}

func newFigures(person string) *Figures {
	return &Figures{Person: person, Groups: map[string]*Group{}, Verbs: map[string]int{}}
}

func (f *Figures) decided(s *Session, decision *v1.Decision) {
	group := f.Groups[s.Ecosystem]
	if group == nil {
		group = &Group{}
		f.Groups[s.Ecosystem] = group
	}
	f.Calls++
	group.Calls++
	switch decision.Effect {
	case v1.EffectAllow:
		f.Allowed++
	case v1.EffectPrompt:
		f.Asked++
		group.Asked++
	default:
		f.Denied++
	}
}

func (f *Figures) prompted(s *Session, text, choice string, decision *v1.Decision) {
	prompt := decision.Prompt
	lasting := slices.ContainsFunc(prompt.Choices, func(c v1.Choice) bool { return c.Key != v1.ChoiceOnce && c.Key != v1.ChoiceDeny })
	if !lasting {
		f.OnceOnly++
	}
	verbs := slices.Compact(slices.Sorted(slices.Values(prompt.Verbs)))
	name := strings.Join(verbs, ", ")
	if prompt.Messy {
		name = strings.TrimSpace(name + " (complex)")
	}
	if name == "" {
		name = "(no verb)"
	}
	f.Verbs[name]++
	keys := make([]string, 0, len(prompt.Choices))
	for _, c := range prompt.Choices {
		keys = append(keys, c.Key)
	}
	reasons := make([]string, 0, len(decision.Reasons))
	for _, reason := range decision.Reasons {
		reasons = append(reasons, reason.Code+": "+reason.Message)
	}
	f.prompts = append(f.prompts, fmt.Sprintf("%s %q\n    verbs %s; offered %s; answered %s\n    %s",
		s.ID, text, name, strings.Join(keys, " "), cmp.Or(choice, "nothing"), strings.Join(reasons, "\n    ")))
}

func (f *Figures) askedAgain(s *Session, text, choice string) {
	f.AskedAgain++
	f.again = append(f.again, fmt.Sprintf("%s %q, answered %s", s.ID, text, choice))
}

func (f *Figures) endSession(s *Session, questions int) {
	if len(s.Calls) < longSession {
		return
	}
	f.Questions = append(f.Questions, questions)
	sorted := slices.Sorted(slices.Values(f.Questions))
	middle := len(sorted) / 2
	f.Median = float64(sorted[middle])
	if len(sorted)%2 == 0 {
		f.Median = float64(sorted[middle-1]+sorted[middle]) / 2
	}
}

func (f *Figures) print(out io.Writer, top int, verbose bool) error {
	var text strings.Builder
	fmt.Fprintf(&text, "person %s: %d calls\n", f.Person, f.Calls)
	fmt.Fprintf(&text, "  asked                %s\n", share(f.Asked, f.Calls))
	fmt.Fprintf(&text, "  denied               %s\n", share(f.Denied, f.Calls))
	fmt.Fprintf(&text, "  questions, median    %g in sessions of at least %d calls\n", f.Median, longSession)
	fmt.Fprintf(&text, "  only once and deny   %s of the prompts\n", share(f.OnceOnly, f.Asked))
	if f.Person != "nobody" {
		fmt.Fprintf(&text, "  asked again          %d\n", f.AskedAgain)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Groups)) {
		group := f.Groups[name]
		fmt.Fprintf(&text, "    %-26s %s\n", name, share(group.Asked, group.Calls))
	}
	for _, verb := range mostFrequent(f.Verbs, top) {
		fmt.Fprintf(&text, "  %5d  %s\n", f.Verbs[verb], verb)
	}
	if verbose {
		for _, prompt := range f.prompts {
			fmt.Fprintf(&text, "  %s\n", prompt)
		}
	}
	for _, again := range f.again {
		fmt.Fprintf(&text, "  ASKED AGAIN %s\n", again)
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func mostFrequent(counts map[string]int, top int) []string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	return names[:min(top, len(names))]
}

func share(part, whole int) string {
	if whole == 0 {
		return "none of none"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", part, whole, 100*float64(part)/float64(whole))
}
