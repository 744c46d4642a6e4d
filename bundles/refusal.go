package bundles

import "fmt"

// Checks that can refuse a bundle. They are in [RefusalError], in [BundleStatus] and on metrics, and are
// never renamed.
const (
	// CheckFetch: the bundle could not be fetched, or its signature or its size is not
	// what the configuration wants.
	CheckFetch = "fetch"
	// CheckContents: a file isn't part of a policy, or occurs twice, or is too large.
	CheckContents = "contents"
	// CheckRoots: it owns what belongs to others.
	CheckRoots = "roots"
	// CheckTests: one of its own tests fails.
	CheckTests = "tests"
	// CheckData: its data is not what the rest of the program reads.
	CheckData = "data"
	// CheckCompile: it doesn't compile, or calls a forbidden function.
	CheckCompile = "compile"
	// CheckEntrypoint: the rule that decides is missing or of the wrong type, or nobody reads the package of
	// an operator's rule.
	CheckEntrypoint = "entrypoint"
	// CheckSmoke: it decides one of the built-in cases wrongly.
	CheckSmoke = "smoke"
)

// RefusalError states why a bundle did not become active. What was active before stays.
type RefusalError struct {
	// Bundle names the bundle; the place of a local one, or "embedded".
	Bundle string
	// Check is one of the constants Check….
	Check string
	// Hint states what to do.
	Hint string
	Err  error
}

var _ error = (*RefusalError)(nil)

// Error states which bundle, which check, what was wrong and what to do.
func (r *RefusalError) Error() string {
	text := fmt.Sprintf("bundle %s refused by the check %q: %v", r.Bundle, r.Check, r.Err)
	if r.Check == CheckFetch {
		text = fmt.Sprintf("bundle %s not fetched: %v", r.Bundle, r.Err)
	}
	if r.Hint != "" {
		text += " (" + r.Hint + ")"
	}
	return text
}

// Unwrap returns what went wrong.
func (r *RefusalError) Unwrap() error { return r.Err }

// refuse makes a refusal with the hint that belongs to the check.
func refuse(bundle, check string, err error) error {
	return &RefusalError{Bundle: bundle, Check: check, Hint: hintFor(check), Err: err}
}

func hintFor(check string) string {
	switch check {
	case CheckFetch:
		return "look at the service, its credentials, and the key, scope and size limit of the bundle"
	case CheckContents:
		return "docs/bundles.md says what a bundle holds: rules (.rego), data.json, data.yaml and .manifest, each within its size"
	case CheckRoots:
		return "the roots in .manifest have to be below " + siteRoot + ", " + siteDataRoot + " and " + recordRoot +
			"; only the bundle that the settings call " + policyRoot + " replaces the built-in policy, and of a service only the one called " +
			recordBundle + " masks records"
	case CheckTests:
		return "run policyd test over the bundle and the built-in policy"
	case CheckData:
		return "compare it with the data of the built-in policy"
	case CheckCompile:
		return "run policyd check --strict over the bundle; docs/facts.md lists what rules can read"
	case CheckEntrypoint:
		return entrypointPath + " has to be one complete rule"
	case CheckSmoke:
		return "mend the rule; docs/bundles.md lists the cases"
	}
	return ""
}
