package bundles

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "policyd/api/v1"
)

const (
	casesFile = "smoke/cases.json"
	factsFile = "smoke/facts.json"

	// smokePatience bounds all cases, which take milliseconds.
	smokePatience = 10 * time.Second
	// mostFailures bounds how many failed cases a refusal lists.
	mostFailures = 5
)

// SmokeCase is a call that every policy has to decide correctly: one that no policy may allow, or one without
// which it would be useless. Cases and facts are data.
type SmokeCase struct {
	Name string `json:"name"`
	// Why states what would be wrong with another effect.
	Why string `json:"why"`
	// Call, Grants and Approvals are the source of the facts, by extraction.
	Call      v1.Call        `json:"call"`
	Grants    []v1.PathGrant `json:"grants,omitempty"`
	Approvals []v1.Approval  `json:"approvals,omitempty"`
	// Effects are the allowed effects.
	Effects []v1.Effect `json:"effects"`
	// WithOperators are the allowed effects with operators' packages, which may deny what the built-in rules
	// allow, and cover some items for which they prompt.
	WithOperators []v1.Effect `json:"with_operators"`

	input v1.Input
}

// SmokeCases returns the built-in cases, with their facts.
func SmokeCases() ([]SmokeCase, error) {
	var cases []SmokeCase
	if err := readSmoke(casesFile, &cases); err != nil {
		return nil, err
	}
	var facts map[string]v1.Facts
	if err := readSmoke(factsFile, &facts); err != nil {
		return nil, err
	}
	for i := range cases {
		c := &cases[i]
		made, known := facts[c.Name]
		if !known {
			return nil, fmt.Errorf("read smoke cases: there are no facts of %q", c.Name)
		}
		c.input = v1.Input{Facts: made, Approvals: c.Approvals}
		if c.input.Approvals == nil {
			c.input.Approvals = []v1.Approval{}
		}
	}
	if len(cases) == 0 {
		return nil, errors.New("read smoke cases: there are none")
	}
	return cases, nil
}

// smokeCases are those that each activation has to pass, read once.
var smokeCases = sync.OnceValues(SmokeCases)

func readSmoke(name string, into any) error {
	content, err := fs.ReadFile(smokeFiles, name)
	if err != nil {
		return fmt.Errorf("read smoke cases: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("read smoke cases: %s: %w", name, err)
	}
	return nil
}

// smoke judges every case, each within the deadline of a judgement. The first that exceeds it ends the
// activation: in a policy whose evaluation never ends, each other case would take as long again. It judges as
// many at a time as there are workers. With settings of an operator, every case has to be judged, but any
// effect is accepted.
func (s *Snapshot) smoke(ctx context.Context, workers int, operators, settings bool) error {
	cases, err := smokeCases()
	if err != nil {
		return err
	}
	failures := make([]string, len(cases))
	bounded, cancel := context.WithTimeoutCause(ctx, smokePatience, errSlowSmoke)
	defer cancel()
	bounded, end := context.WithCancelCause(bounded)
	defer end(nil)
	var working sync.WaitGroup
	for worker := range workers {
		working.Go(func() {
			for i := worker; i < len(cases) && bounded.Err() == nil; i += workers {
				yield()
				var timeout bool
				if failures[i], timeout = s.fails(bounded, &cases[i], operators, settings); timeout {
					end(errors.New(failures[i]))
				}
			}
		})
	}
	working.Wait()
	if err := context.Cause(bounded); err != nil {
		return err
	}
	failed := slices.DeleteFunc(failures, func(failure string) bool { return failure == "" })
	if more := len(failed) - mostFailures; more > 0 {
		failed = append(failed[:mostFailures], fmt.Sprintf("and %d more", more))
	}
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "; "))
	}
	return nil
}

// errSlowSmoke refuses a policy whose cases all end, but take too long together.
var errSlowSmoke = fmt.Errorf("the built-in cases took longer than %s together", smokePatience)

// fails states what is wrong with the judgement of a case, empty for nothing. timeout is true if there was
// none in time.
func (s *Snapshot) fails(ctx context.Context, c *SmokeCase, operators, settings bool) (failure string, timeout bool) {
	input := c.input
	if agent := input.Session.Agent; s.ruled[agent] && !slices.Contains(input.About, "ruled") {
		// Extraction would give these facts under these settings.
		input.About = append(slices.Clone(input.About), "ruled")
	}
	judgement, err := s.Judge(ctx, &input)
	if err != nil {
		refused := new(v1.CodedError)
		return fmt.Sprintf("case %q: %v", c.Name, err), errors.As(err, &refused) && refused.Code == CodePolicyTimeout
	}
	wanted := c.Effects
	if operators {
		wanted = c.WithOperators
	}
	if settings || slices.Contains(wanted, judgement.Effect) {
		return "", false
	}
	return fmt.Sprintf("case %q: it decides %s%s and has to decide %s: %s",
		c.Name, judgement.Effect, byRule(&judgement), anyOf(wanted), c.Why), false
}

// byRule is the rule of a judgement.
func byRule(judgement *v1.Judgement) string {
	for _, covered := range judgement.Covered {
		if strings.HasPrefix(covered.Rule, siteRoot+"/") {
			return " by " + covered.Rule
		}
	}
	for _, reason := range judgement.Reasons {
		if reason.Effect == judgement.Effect && reason.Rule != "" {
			if reason.Code == "malformed_finding" {
				return " by " + reason.Rule + " (" + reason.Message + ")"
			}
			return " by " + reason.Rule
		}
	}
	return ""
}

func anyOf(effects []v1.Effect) string {
	names := make([]string, len(effects))
	for i, effect := range effects {
		names[i] = effect.String()
	}
	return strings.Join(names, " or ")
}
