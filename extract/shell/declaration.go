package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/state"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// declaration is export, declare, local, readonly or typeset. It assigns to variables, names them for
// the programs behind it, or prints those there are.
type declaration struct {
	w   *walker
	st  *state.State
	cmd *syntax.DeclClause
}

// declaration walks a declaration.
func (c compound) declaration(cmd *syntax.DeclClause) (ok, fail *state.State) {
	d := declaration{w: c.w, st: c.st, cmd: cmd}
	d.arrays()
	next, explained := d.assigns()
	if !explained {
		next, explained = d.exports()
	}
	if explained {
		c.w.emit(c.w.newCommand(c.st, ":", nil))
	} else {
		next = d.unknown()
	}
	return next, next
}

// arrays makes a line messy if the value of a declaration can be taken for the members of an array.
// If the variable is one, bash takes a value in parentheses so and expands it once more, however it
// was quoted: declare -a x='($(command))' runs the command.
func (d *declaration) arrays() {
	for _, arg := range d.cmd.Args {
		if arg.Value == nil || arg.Name == nil {
			continue // what is quoted with its name goes with "assigns"
		}
		var value expansion.Word
		if !tree.SubstitutesCommands(arg.Value) { // which are walked where the value is read
			value = d.w.word(d.st, arg.Value)
		}
		first := value.Text
		if first == "" {
			first = tree.LeadingText(arg.Value)
		}
		opens := strings.HasPrefix(strings.TrimLeft(first, " \t\n"), "(")
		text := value.Kind == expansion.Literal || value.Kind == expansion.Number || value.Kind == expansion.Hash
		doubtful := !text && (opens || !tree.LedByText(arg.Value))
		if text && opens || doubtful && d.w.makesArray(arg.Name.Value) {
			d.w.messy(guard.MessyDeclaration)
		}
		if doubtful {
			d.w.both(&d.w.doubtful, &d.w.mapped, arg.Name.Value)
		}
	}
}

// both adds a name to some, and makes the line messy if it is among others: a variable that mapfile
// makes an array of, before or after in any round or call, and that a declaration gives a value which
// can be taken for members.
func (r *report) both(some, others *v1.Set, name string) {
	some.Add(name)
	if others.Has(name) {
		r.messy(guard.MessyDeclaration)
	}
}

// makesArray reports whether the script can make an array of a variable anywhere: what a loop or a
// function has left counts as well.
func (n *nesting) makesArray(name string) bool {
	return n.file == nil || tree.MakesArray(n.file, name)
}

// assigns walks declare, typeset and local if they only assign to variables of the line.
func (d *declaration) assigns() (*state.State, bool) {
	variant := d.cmd.Variant.Value
	if variant != "declare" && variant != "typeset" && (variant != "local" || len(d.w.calling) == 0) {
		return nil, false
	}
	if d.w.Posix {
		d.w.messy(guard.MessyDialect) // only some shells called sh know them, or take the value as it is
	}
	if !d.plainAttributes() {
		return nil, false
	}
	next := d.st
	for _, arg := range d.cmd.Args {
		if arg.Name == nil {
			continue
		}
		name := arg.Name.Value
		d.braces(arg)
		value, ok := d.value(arg)
		if !ok {
			return nil, false
		}
		next = next.With(name, value)
	}
	return next, true
}

// plainAttributes reports whether the declaration does nothing but assign to variables of the line, be
// they numbered arrays.
func (d *declaration) plainAttributes() bool {
	names := 0
	for _, arg := range d.cmd.Args {
		switch {
		case arg.Name != nil:
			if names++; !d.onlyAssigns(arg) {
				return false
			}
		case d.w.Zsh || arg.Value == nil || arg.Value.Lit() != "-a":
			return false
		}
	}
	return names > 0
}

// onlyAssigns reports whether an argument only assigns to a variable of the line.
func (d *declaration) onlyAssigns(arg *syntax.Assign) bool {
	return !arg.Append && arg.Index == nil && d.w.local(arg.Name.Value) && (!d.w.Zsh || arg.Array == nil && !arg.Naked)
}

// value is what one variable of a declaration holds.
func (d *declaration) value(arg *syntax.Assign) (expansion.Word, bool) {
	switch {
	case arg.Array != nil:
		return assignArray(d.w, d.st.With(arg.Name.Value, expansion.Word{}), arg)
	case arg.Naked:
		return expansion.Word{}, true
	}
	return assigner{w: d.w, st: d.st}.assigned(arg)
}

