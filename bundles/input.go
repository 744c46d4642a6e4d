package bundles

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"

	v1 "policyd/api/v1"
)

// slabSize is how many terms are allocated at once: one input in one to three slabs.
const slabSize = 64

// inputBuilder writes one v1.Input as a term: a v1.Judged, with the facts of its line. The term equals that
// of its JSON, except that nil lists become empty ones. Reflection would take four times as long. A builder
// is reused, by one goroutine at a time.
type inputBuilder struct {
	*vocabulary
	slab   []ast.Term
	pairs  [][2]*ast.Term // reused: objects copy their elements
	recent recent
	reader lineReader
	err    error // the first thing that can't be written
}

// inputTerm returns the policy input for in.
func (w *vocabulary) inputTerm(in *v1.Input) (*ast.Term, error) {
	b, used := w.builders.Get().(*inputBuilder)
	if !used {
		b = &inputBuilder{vocabulary: w, pairs: make([][2]*ast.Term, 0, 16)}
	}
	term, err := b.judged(in), b.err
	// Terms are only read from here on, so those that are kept may be in several inputs.
	b.err = nil
	w.builders.Put(b)
	return term, err
}

func (b *inputBuilder) toolFacts(tool *v1.ToolFacts) *ast.Term {
	if term := b.recent.tool.lookUp(tool, toolFactsSame); term != nil {
		return term
	}
	return b.recent.tool.keep(b, tool, alone(b.toolFactsObject(tool)), (*inputBuilder).toolFactsOwn)
}

func (b *inputBuilder) sessionFacts(session *v1.SessionFacts) *ast.Term {
	if term := b.recent.session.lookUp(session, sessionFactsSame); term != nil {
		return term
	}
	return b.recent.session.keep(b, session, alone(b.sessionFactsObject(session)), (*inputBuilder).sessionFactsOwn)
}

// methodFacts writes the facts of ACP methods. Nearly all calls have none.
func (b *inputBuilder) methodFacts(method *v1.MethodFacts) *ast.Term {
	if methodFactsEmpty(method) {
		return b.noMethod
	}
	return b.term(b.methodFactsObject(method))
}

func (b *inputBuilder) item(item *v1.Item) *ast.Term {
	if term := b.recent.items.lookUp(item); term != nil {
		return term
	}
	object := b.itemObject(item)
	if b.err != nil || !b.recent.itemTaken(item) {
		return b.term(object)
	}
	return b.recent.items.keep(item, alone(object), b)
}

// list writes a slice with the writer of its elements.
func list[T any](b *inputBuilder, values []T, write func(*inputBuilder, *T) *ast.Term) *ast.Term {
	if len(values) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(values))
	for i := range values {
		terms[i] = write(b, &values[i])
	}
	return b.term(ast.NewArray(terms...))
}

func (b *inputBuilder) strings(values []string) *ast.Term {
	if len(values) == 0 {
		return ast.InternedEmptyArray
	}
	if term := b.recent.arrays.lookUp(values); term != nil {
		return term
	}
	terms := make([]*ast.Term, len(values))
	for i, value := range values {
		terms[i] = b.string(value)
	}
	return rememberList(b, &b.recent.arrays, values, ast.NewArray(terms...), b.recent.words.fits, b.own)
}

func (b *inputBuilder) set(set v1.Set) *ast.Term {
	switch len(set) {
	case 0:
		return ast.InternedEmptyObject
	case 1:
		if term, known := b.singles[set[0]]; known {
			return term
		}
	}
	if term := b.recent.sets.lookUp(set); term != nil {
		return term
	}
	b.pairs = b.pairs[:0]
	for _, name := range set {
		b.pairs = append(b.pairs, [2]*ast.Term{b.string(name), ast.InternedBooleanTrue})
	}
	return rememberList(b, &b.recent.sets, set, b.object(), b.recent.words.fits, b.own)
}

