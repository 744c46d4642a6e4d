package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// mostListed is how many values a frame of a memo lists. A judgement of an ordinary call has fewer; others go
// to the evaluator's own cache, whose look-ups don't slow down with the number of items.
const mostListed = 64

var _ topdown.VirtualCache = (*memo)(nil)

// memo remembers the values of rules during one judgement. A judgement needs some dozens of rules. A list
// that is searched from the end of the path, where paths differ, therefore replaces the evaluator's tree of
// maps, and can be reused once it is empty. A memo belongs to one judgement.
type memo struct {
	entries []memoEntry
	// steps are the paths of all entries, concatenated.
	steps []*ast.Term
	// frames are the starts of the frames: a rule under "with" sees only its own.
	frames []int
	// rest has as many frames; nil until a list is full.
	rest topdown.VirtualCache
}

type memoEntry struct {
	from, to int // in steps
	value    *ast.Term
}

func newMemo() *memo { return &memo{frames: []int{0}} }

// reset forgets everything, terms included.
func (m *memo) reset() {
	clear(m.entries)
	clear(m.steps)
	m.entries, m.steps, m.frames, m.rest = m.entries[:0], m.steps[:0], append(m.frames[:0], 0), nil
}

// Push implements topdown.VirtualCache.
func (m *memo) Push() {
	m.frames = append(m.frames, len(m.entries))
	if m.rest != nil {
		m.rest.Push()
	}
}

// Pop implements topdown.VirtualCache.
func (m *memo) Pop() {
	last := len(m.frames) - 1
	start := m.frames[last]
	if start < len(m.entries) {
		from := m.entries[start].from
		clear(m.steps[from:])
		m.steps = m.steps[:from]
	}
	clear(m.entries[start:])
	m.entries, m.frames = m.entries[:start], m.frames[:last]
	if m.rest != nil {
		m.rest.Pop()
	}
}

// Get implements topdown.VirtualCache: nil and true is a rule that is undefined.
func (m *memo) Get(ref ast.Ref) (*ast.Term, bool) {
	if found := m.find(ref); found != nil {
		return found.value, found.value == nil
	}
	if m.rest != nil {
		return m.rest.Get(ref)
	}
	return nil, false
}

// Put implements topdown.VirtualCache. Only the terms of ref are kept: the evaluator reuses the slice.
func (m *memo) Put(ref ast.Ref, value *ast.Term) {
	if found := m.find(ref); found != nil {
		found.value = value
		return
	}
	if len(m.frame()) == mostListed {
		m.overflow().Put(ref, value)
		return
	}
	from := len(m.steps)
	m.steps = append(m.steps, ref...)
	m.entries = append(m.entries, memoEntry{from: from, to: len(m.steps), value: value})
}

func (m *memo) overflow() topdown.VirtualCache {
	if m.rest == nil {
		m.rest = topdown.NewVirtualCache()
		for range len(m.frames) - 1 {
			m.rest.Push()
		}
	}
	return m.rest
}

// Keys implements topdown.VirtualCache.
func (m *memo) Keys() []ast.Ref {
	var keys []ast.Ref
	for _, entry := range m.frame() {
		if entry.value != nil {
			keys = append(keys, slices.Clone(m.steps[entry.from:entry.to]))
		}
	}
	if m.rest != nil {
		keys = append(keys, m.rest.Keys()...)
	}
	return keys
}

func (m *memo) frame() []memoEntry { return m.entries[m.frames[len(m.frames)-1]:] }

func (m *memo) find(ref ast.Ref) *memoEntry {
	frame := m.frame()
	for i := range frame {
		if samePath(m.steps[frame[i].from:frame[i].to], ref) {
			return &frame[i]
		}
	}
	return nil
}

func samePath(kept []*ast.Term, ref ast.Ref) bool {
	if len(kept) != len(ref) {
		return false
	}
	for i := len(ref) - 1; i >= 0; i-- {
		if kept[i] != ref[i] && !kept[i].Equal(ref[i]) {
			return false
		}
	}
	return true
}
