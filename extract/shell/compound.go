package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/tree"
)

// Behind declare and its like bash takes a value in parentheses for the members of an
// array, where the variable is one, and expands it once more, however it was quoted:
// declare -a x='($(command))' runs the command.

// compound makes a line messy where the value of a declaration may be taken so.
func (w *walker) compound(st *state, cmd *syntax.DeclClause) {
	for _, arg := range cmd.Args {
		if arg.Value == nil || arg.Name == nil {
			continue // what is quoted with its name goes with "assigns"
		}
		value := Word{Led: tree.LedByText(arg.Value)}
		if !tree.SubstitutesCommands(arg.Value) { // which are walked where the value is read
			value = w.word(st, arg.Value)
		}
		first := value.Text
		if first == "" {
			first = tree.LeadingText(arg.Value)
		}
		opens := strings.HasPrefix(strings.TrimLeft(first, " \t\n"), "(")
		text := value.Kind == Literal || value.Kind == Number || value.Kind == Hash
		doubtful := !text && (opens || !value.Led)
		if text && opens || doubtful && w.makesArray(arg.Name.Value) {
			w.messy(guard.MessyDeclaration)
		}
		if doubtful {
			w.both(&w.doubtful, &w.mapped, arg.Name.Value)
		}
	}
}

// both notes a name among some, and makes the line messy where it is among others: a
// variable that mapfile makes an array of, before or after in any round or call, and that
// a declaration gives a value which may be taken for members.
func (r *report) both(some, others *v1.Set, name string) {
	some.Add(name)
	if others.Has(name) {
		r.messy(guard.MessyDeclaration)
	}
}

// makesArray reports whether the script may make an array of a variable anywhere: what
// a loop or a function has left counts as well.
func (w *walker) makesArray(name string) bool {
	if w.file == nil {
		return true
	}
	found := false
	syntax.Walk(w.file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Assign:
			found = found || node.Name != nil && node.Name.Value == name && (node.Array != nil || node.Index != nil)
		case *syntax.DeclClause:
			found = found || tree.DeclaresArray(node, name)
		}
		return !found
	})
	return found
}
