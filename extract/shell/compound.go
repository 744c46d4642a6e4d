package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
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
		value := Word{Led: led(arg.Value)}
		if !substitutesCommands(arg.Value) { // which are walked where the value is read
			value = w.word(st, arg.Value)
		}
		first := value.Text
		if first == "" {
			first = firstText(arg.Value)
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
func (w *walker) both(some, others *v1.Set, name string) {
	some.Add(name)
	if others.Has(name) {
		w.messy(guard.MessyDeclaration)
	}
}

// substitutesCommands reports whether a word, or an expression, holds the output of commands.
func substitutesCommands(node syntax.Node) bool {
	found := false
	syntax.Walk(node, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
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
			found = found || declaresArray(node, name)
		}
		return !found
	})
	return found
}

// declaresArray reports whether a declaration may give a variable the attribute of an
// array.
func declaresArray(cmd *syntax.DeclClause, name string) bool {
	array, named := false, false
	for _, arg := range cmd.Args {
		switch {
		case arg.Name != nil:
			named = named || arg.Name.Value == name
		case arg.Value != nil:
			option := arg.Value.Lit()
			if strings.HasPrefix(option, "-") {
				array = array || strings.ContainsAny(option, "aA")
			} else {
				array, named = array || option == "", true // quoted, or more than text
			}
		}
	}
	return array && named
}