// exports walks export of variables that change no program's ways, or nothing but how output looks.
func (d *declaration) exports() (*state.State, bool) {
	if d.cmd.Variant.Value != "export" || len(d.cmd.Args) == 0 {
		return nil, false
	}
	next := d.st
	var names []string
	for _, arg := range d.cmd.Args {
		if !tree.IsPlainAssignment(arg) || arg.Value != nil && tree.HasBrace(arg.Value) {
			return nil, false
		}
		name := arg.Name.Value
		value, known := d.exported(arg)
		unchanged := known && d.w.producers.Unchanged(name, value)
		inert := known && d.w.inert(name, value)
		kept := unchanged || inert
		if !kept && (!known || !d.w.harmless(name, value) && !d.w.loads(name, value)) {
			return nil, false
		}
		if next = d.w.sets(next, name, value); !kept {
			value = expansion.Word{}
		}
		next, names = next.With(name, value), append(names, name)
	}
	d.w.exported = append(d.w.exported, names...)
	return next, true
}

// exported is the value of a variable that is exported.
func (d *declaration) exported(arg *syntax.Assign) (expansion.Word, bool) {
	if arg.Naked {
		return d.st.Variable(arg.Name.Value)
	}
	value, known := assigner{w: d.w, st: d.st}.assigned(arg)
	// Some shells split what expansions give here, and look for patterns.
	known = known && (tree.CountExpansions(arg.Value) == 0 || value.Kind == expansion.Literal && value.Text != "" && !d.w.Rereads(value.Text))
	return value, known
}

// unknown walks any other declaration.
func (d *declaration) unknown() *state.State {
	c := d.w.newCommand(d.st, d.cmd.Variant.Value, nil)
	u := unknownDeclaration{declaration: *d, c: &c, next: d.st}
	for _, arg := range d.cmd.Args {
		switch {
		case arg.Name != nil:
			u.assignment(arg)
		case arg.Value != nil:
			for _, word := range d.w.words(u.next, arg.Value) {
				u.word(word)
			}
		}
	}
	if u.names == 0 {
		c.Caveats.Add("reads_environment")
	} else {
		c.Form.Put("<variable>", "name")
		c.Caveats.Add("assigns")
		u.next = u.next.WithCaveat("assigns")
	}
	d.w.emit(c)
	return u.next
}

// unknownDeclaration is a declaration with the command that describes it.
type unknownDeclaration struct {
	declaration
	c     *command.Command
	next  *state.State
	names int
	// prints is true if the variables are printed: options come first.
	prints bool
}

// word reads an option, or a name that the parser took for none.
func (u *unknownDeclaration) word(word expansion.Word) {
	u.prints = u.prints || strings.HasPrefix(word.Text, "-") && strings.Contains(word.Text, "p")
	if !u.keepsAttributes(word) {
		u.w.messy(guard.MessyDeclaration)
	}
	if word.IsOption() || strings.HasPrefix(word.Text, "+") {
		u.c.Form.Put(argv.OptionName(word.Text), "unknown")
		return
	}
	name, _, _ := strings.Cut(word.Text, "=")
	if name = strings.TrimSuffix(name, "+"); word.Kind != expansion.Literal || !value.IsName(name) {
		u.w.messy(guard.MessyDeclaration)
	}
	u.name(name)
}

// name notes a variable whose value isn't known then.
func (u *unknownDeclaration) name(name string) {
	u.names++
	if u.prints {
		u.c.Variables = append(u.c.Variables, name)
	}
	u.next = u.next.With(name, expansion.Word{})
}

func (u *unknownDeclaration) assignment(arg *syntax.Assign) {
	u.braces(arg)
	if arg.Value != nil {
		u.w.words(u.next, arg.Value)
	}
	if arg.Array != nil || arg.Index != nil {
		u.w.messy(guard.MessyDeclaration)
		// For the deny rules a member is a path that what comes behind can touch.
		e := effectsOf(u.w, u.next, u.c)
		assigner{w: u.w, st: u.next}.elements(arg, e.AnyPath)
	}
	u.name(arg.Name.Value)
}

// keepsAttributes reports whether a word makes no variable an associative array, nor gives one an attribute with which its values are
// evaluated, or stand for another variable.
func (u *unknownDeclaration) keepsAttributes(word expansion.Word) bool {
	switch {
	case word.Kind != expansion.Literal:
		return false
	case u.cmd.Variant.Value == "export":
		return true
	case word.IsOption() || strings.HasPrefix(word.Text, "+"):
		return strings.Trim(word.Text[1:], "xrgpfFa") == ""
	}
	return true
}

// braces makes a line messy with values that are cut at braces: bash makes several assignments of one
// with alternatives here, which an assignment by itself keeps.
func (d *declaration) braces(arg *syntax.Assign) {
	if arg.Value != nil && tree.HasBrace(arg.Value) {
		d.w.messy(guard.MessyBraces)
	}
}
