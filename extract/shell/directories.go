package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/value"
)

// directoryChange is cd, pushd or popd.
type directoryChange struct {
	simpleCommand
	verb string
}

// cd walks cd. A directory that only the run knows makes the working directory unknown.
func (i simpleCommand) cd() (ok, fail *state.State, explained bool) {
	d := directoryChange{i, "cd"}
	given, physical := directoryOptions(i.args())
	ok, fail = d.change(given, physical)
	return ok, fail, true
}

// change is cd with operands.
func (d *directoryChange) change(given []expansion.Word, physical bool) (ok, fail *state.State) {
	if len(given) != 1 {
		return d.lost(given)
	}
	target := given[0]
	if target.Is("-") && !d.after.Assigned("OLDPWD") && d.after.Before() != nil {
		d.enters()
		return found(d.after.In(d.after.Before()), d.after, d.w.certain(d.after.Before()))
	}
	if !physical && !d.w.Posix && !d.after.Assigned("CDPATH") {
		if dirs := d.w.matched(d.after, target); dirs != nil {
			d.enters()
			return found(d.after.In(dirs), d.after, false)
		}
	}
	if !namesDirectory(d.after, target) {
		return d.lost(given)
	}
	d.enters()
	ok, certain := d.w.entered(d.after, target.Text, physical)
	if d.w.Zsh && ok != nil {
		ok = ok.Unstacked() // AUTO_PUSHD
	}
	return found(ok, d.after, certain)
}

// enters emits a change to a directory that is known.
func (d *directoryChange) enters() {
	c := d.w.newCommand(d.st, d.verb, d.redirs)
	c.Form.Put("<directory>", "dir")
	d.w.emit(c)
}

// found is what holds behind a change of directory that certainly succeeds, or can fail.
func found(ok, after *state.State, certain bool) (yes, no *state.State) {
	switch {
	case ok == nil:
		return after.Nowhere(), after
	case certain:
		return ok, ok // it doesn't fail
	}
	return ok, after
}

// lost reports a change of directory that only the run knows.
func (d *directoryChange) lost(args []expansion.Word) (ok, fail *state.State) {
	c := d.w.newCommand(d.st, d.verb, d.redirs)
	c.Form.Put("<directory>", "unknown")
	c.Caveats.Add("cwd_unknown")
	e := effectsOf(d.w, d.st, &c)
	for _, word := range args {
		e.MaybePath(word, v1.OpList)
	}
	d.w.emit(c)
	return d.after.Nowhere(), d.after
}

func directoryOptions(args []expansion.Word) (rest []expansion.Word, physical bool) {
	for len(args) > 0 && (args[0].Is("-P") || args[0].Is("-L")) {
		physical = physical || args[0].Text == "-P"
		args = args[1:]
	}
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	return args, physical
}

// matched are the directories that a variable can name which holds one match of a pattern, nil if
// only the run knows them. Their names are words of one piece and no options; what the line did so
// far made none of them, and none is called like a variable of the line, which bash with cdable_vars
// takes if it can't enter a directory.
func (d *diskView) matched(st *state.State, word expansion.Word) []string {
	if word.Split && word.IsEdited() || !isMatchIn(word, &st.Cwd) || lexical.Climbs(word.Text) || word.Text[0] == '/' ||
		!lexical.IsOneWord(st.Cwd.Known[0], "") || !d.OnlyRead() {
		return nil
	}
	found := strings.Split(d.Directories(st.Cwd.Known[0]+"/"+word.Text), "\n")[1:]
	if len(found) == 0 || len(found) > state.MaxDirectories {
		return nil
	}
	dirs := make([]string, 0, len(found))
	for _, dir := range found {
		name := strings.TrimPrefix(dir, st.Cwd.Known[0]+"/")
		if !lexical.IsOneWord(name, "") || name[0] == '-' || st.Assigned(strings.TrimSuffix(name, "/")) {
			return nil
		}
		dirs = append(dirs, lexical.CleanPath(dir))
	}
	return dirs
}

