package record

import (
	"strings"

	v1 "policyd/api/v1"
)

// MaskFacts masks secret-like values in facts, before they are judged. It masks every text that comes from
// the call, and equal texts equally, so that rules which compare two of them get the same result. A masked
// name matches no table. A directory with a masked part is dropped from what approvals match, since two
// directories may look the same now: masking can only make a decision stricter.
func (r *Redactor) MaskFacts(facts *v1.Facts) {
	run, used := r.runs.Get().(*factsRun)
	if !used {
		run = &factsRun{masker: r.masker, clean: map[string]struct{}{}}
	}
	run.facts(facts)
	if len(run.clean) > mostClean {
		return // a map never shrinks
	}
	clear(run.clean)
	r.runs.Put(run)
}

// mostClean bounds the texts of a run that is used again.
const mostClean = 128

func (r *factsRun) facts(facts *v1.Facts) {
	for _, text := range []*string{
		&facts.Tool.Name, &facts.Tool.Protocol, &facts.Session.ID, &facts.Session.Agent, &facts.Session.Platform,
		&facts.Session.ProjectDir, &facts.Session.SessionDir, &facts.Cwd, &facts.Method.Terminal.ID,
	} {
		r.mask(text)
	}
	facts.Session.Tools = r.all(facts.Session.Tools)
	facts.Verbs = r.all(facts.Verbs)
	facts.Names = r.all(facts.Names)
	for i := range facts.Items {
		r.item(&facts.Items[i])
	}
	for i := range facts.Paths {
		path := &facts.Paths[i]
		r.mask(&path.Raw)
		r.mask(&path.Real)
		path.Links = r.all(path.Links)
	}
}

// factsRun masks the facts of one call.
type factsRun struct {
	masker *Masker
	// clean are texts that needed no mask: facts often repeat directories.
	clean map[string]struct{}
}

func (r *factsRun) item(item *v1.Item) {
	for i := range item.Form {
		if entry := &item.Form[i]; r.secretEntry(item.Verb, entry) {
			item.Form = append(v1.Form{}, item.Form...) // it may come from a table
			item.Form[i].Name = r.entryName(item.Verb, entry.Name)
		}
	}
	r.mask(&item.Verb)
	r.mask(&item.Directory)
	item.Risks = r.all(item.Risks)
	for i := range item.Values {
		item.Values[i].Texts = r.all(item.Values[i].Texts)
	}
	for _, directory := range item.Within {
		if r.differs(directory) {
			item.Within = r.without(item.Within)
			return
		}
	}
}

// secretEntry reports whether an option has a secret value, by itself or for this program.
func (r *factsRun) secretEntry(verb string, entry *v1.Entry) bool {
	return r.differs(entry.Name) || (entry.Kind == "unknown" && strings.HasPrefix(entry.Name, "-") && r.differs(verb+" "+entry.Name))
}

func (r *factsRun) entryName(verb, name string) string {
	if safe, changed := r.masker.Mask(name); changed {
		return safe
	}
	safe, _ := r.masker.Mask(verb + " " + name)
	if option, found := strings.CutPrefix(safe, verb+" "); found {
		return option
	}
	return Masked
}

func (r *factsRun) without(directories v1.Set) v1.Set {
	kept := v1.Set{}
	for _, directory := range directories {
		if !r.differs(directory) {
			kept = append(kept, directory)
		}
	}
	return kept
}

// all returns the masked texts, in a new list if one differs: lists may come from tables that other calls are
// reading.
func (r *factsRun) all(texts []string) []string {
	masked := texts
	for i, text := range texts {
		safe := text
		if r.mask(&safe); safe == text {
			continue
		}
		if &masked[0] == &texts[0] {
			masked = append([]string{}, texts...)
		}
		masked[i] = safe
	}
	return masked
}

func (r *factsRun) differs(text string) bool {
	safe := text
	r.mask(&safe)
	return safe != text
}

func (r *factsRun) mask(text *string) {
	if len(*text) < shortest {
		return
	}
	if _, seen := r.clean[*text]; seen {
		return
	}
	safe, changed := r.masker.Mask(*text)
	if !changed {
		r.clean[*text] = struct{}{}
		return
	}
	*text = safe
}
