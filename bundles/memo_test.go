package bundles

import (
	"fmt"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/stretchr/testify/require"
)

// compareCaches asks both caches for everything that any test ever put there.
func compareCaches(t *testing.T, want, got topdown.VirtualCache, refs []ast.Ref) {
	t.Helper()
	for _, ref := range refs {
		wantTerm, wantUndefined := want.Get(ref)
		gotTerm, gotUndefined := got.Get(ref)
		require.Equal(t, wantUndefined, gotUndefined, ref.String())
		require.Equal(t, wantTerm, gotTerm, ref.String())
	}
	require.ElementsMatch(t, names(want.Keys()), names(got.Keys()))
}

func names(refs []ast.Ref) []string {
	texts := make([]string, len(refs))
	for i, ref := range refs {
		texts[i] = ref.String()
	}
	return texts
}

// A memo answers like the evaluator's own cache: frames, undefined rules, and more
// values than it lists.
func TestMemoIsTheEvaluatorsCache(t *testing.T) {
	var refs []ast.Ref
	for i := range 3 * mostListed {
		refs = append(refs, ast.MustParseRef(fmt.Sprintf("data.a.b%d", i)), ast.MustParseRef(fmt.Sprintf("data.a.b%d.c", i)))
	}
	got := newMemo()
	for range 2 { // the second time with a memo that was used before
		want := topdown.NewVirtualCache()
		put := func(from, to int) {
			scratch := make(ast.Ref, 0, 4)
			for i := from; i < to; i++ {
				value := ast.InternedTerm(i)
				if i%5 == 0 {
					value = nil
				}
				scratch = append(scratch[:0], refs[i]...)
				want.Put(refs[i], value)
				got.Put(scratch, value)
				clear(scratch) // the evaluator uses it again
			}
		}
		put(0, 20)
		compareCaches(t, want, got, refs)
		want.Push()
		got.Push()
		compareCaches(t, want, got, refs)
		put(10, 10+2*mostListed)
		compareCaches(t, want, got, refs)
		want.Push()
		got.Push()
		put(0, 5)
		compareCaches(t, want, got, refs)
		for range 2 {
			want.Pop()
			got.Pop()
			compareCaches(t, want, got, refs)
		}
		put(15, len(refs))
		compareCaches(t, want, got, refs)
		got.reset()
		compareCaches(t, topdown.NewVirtualCache(), got, refs)
	}
}

func TestMemoDistinguishesPathsByEveryStep(t *testing.T) {
	m := newMemo()
	m.Put(ast.MustParseRef("data.a.x"), ast.InternedTerm(1))
	for _, other := range []string{"data.b.x", "input.a.x", "data.a.x.x", "data.a", "data.a.y"} {
		value, undefined := m.Get(ast.MustParseRef(other))
		require.Nil(t, value, other)
		require.False(t, undefined, other)
	}
	value, _ := m.Get(ast.MustParseRef("data.a.x"))
	require.Equal(t, ast.InternedTerm(1), value)
}
