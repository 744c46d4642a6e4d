package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	v1 "policyd/api/v1"
)

const (
	// mostWords and longestWord bound what a builder keeps of the calls before.
	mostWords   = 512
	longestWord = 256
	// mostLists and longestList do so for sets, forms and arrays.
	mostLists   = 16
	longestList = 16
	// mostItems does so for items whose sets and forms are kept.
	mostItems = 64
)

// recent holds terms of the calls before, and earlier in this one: the calls of one
// session name the same directories, and touch the same. Terms are never changed. Of an
// input that can't be written nothing is kept, or its fault would not be found again.
type recent struct {
	tool    recentTool
	session recentSession
	sets    recentLists[string]
	arrays  recentLists[string]
	forms   recentLists[v1.Entry]
	items   recentItems
	words   recentWords
}

type recentTool struct {
	facts v1.ToolFacts
	term  *ast.Term
}

func (r *recentTool) of(facts v1.ToolFacts) *ast.Term {
	if facts == r.facts {
		return r.term
	}
	return nil
}

func (r *recentTool) keep(facts v1.ToolFacts, term *ast.Term, fault error) *ast.Term {
	if fault == nil {
		r.facts, r.term = facts, term
	}
	return term
}

type recentSession struct {
	facts v1.SessionFacts
	term  *ast.Term
}

func (r *recentSession) of(facts *v1.SessionFacts) *ast.Term {
	kept := &r.facts
	same := kept.ID == facts.ID && kept.Agent == facts.Agent && kept.Audience == facts.Audience &&
		kept.Interactive == facts.Interactive && kept.Platform == facts.Platform &&
		kept.ProjectDir == facts.ProjectDir && kept.SessionDir == facts.SessionDir &&
		slices.Equal(kept.Tools, facts.Tools) && slices.Equal(kept.Enforces, facts.Enforces) && slices.Equal(kept.Profiles, facts.Profiles)
	if same {
		return r.term
	}
	return nil
}

func (r *recentSession) keep(facts *v1.SessionFacts, term *ast.Term, fault error) *ast.Term {
	if fault == nil {
		r.facts, r.term = *facts, term
		r.facts.Tools, r.facts.Enforces, r.facts.Profiles = slices.Clone(facts.Tools), slices.Clone(facts.Enforces), slices.Clone(facts.Profiles)
	}
	return term
}

// recentLists keeps the latest lists and their terms.
type recentLists[E comparable] struct {
	kept [mostLists]struct {
		list []E
		term *ast.Term
	}
	next int
}

func (r *recentLists[E]) of(list []E) *ast.Term {
	for i := range r.kept {
		if r.kept[i].term != nil && slices.Equal(r.kept[i].list, list) {
			return r.kept[i].term
		}
	}
	return nil
}

// takes reports whether a list is short enough to be kept, and each of its elements.
func (r *recentLists[E]) takes(list []E, each func(E) bool) bool {
	return len(list) <= longestList && !slices.ContainsFunc(list, func(element E) bool { return !each(element) })
}

// keep keeps a list, each element made to be nobody else's memory, and returns the term.
func (r *recentLists[E]) keep(list []E, term *ast.Term, own func(E) E) *ast.Term {
	place := &r.kept[r.next]
	place.list, place.term = owned(place.list, list, own), term
	r.next = (r.next + 1) % mostLists
	return term
}

// recentItems keeps the latest items and their terms.
type recentItems struct {
	kept [mostItems]struct {
		item v1.Item
		term *ast.Term
	}
	next int
}

func (r *recentItems) of(item *v1.Item) *ast.Term {
	for i := range r.kept {
		if r.kept[i].term != nil && sameItem(&r.kept[i].item, item) {
			return r.kept[i].term
		}
	}
	return nil
}

func sameItem(a, b *v1.Item) bool {
	return a.Verb == b.Verb && a.Directory == b.Directory && a.Kind == b.Kind && a.Path == b.Path &&
		slices.Equal(a.Form, b.Form) && slices.Equal(a.Touches, b.Touches) &&
		slices.Equal(a.Caveats, b.Caveats) && slices.Equal(a.Reaches, b.Reaches) && slices.Equal(a.Within, b.Within) &&
		slices.Equal(a.Risks, b.Risks) && len(a.Values)+len(b.Values) == 0 // those with values are not kept
}

// takesItem reports whether all of an item is short enough to be kept.
func (r *recent) takesItem(item *v1.Item) bool {
	takes := r.words.takes
	return takes(item.Kind) && takes(item.Verb) && takes(item.Directory) &&
		r.forms.takes(item.Form, r.takesEntry) && r.sets.takes(item.Touches, takes) &&
		r.sets.takes(item.Caveats, takes) && r.sets.takes(item.Reaches, takes) && r.sets.takes(item.Within, takes) &&
		r.sets.takes(item.Risks, takes) && len(item.Values) == 0
}

// keep keeps an item with the texts that the builder has of it, and returns the term.
func (r *recentItems) keep(item *v1.Item, term *ast.Term, b *inputBuilder) *ast.Term {
	place := &r.kept[r.next]
	place.term = term
	place.item = v1.Item{
		Kind: b.own(item.Kind), Verb: b.own(item.Verb), Directory: b.own(item.Directory), Path: item.Path,
		Form:    owned(place.item.Form, item.Form, b.ownEntry),
		Touches: owned(place.item.Touches, item.Touches, b.own),
		Caveats: owned(place.item.Caveats, item.Caveats, b.own),
		Reaches: owned(place.item.Reaches, item.Reaches, b.own),
		Within:  owned(place.item.Within, item.Within, b.own),
		Risks:   owned(place.item.Risks, item.Risks, b.own),
	}
	r.next = (r.next + 1) % mostItems
	return term
}

// owned copies a list into the room of another, each element made to be nobody else's
// memory.
func owned[L ~[]E, E any](room, list L, own func(E) E) L {
	room = room[:0]
	for _, element := range list {
		room = append(room, own(element))
	}
	return room
}

func (r *recent) takesEntry(entry v1.Entry) bool {
	return r.words.takes(entry.Name) && r.words.takes(entry.Kind)
}

type recentWords struct{ terms map[string]*ast.Term }

func (r *recentWords) of(word string) *ast.Term { return r.terms[word] }

func (r *recentWords) takes(word string) bool { return len(word) <= longestWord }

func (r *recentWords) keep(word string, term *ast.Term) {
	if r.terms == nil || len(r.terms) == mostWords {
		r.terms = make(map[string]*ast.Term, mostWords/8)
	}
	r.terms[word] = term
}
