package bundles

import (
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	v1 "policyd/api/v1"
)

// containedRules is the prefix of the ids of rules whose covers need a contained run.
const containedRules = "contain/"

func (w *vocabulary) duties(t *ast.Term) ([]v1.Duty, error) {
	if empty(t) {
		return nil, nil
	}
	return elementsOf("obligations", t, func(t *ast.Term) (read v1.Duty, err error) {
		var m [3]*ast.Term
		if err := members("obligation", t, w.duty, m[:]); err != nil {
			return read, err
		}
		err = texts(w.duty, m[:], &read.Kind, &read.Profile, &read.Reads)
		return read, err
	})
}

// checkDuties refuses an allow that depends on a duty that nobody enforces.
func checkDuties(read *v1.Judgement, session *v1.SessionFacts) error {
	switch {
	case len(read.Obliges) > 1:
		return errors.New("there is more than one obligation, and a call is run once")
	case len(read.Obliges) == 1 && read.Effect != v1.EffectAllow:
		return fmt.Errorf("effect is %s, but there is an obligation", read.Effect)
	}
	for i := range read.Obliges {
		if err := checkDuty(&read.Obliges[i], session); err != nil {
			return err
		}
	}
	if read.Effect != v1.EffectAllow || len(read.Obliges) > 0 {
		return nil
	}
	for i := range read.Covered {
		if strings.HasPrefix(read.Covered[i].Rule, containedRules) {
			return fmt.Errorf("%s covers item %d, but the run is not obliged to be contained", read.Covered[i].Rule, read.Covered[i].Item)
		}
	}
	return nil
}

func checkDuty(duty *v1.Duty, session *v1.SessionFacts) error {
	switch {
	case duty.Kind != v1.ObligationContain:
		return fmt.Errorf("there is no obligation %q", duty.Kind)
	case !session.Enforces.Has(duty.Kind):
		return fmt.Errorf("the caller doesn't enforce the obligation %q", duty.Kind)
	case duty.Profile != v1.ProfileReadOnly && duty.Profile != v1.ProfileProject:
		return fmt.Errorf("there is no profile %q", duty.Profile)
	case !session.Profiles.Has(duty.Profile):
		return fmt.Errorf("no run can be contained in the profile %q here", duty.Profile)
	case duty.Reads != v1.ReadsKnown && duty.Reads != v1.ReadsListed:
		return fmt.Errorf("an obligation can't let %q be read", duty.Reads)
	}
	return nil
}
