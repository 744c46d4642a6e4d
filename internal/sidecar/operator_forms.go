package sidecar

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"policyd/extract"
	"policyd/extract/argv"
	"policyd/policies"
)

// safeForms are safe verbs by platform and verb.
type safeForms map[string]map[string][]argv.SafeForm

// builtinForms are the safe verbs of the built-in policy.
var builtinForms = sync.OnceValues(func() (safeForms, error) {
	data, err := policies.FS.ReadFile("policyd/config/safe_verbs/data.json")
	if err != nil {
		return nil, fmt.Errorf("read the built-in safe verbs: %w", err)
	}
	var forms safeForms
	if err := json.Unmarshal(data, &forms); err != nil {
		return nil, fmt.Errorf("read the built-in safe verbs: %w", err)
	}
	return forms, nil
})

// forVerb are the forms of a verb on a platform, common to several or not.
func (f safeForms) forVerb(platform, verb string) []argv.SafeForm {
	platforms := []string{platform}
	if platform == "common" {
		platforms = []string{"linux", "darwin"}
	}
	var forms []argv.SafeForm
	for _, one := range append(platforms, "common") {
		forms = append(forms, f[one][verb]...)
	}
	return forms
}

// notice is what an operator should know of an entry of safe verbs that is active.
type notice struct{ entry, message string }

const checkForm = "; make sure that the form only reads, and add reads_only: true to it"

// formNotices are the forms that may change something without an option for it: those that no built-in form
// includes, and those with options that the program table marks as risks. Programs that the operator
// declares, and forms with reads_only, are the operator's responsibility.
func formNotices(base *extract.Base, verbs map[string]any) ([]notice, error) {
	builtin, err := builtinForms()
	if err != nil {
		return nil, err
	}
	programs, _ := verbs["programs"].(map[string]any)
	var found []notice
	for _, platform := range []string{"common", "linux", "darwin", "windows"} {
		table, _ := verbs[platform].(map[string]any)
		for _, verb := range slices.Sorted(maps.Keys(table)) {
			program, _, _ := strings.Cut(verb, " ")
			if programs[program] != nil {
				continue
			}
			known := builtin.forVerb(platform, verb)
			forms, _ := table[verb].([]any)
			for i := range forms {
				form := safeForm(forms[i])
				if message := formNotice(base, platform, verb, form, known); message != "" {
					found = append(found, notice{fmt.Sprintf("%s.%s[%d]", platform, verb, i), message + checkForm})
				}
			}
		}
	}
	return found, nil
}

// formNotice is what one form may do, empty if nothing is known against it.
func formNotice(base *extract.Base, platform, verb string, form *argv.SafeForm, known []argv.SafeForm) string {
	if form.ReadsOnly {
		return ""
	}
	held := func(of argv.SafeForm) bool {
		for name, kind := range of.Needs {
			if form.Needs[name] != kind {
				return false
			}
		}
		return true
	}
	known = slices.DeleteFunc(slices.Clone(known), func(of argv.SafeForm) bool { return !held(of) })
	if len(known) == 0 {
		return fmt.Sprintf("no built-in form vouches for %s as this one has it, which may change something without naming it", verb)
	}
	for _, name := range slices.Sorted(maps.Keys(form.Form)) {
		listed := slices.ContainsFunc(known, func(of argv.SafeForm) bool { return of.Form[name] == form.Form[name] })
		if risk := base.FormRisk(platform, verb, name, form.Form[name]); risk != "" && !listed {
			return fmt.Sprintf("the program table marks %s of %s as a risk (%s)", name, verb, risk)
		}
	}
	return ""
}
