package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/state"
	"policyd/extract/value"
)

// shown is by what other ways than its words a line shows values that only the run can
// tell. Loops and functions go back, so that each counts for the whole line.
type shown struct {
	// traces is true when commands may be traced, with what they expand, and expands when
	// a variable of the environment is expanded that is not known to be public.
	traces, expands bool
	// cuts is true when a part is taken of a value that is not known, and compares when
	// such a value is compared, or measured: which part is the same says what it is.
	cuts, compares bool
}

// expands notes that a variable is expanded.
func (r *report) expands(st *state.State, name string) {
	if st.Assigned(name) || slices.Contains([]string{"HOME", "PWD", "UID", "EUID", "PPID"}, name) {
		return
	}
	special := len(name) == 1 && strings.IndexByte("?#$!@*-", name[0]) >= 0 || value.IsDecimal(name)
	r.shown.expands = r.shown.expands || !special && !slices.Contains(r.table.Words.Variables.Public, name)
}

// compares notes that two texts are compared. One that is not known is not compared with
// a pattern, nor by its order: a loop over a few of those tells all of it.
func (r *report) compares(op string, text, with expansion.Word) {
	if text.Kind != expansion.Dynamic && with.Kind != expansion.Dynamic {
		return
	}
	r.shown.compares = true
	if text.Kind == expansion.Dynamic && with.Kind != expansion.Literal || with.Kind == expansion.Dynamic && !alone(with) || slices.Contains([]string{"<", ">", "=~"}, op) {
		r.messy(guard.MessyTest)
	}
}

// alone reports whether a word is one variable in quotes, and no pattern: a set of the
// characters that another holds ("[$x]") tells them.
func alone(word expansion.Word) bool {
	return len(word.Variables) == 1 && !word.Split && word.Text == "$"+word.Variables[0]
}

// shows holds against a line that it shows what its words don't.
func (r *report) shows() {
	if r.shown.traces && r.shown.expands {
		r.messy(guard.MessyBuiltin)
	}
	if r.shown.cuts && r.shown.compares {
		r.messy(guard.MessyTest)
	}
}

// chosen does the same for the word of a case and one of its patterns; "*" is what is
// left of them.
func (r *report) chosen(subject []expansion.Word, pattern expansion.Word) {
	for i := range subject {
		if pattern.Kind != expansion.Glob || pattern.Text != "*" {
			r.compares("", subject[i], pattern)
		}
	}
}

// measures notes that an operator takes a part of a value that is not known, or counts it.
func (r *report) measures(part *syntax.ParamExp, known bool) {
	if known {
		return
	}
	defaults := []syntax.ParExpOperator{
		syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
	}
	r.shown.compares = r.shown.compares || part.Length
	r.shown.cuts = r.shown.cuts || part.Slice != nil || part.Repl != nil || part.Exp != nil && !slices.Contains(defaults, part.Exp.Op)
}
