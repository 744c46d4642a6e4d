package state

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/value"
)

func text(text string) expansion.Word { return expansion.Word{Kind: expansion.Literal, Text: text} }

// states differ in one part each.
func states() []*State {
	begin := &State{Cwd: value.Directories{Known: []string{"/p"}}}
	defined := &syntax.FuncDecl{}
	return []*State{
		begin, begin.With("x", text("a")), begin.With("x", text("b")), begin.With("y", text("a")), begin.WithCaveat(SetsVariable),
		begin.WithGiven(command.AccessTo("write", "a")), begin.WithEnvironment("venv/bin"), begin.WithFunction("f", defined),
		begin.In([]string{"/p/src"}), begin.Nowhere(), begin.Unstacked(), begin.Pushed([]string{"/p"}), WithParameters(begin, []expansion.Word{text("a")}),
		WithoutParameters(begin),
	}
}

// Join is idempotent, and the same whichever state comes first. What it adds to a state, joining that state again doesn't.
func TestJoin(t *testing.T) {
	for i, a := range states() {
		assert.False(t, Changed(a, Join(a, a.clone())), i)
		for j, b := range states() {
			joined := Join(a, b)
			assert.False(t, Changed(joined, Join(joined, a)), "%d %d", i, j)
			assert.False(t, Changed(joined, Join(joined, b)), "%d %d", i, j)
			assert.False(t, Changed(joined, Join(b, a)), "%d %d", i, j)
			assert.Equal(t, joined.Assigned("x"), a.Assigned("x") || b.Assigned("x"))
		}
	}
}

func TestChanged(t *testing.T) {
	all := states()
	for i, a := range all {
		for j, b := range all {
			assert.Equal(t, i != j, Changed(a, b), "%d %d", i, j)
		}
	}
}

// A parameter behind the last is empty, and after a shift by a number that isn't known each may be anything.
func TestShifted(t *testing.T) {
	st := WithParameters(&State{}, []expansion.Word{text("a"), text("b")})
	kinds := func(st *State) (kinds [2]expansion.Kind) {
		for i, name := range []string{"1", "2"} {
			held, _ := st.Variable(name)
			kinds[i] = held.Kind
		}
		return kinds
	}
	first, _ := Shifted(st, 1).Variable("1")
	assert.Equal(t, "b", first.Text)
	assert.Equal(t, [2]expansion.Kind{expansion.Literal, expansion.Literal}, kinds(Shifted(st, 2)))
	assert.Equal(t, [2]expansion.Kind{expansion.Dynamic, expansion.Dynamic}, kinds(Shifted(st, 3)))
	assert.Equal(t, [2]expansion.Kind{expansion.Dynamic, expansion.Dynamic}, kinds(WithoutParameters(st)))
}
