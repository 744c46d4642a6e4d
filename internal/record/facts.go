package record

import v1 "policyd/api/v1"

// MaskFacts masks secret-like values in facts, before they are judged: names,
// never directories or index keys that a remembered answer is matched by. A
// masked name matches no table and no approval, so masking can only make an
// answer stricter.
func (r *Redactor) MaskFacts(facts *v1.Facts) {
	r.maskAll(facts.Verbs)
	r.maskAll(facts.Names)
	for i := range facts.Items {
		item := &facts.Items[i]
		r.mask(&item.Verb)
		for j := range item.Form {
			r.mask(&item.Form[j].Name)
		}
	}
	for i := range facts.Paths {
		r.mask(&facts.Paths[i].Raw)
		r.mask(&facts.Paths[i].Real)
	}
}

func (r *Redactor) maskAll(values []string) {
	for i := range values {
		r.mask(&values[i])
	}
}

// mask writes only what it changes: names may come from tables that other
// calls are reading.
func (r *Redactor) mask(text *string) {
	if safe, changed := r.masker.Mask(*text); changed {
		*text = safe
	}
}
