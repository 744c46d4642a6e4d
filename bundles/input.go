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

// inputBuilder writes one v1.Input as a term, as JSON would have given it, but for nil
// lists, which become empty ones, and with what its line comes to: a v1.Judged.
// Reflection would take four times as long. A builder is used again, by one goroutine at
// a time.
type inputBuilder struct {
	*vocabulary
	slab   []ast.Term
	pairs  [][2]*ast.Term // reused: objects copy what they are made of
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
	term, err := b.input(in), b.err
	// Terms are only read from here on, so those that are kept may stand in several inputs.
	b.err = nil
	w.builders.Put(b)
	return term, err
}

func (b *inputBuilder) input(in *v1.Input) *ast.Term {
	keys := b.vocabulary.input
	return b.term(ast.NewObject([][2]*ast.Term{
		{keys[0], ast.InternedTerm(in.Schema)},
		{keys[1], b.tool(&in.Tool)},
		{keys[2], b.session(&in.Session)},
		{keys[3], b.strings(in.About)},
		{keys[4], b.strings(in.Verbs)},
		{keys[5], b.strings(in.Names)},
		{keys[6], b.string(in.Cwd)},
		{keys[7], ast.InternedTerm(in.Messy)},
		{keys[8], ast.InternedTerm(in.Complete)},
		{keys[9], b.strings(in.Doubts)},
		{keys[10], list(b, in.Items, (*inputBuilder).item)},
		{keys[11], list(b, in.Paths, (*inputBuilder).path)},
		{keys[12], list(b, in.Approvals, (*inputBuilder).approval)},
		{keys[13], b.method(&in.Method)},
		{keys[14], b.line(in.Items)},
	}...))
}

func (b *inputBuilder) tool(tool *v1.ToolFacts) *ast.Term {
	if term := b.recent.tool.of(*tool); term != nil {
		return term
	}
	keys := b.vocabulary.tool
	term := alone(ast.NewObject([][2]*ast.Term{
		{keys[0], b.string(tool.Name)},
		{keys[1], b.string(tool.Kind)},
		{keys[2], b.string(tool.Client)},
		{keys[3], b.string(tool.Protocol)},
		{keys[4], b.string(tool.Namespace)},
		{keys[5], ast.InternedTerm(tool.Known)},
		{keys[6], b.string(tool.JudgedAs())},
	}...))
	return b.recent.tool.keep(*tool, term, b.err)
}

// method writes what only ACP methods have. Nearly every call has none of it.
func (b *inputBuilder) method(method *v1.MethodFacts) *ast.Term {
	if len(method.Peers) == 0 && method.Terminal == (v1.TerminalFacts{}) && method.Permission == (v1.PermissionFacts{}) {
		return b.noMethod
	}
	return b.methodTerm(method)
}

func (b *inputBuilder) methodTerm(method *v1.MethodFacts) *ast.Term {
	keys, terminal, permission := b.vocabulary.method, b.terminal, b.permission
	return b.term(ast.NewObject([][2]*ast.Term{
		{keys[0], list(b, method.Peers, (*inputBuilder).peer)},
		{keys[1], b.term(ast.NewObject([][2]*ast.Term{
			{terminal[0], b.string(method.Terminal.Step)},
			{terminal[1], b.string(method.Terminal.ID)},
			{terminal[2], ast.InternedTerm(method.Terminal.Known)},
			{terminal[3], b.string(method.Terminal.Peer)},
		}...))},
		{keys[2], b.term(ast.NewObject([][2]*ast.Term{
			{permission[0], ast.InternedTerm(method.Permission.Asks)},
			{permission[1], ast.InternedTerm(method.Permission.RawInput)},
		}...))},
	}...))
}

func (b *inputBuilder) peer(peer *v1.PeerFacts) *ast.Term {
	keys := b.vocabulary.peer
	return b.term(ast.NewObject([][2]*ast.Term{
		{keys[0], b.string(peer.ID)},
		{keys[1], b.set(peer.Capabilities)},
	}...))
}

func (b *inputBuilder) session(session *v1.SessionFacts) *ast.Term {
	if term := b.recent.session.of(session); term != nil {
		return term
	}
	keys := b.vocabulary.session
	term := alone(ast.NewObject([][2]*ast.Term{
		{keys[0], b.string(session.ID)},
		{keys[1], b.string(session.Agent)},
		{keys[2], b.string(string(session.Audience))},
		{keys[3], ast.InternedTerm(session.Interactive)},
		{keys[4], b.string(session.Platform)},
		{keys[5], b.string(session.ProjectDir)},
		{keys[6], b.string(session.SessionDir)},
		{keys[7], b.set(session.Tools)},
		{keys[8], b.set(session.Enforces)},
		{keys[9], b.set(session.Profiles)},
	}...))
	return b.recent.session.keep(session, term, b.err)
}

