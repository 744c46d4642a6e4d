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

// recent has terms of earlier calls, and of earlier parts of this one: the calls of one session have the same
// directories and spaces. Terms are never changed. Nothing of an invalid input is kept, or its fault would be
// missed the next time.
type recent struct {
	tool    recentOne[v1.ToolFacts]
	session recentOne[v1.SessionFacts]
	sets    recentLists[string]
	arrays  recentLists[string]
	forms   recentLists[v1.Entry]
	items   recentItems
	words   recentWords
}

// recentOne keeps the latest facts of one type and their term.
type recentOne[T any] struct {
	facts T
	term  *ast.Term
}

func (r *recentOne[T]) lookUp(facts *T, same func(kept, facts *T) bool) *ast.Term {
	if r.term != nil && same(&r.facts, facts) {
		return r.term
	}
	return nil
}

// keep keeps the facts with texts of their own memory, unless the input is invalid, and returns the term.
func (r *recentOne[T]) keep(b *inputBuilder, facts *T, term *ast.Term, own func(b *inputBuilder, room, facts *T)) *ast.Term {
	if b.err == nil {
		own(b, &r.facts, facts)
		r.term = term
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

func (r *recentLists[E]) lookUp(list []E) *ast.Term {
	for i := range r.kept {
		if r.kept[i].term != nil && slices.Equal(r.kept[i].list, list) {
			return r.kept[i].term
		}
	}
	return nil
}

// fits reports whether a list is short enough to be kept, and each of its elements.
func (r *recentLists[E]) fits(list []E, each func(E) bool) bool {
	return len(list) <= longestList && !slices.ContainsFunc(list, func(element E) bool { return !each(element) })
}

// keep keeps a list with elements of their own memory, and returns the term.
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

func (r *recentItems) lookUp(item *v1.Item) *ast.Term {
	for i := range r.kept {
		if r.kept[i].term != nil && itemSame(&r.kept[i].item, item) {
			return r.kept[i].term
		}
	}
	return nil
}

// Values are seldom there, and items with values aren't kept.
func takesValues(values v1.Values) bool { return len(values) == 0 }

func sameValues(a, b v1.Values) bool { return len(a)+len(b) == 0 }

// keep keeps an item with the builder's copies of its texts, and returns the term.
func (r *recentItems) keep(item *v1.Item, term *ast.Term, b *inputBuilder) *ast.Term {
	place := &r.kept[r.next]
	place.term = term
	b.itemOwn(&place.item, item)
	r.next = (r.next + 1) % mostItems
	return term
}

// owned copies a list into the capacity of another, with elements of their own memory.
func owned[L ~[]E, E any](room, list L, own func(E) E) L {
	room = room[:0]
	for _, element := range list {
		room = append(room, own(element))
	}
	return room
}

func (r *recent) takesEntry(entry v1.Entry) bool {
	return r.words.fits(entry.Name) && r.words.fits(entry.Kind)
}

type recentWords struct{ terms map[string]*ast.Term }

func (r *recentWords) lookUp(word string) *ast.Term { return r.terms[word] }

func (r *recentWords) fits(word string) bool { return len(word) <= longestWord }

func (r *recentWords) keep(word string, term *ast.Term) {
	if r.terms == nil || len(r.terms) == mostWords {
		r.terms = make(map[string]*ast.Term, mostWords/8)
	}
	r.terms[word] = term
}