// isMatchIn reports whether a variable holds a word as one match of a pattern in the only working
// directory: a pattern of single segments.
func isMatchIn(w expansion.Word, cwd *value.Directories) bool {
	return w.IsHeldMatch(cwd) && lexical.IsOneWord(w.Text, "*?") && !strings.Contains(w.Text, "**")
}

// namesDirectory reports whether cd and pushd take a word for the name of a directory, and for nothing
// else.
func namesDirectory(st *state.State, word expansion.Word) bool {
	return word.Kind == expansion.Literal && !word.IsOption() && word.Text != "-" && word.Text != "" &&
		!strings.HasPrefix(word.Text, "+") && !st.Assigned("CDPATH")
}

// pushd walks pushd with a directory.
func (i simpleCommand) pushd() (ok, fail *state.State, explained bool) {
	d, args := directoryChange{i, "pushd"}, i.args()
	if len(args) != 1 || i.w.Posix || !namesDirectory(i.after, args[0]) || args[0].Is("--") {
		ok, fail = d.lost(args)
		return ok, fail, true
	}
	d.enters()
	ok, certain := i.w.entered(i.after, args[0].Text, false)
	if ok != nil {
		ok = ok.Pushed(i.after.Cwd.Known)
	}
	ok, fail = found(ok, i.after, certain)
	return ok, fail, true
}

// popd walks popd without operands, as far as the line has filled the stack.
func (i simpleCommand) popd() (ok, fail *state.State, explained bool) {
	d, args, popped := directoryChange{i, "popd"}, i.args(), i.after.Popped()
	if len(args) > 0 || popped == nil || i.w.Posix {
		ok, fail = d.lost(args)
		return ok, fail, true
	}
	i.w.emit(i.w.newCommand(i.st, "popd", i.redirs))
	ok, fail = found(popped, i.after, i.w.certain(popped.Cwd.Known))
	return ok, fail, true
}

// entered is the state behind cd to a directory, nil when only the run can
// tell, and whether it certainly succeeds.
func (d *diskView) entered(st *state.State, target string, physical bool) (ok *state.State, certain bool) {
	from := st.Cwd.Known
	if strings.HasPrefix(target, "/") {
		from = []string{""}
	} else if st.Cwd.Others {
		return nil, false
	}
	var dirs, passed []string
	for _, dir := range from {
		full := target
		if dir != "" {
			full = dir + "/" + target
		}
		next, left, known := d.Enter(full, physical)
		if !known {
			return nil, false
		}
		if !slices.Contains(dirs, next) {
			dirs = append(dirs, next)
		}
		passed = append(passed, left...)
	}
	if len(dirs) == 0 || len(dirs) > state.MaxDirectories {
		return nil, false
	}
	// What ".." leaves has to be there, too.
	certain = d.Enterable(passed) && d.certain(dirs)
	if !certain && st.Assigned(target) {
		return nil, false // cdable_vars: where no directory has the name, what the variable holds is meant
	}
	return st.In(dirs), certain
}

// certain reports whether cd to any of the directories succeeds: they are there
// for everyone, and nothing that the line has run so far can have changed that.
func (d *diskView) certain(dirs []string) bool {
	return d.Enterable(dirs) && d.OnlyRead()
}

// OnlyRead reports whether the commands of the line so far change nothing on
// the disk.
func (d *diskView) OnlyRead() bool {
	return d.onlyReadBeside(func(*command.Command) bool { return false })
}

// onlyReadBeside reports whether no command changes the disk but such as are known not to.
func (d *diskView) onlyReadBeside(harmless func(*command.Command) bool) bool {
	if d.changes || len(d.line.Messy) > 0 {
		return false
	}
	for i := range d.line.Commands {
		c := &d.line.Commands[i]
		if !slices.Contains(d.table.Words.Printing.ReadingVerbs, c.Verb) && !harmless(c) {
			return false
		}
		for j := range c.Accesses {
			if a := &c.Accesses[j]; a.Op != v1.OpRead && a.Op != v1.OpList && a.Text != "/dev/null" {
				return false
			}
		}
	}
	return true
}