func (b *inputBuilder) values(values v1.Values) *ast.Term {
	if len(values) == 0 {
		return ast.InternedEmptyObject
	}
	pairs := make([][2]*ast.Term, 0, len(values))
	for _, value := range values {
		pairs = append(pairs, [2]*ast.Term{b.string(value.Name), b.strings(value.Texts)})
	}
	return b.term(ast.NewObject(pairs...))
}

func (b *inputBuilder) form(form v1.Form) *ast.Term {
	if len(form) == 0 {
		return ast.InternedEmptyObject
	}
	if term := b.recent.forms.lookUp(form); term != nil {
		return term
	}
	b.pairs = b.pairs[:0]
	for _, entry := range form {
		b.pairs = append(b.pairs, [2]*ast.Term{b.string(entry.Name), b.string(entry.Kind)})
	}
	return rememberList(b, &b.recent.forms, form, b.object(), b.recent.takesEntry, b.ownEntry)
}

// rememberList remembers the term of a list, if that is safe: own makes a copy of an element with its own memory.
func rememberList[E comparable](
	b *inputBuilder, lists *recentLists[E], list []E, value ast.Value, takes func(E) bool, own func(E) E,
) *ast.Term {
	if b.err != nil || !lists.fits(list, takes) {
		return b.term(value)
	}
	return lists.keep(list, alone(value), own)
}

// object makes an object of the pairs. ast.NewObject assumes unique keys.
func (b *inputBuilder) object() ast.Value {
	if name, twice := repeated(b.pairs); twice && b.err == nil {
		b.err = fmt.Errorf("%s is repeated in one object", name)
	}
	return ast.NewObject(b.pairs...)
}

// repeated finds a duplicate key. Objects are small: comparing all pairs costs less than a map up to some
// dozens.
func repeated(pairs [][2]*ast.Term) (*ast.Term, bool) {
	const small = 32
	if len(pairs) > small {
		seen := make(map[ast.Value]bool, len(pairs))
		for _, pair := range pairs {
			if seen[pair[0].Value] {
				return pair[0], true
			}
			seen[pair[0].Value] = true
		}
		return nil, false
	}
	for i, pair := range pairs {
		for _, before := range pairs[:i] {
			if pair[0] == before[0] || pair[0].Value == before[0].Value {
				return pair[0], true
			}
		}
	}
	return nil, false
}

// string writes text. Bytes that aren't UTF-8 are refused: a record can't contain them, so judging it again
// would use another input.
func (b *inputBuilder) string(text string) *ast.Term {
	if term, known := b.words[text]; known {
		return term
	}
	if term := b.recent.words.lookUp(text); term != nil {
		return term
	}
	if !utf8.ValidString(text) && b.err == nil {
		b.err = fmt.Errorf("%q is not UTF-8", text)
	}
	if b.err != nil || !b.recent.words.fits(text) {
		return b.term(ast.String(text))
	}
	// The text may be a piece of a whole request, which must not be kept with it.
	text = strings.Clone(text)
	term := alone(ast.String(text))
	b.recent.words.keep(text, term)
	return term
}

// own is a short text as it is kept already.
func (b *inputBuilder) own(text string) string {
	if kept, ok := b.string(text).Value.(ast.String); ok {
		return string(kept)
	}
	return strings.Clone(text)
}

func (b *inputBuilder) ownEntry(entry v1.Entry) v1.Entry {
	return v1.Entry{Name: b.own(entry.Name), Kind: b.own(entry.Kind)}
}

// alone makes a term that may be kept. The others share one piece of memory: keeping one would keep all
// inputs in it.
func alone(value ast.Value) *ast.Term { return &ast.Term{Value: value} }

// term wraps a value. Terms are never recycled: caches may keep them.
func (b *inputBuilder) term(value ast.Value) *ast.Term {
	if len(b.slab) == 0 {
		b.slab = make([]ast.Term, slabSize)
	}
	term := &b.slab[0]
	b.slab = b.slab[1:]
	term.Value = value
	return term
}
