package state

import (
	"slices"
	"strconv"

	"policyd/extract/shell/expansion"
)

// MaxParameters is how many parameters can be named by one digit.
const MaxParameters = 9

// all is the name under which a state has the list of the parameters.
const all = "@"

// WithParameters is the state in which the body of a function begins, or a script that is given words.
func WithParameters(st *State, args []expansion.Word) *State {
	list := &expansion.Array{Words: expansion.AddDirectories(st.Cwd.Known, slices.Clone(args))}
	next := st.With(all, expansion.Word{Array: list})
	for i := range MaxParameters {
		value := unknown
		if word, known := list.At(i); known { // or empty, behind the last
			value = &word
		}
		next.vars = next.vars.With(strconv.Itoa(i+1), value)
	}
	return next
}

// WithoutParameters is the state in which no parameter is known.
func WithoutParameters(st *State) *State {
	next := st.With(all, *unknown)
	for i := range MaxParameters {
		next.vars = next.vars.With(strconv.Itoa(i+1), unknown)
	}
	return next
}

// Shifted is the state without the first parameters, as far as they are known.
func Shifted(st *State, count int) *State {
	list := st.Array(all)
	if list == nil || count > len(list.Words) || slices.ContainsFunc(list.Words[:count], func(word expansion.Word) bool { return !expansion.IsSingle(word) }) {
		return WithoutParameters(st)
	}
	return WithParameters(st, list.Words[count:])
}

// Returned is the state behind a call: the parameters are those of the caller again, and what the function declared as
// its own is not followed.
func Returned(before, after *State, locals []string) *State {
	next := after.clone()
	restore := func(name string) {
		if value, had := before.vars.Get(name); had {
			next.vars = next.vars.With(name, value)
		} else {
			next.vars = next.vars.Without(name)
		}
	}
	restore(all)
	restore("0")
	for i := range MaxParameters {
		restore(strconv.Itoa(i + 1))
	}
	for _, name := range locals {
		next.vars = next.vars.With(name, unknown)
	}
	return next
}