func (b *inputBuilder) item(item *v1.Item) *ast.Term {
	if term := b.recent.items.of(item); term != nil {
		return term
	}
	keys := b.vocabulary.item
	object := ast.NewObject([][2]*ast.Term{
		{keys[0], b.string(item.Kind)},
		{keys[1], b.string(item.Verb)},
		{keys[2], b.string(item.Directory)},
		{keys[3], b.form(item.Form)},
		{keys[4], b.set(item.Touches)},
		{keys[5], b.set(item.Caveats)},
		{keys[6], b.set(item.Reaches)},
		{keys[7], b.set(item.Within)},
		{keys[8], ast.InternedTerm(item.Path)},
		{keys[9], b.set(item.Risks)},
		{keys[10], b.values(item.Values)},
	}...)
	if b.err != nil || !b.recent.takesItem(item) {
		return b.term(object)
	}
	return b.recent.items.keep(item, alone(object), b)
}

func (b *inputBuilder) path(path *v1.Path) *ast.Term {
	keys := b.vocabulary.path
	return b.term(ast.NewObject([][2]*ast.Term{
		{keys[0], b.string(path.Raw)},
		{keys[1], b.string(path.Real)},
		{keys[2], b.string(path.Op)},
		{keys[3], b.string(path.Space)},
		{keys[4], ast.InternedTerm(path.Item)},
		{keys[5], b.form(path.Class)},
		{keys[6], b.strings(path.Links)},
		{keys[7], b.set(path.Caveats)},
	}...))
}

func (b *inputBuilder) approval(approval *v1.Approval) *ast.Term {
	keys := b.vocabulary.approval
	return b.term(ast.NewObject([][2]*ast.Term{
		{keys[0], b.string(approval.ID)},
		{keys[1], b.string(approval.Tool)},
		{keys[2], b.string(approval.Verb)},
		{keys[3], b.string(approval.Directory)},
		{keys[4], ast.InternedTerm(approval.Anywhere)},
		{keys[5], ast.InternedTerm(approval.Once)},
		{keys[6], b.set(approval.Risks)},
	}...))
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
	if term := b.recent.arrays.of(values); term != nil {
		return term
	}
	terms := make([]*ast.Term, len(values))
	for i, value := range values {
		terms[i] = b.string(value)
	}
	return kept(b, &b.recent.arrays, values, ast.NewArray(terms...), b.recent.words.takes, b.own)
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
	if term := b.recent.sets.of(set); term != nil {
		return term
	}
	b.pairs = b.pairs[:0]
	for _, name := range set {
		b.pairs = append(b.pairs, [2]*ast.Term{b.string(name), ast.InternedBooleanTrue})
	}
	return kept(b, &b.recent.sets, set, b.object(), b.recent.words.takes, b.own)
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
	if term := b.recent.forms.of(form); term != nil {
		return term
	}
	b.pairs = b.pairs[:0]
	for _, entry := range form {
		b.pairs = append(b.pairs, [2]*ast.Term{b.string(entry.Name), b.string(entry.Kind)})
	}
	return kept(b, &b.recent.forms, form, b.object(), b.recent.takesEntry, b.ownEntry)
}

// kept keeps what a list was written as, where it may: own makes a copy of an element that
// is nobody else's memory.
func kept[E comparable](
	b *inputBuilder, lists *recentLists[E], list []E, value ast.Value, takes func(E) bool, own func(E) E,
) *ast.Term {
	if b.err != nil || !lists.takes(list, takes) {
		return b.term(value)
	}
	return lists.keep(list, alone(value), own)
}

// object makes an object of the pairs. ast.NewObject takes unique keys for granted.
func (b *inputBuilder) object() ast.Value {
	if name, twice := repeated(b.pairs); twice && b.err == nil {
		b.err = fmt.Errorf("%s stands twice in one object", name)
	}
	return ast.NewObject(b.pairs...)
}

// repeated finds a key that stands twice. Objects are small: comparing each with each
// costs less than a map up to some dozens.
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

// string writes text. Bytes that aren't UTF-8 are refused: a record could not hold them,
// so what is judged again later would be something else.
func (b *inputBuilder) string(text string) *ast.Term {
	if term, known := b.words[text]; known {
		return term
	}
	if term := b.recent.words.of(text); term != nil {
		return term
	}
	if !utf8.ValidString(text) && b.err == nil {
		b.err = fmt.Errorf("%q is not UTF-8", text)
	}
	if b.err != nil || !b.recent.words.takes(text) {
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

// alone makes a term that may be kept. The others stand side by side in one piece of
// memory: to keep one would keep all inputs that are written there.
func alone(value ast.Value) *ast.Term { return &ast.Term{Value: value} }

// term wraps a value. What is given out is never taken back: caches may keep terms.
func (b *inputBuilder) term(value ast.Value) *ast.Term {
	if len(b.slab) == 0 {
		b.slab = make([]ast.Term, slabSize)
	}
	term := &b.slab[0]
	b.slab = b.slab[1:]
	term.Value = value
	return term
}
