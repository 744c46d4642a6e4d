package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell/lexical"
)

// changeDirectory walks cd. A directory that only the run can tell makes the
// working directory unknown.
func (w *walker) changeDirectory(st, after *state, args []Word, redirs []Access) (ok, fail *state) {
	c := w.newCommand(st, "cd", redirs)
	given, physical := directoryOptions(args)
	if len(given) == 1 && given[0].literal("-") && !after.assigned("OLDPWD") && after.before != nil {
		c.Form.Put("<directory>", "dir")
		w.emit(c)
		return found(after.in(after.before), after, w.certain(after.before))
	}
	if len(given) == 1 && !physical && !w.Posix && !after.assigned("CDPATH") {
		if dirs := w.matched(after, given[0]); dirs != nil {
			c.Form.Put("<directory>", "dir")
			w.emit(c)
			return found(after.in(dirs), after, false)
		}
	}
	if len(given) != 1 || !w.plainDirectory(after, given[0]) {
		return w.lost(st, after, c, given)
	}
	c.Form.Put("<directory>", "dir")
	w.emit(c)
	ok, certain := w.entered(after, given[0].Text, physical)
	if w.Zsh && ok != nil {
		ok = ok.clone()
		ok.stack, ok.unstacked = nil, true // AUTO_PUSHD
	}
	return found(ok, after, certain)
}

// found is what holds behind a change of directory that certainly succeeds, or
// may fail.
func found(ok, after *state, certain bool) (yes, no *state) {
	switch {
	case ok == nil:
		return after.nowhere(), after
	case certain:
		return ok, ok // it doesn't fail
	}
	return ok, after
}

// lost reports a change of directory that only the run can tell.
func (w *walker) lost(st, after *state, c Command, args []Word) (ok, fail *state) {
	c.Form.Put("<directory>", "unknown")
	c.Caveats.Add("cwd_unknown")
	p := parsed{w: w, c: &c, st: st}
	for _, word := range args {
		p.maybePath(word, v1.OpList)
	}
	w.emit(c)
	return after.nowhere(), after
}

func directoryOptions(args []Word) (rest []Word, physical bool) {
	for len(args) > 0 && (args[0].literal("-P") || args[0].literal("-L")) {
		physical = physical || args[0].Text == "-P"
		args = args[1:]
	}
	if len(args) > 0 && args[0].literal("--") {
		args = args[1:]
	}
	return args, physical
}

// matched are the directories that a variable may name which holds one match of a pattern, nil
// where only the run can tell. Their names are words of one piece and no options; what the line
// did so far made none of them, and none is called like a variable of the line, which bash with
// cdable_vars takes where it can't enter a directory.
func (w *walker) matched(st *state, word Word) []string {
	if word.Kind != Glob || word.Expands || word.Split && word.edited() || st.unknown || len(st.dirs) != 1 ||
		len(word.dirs) > 0 && !slices.Equal(word.dirs, st.dirs) || !printable(word.Text, "*?") || lexical.Climbs(word.Text) ||
		strings.Contains(word.Text, "**") || word.Text[0] == '/' || !printable(st.dirs[0], "") || !w.onlyRead() {
		return nil
	}
	found := strings.Split(w.ask(aboutMatches, st.dirs[0]+"/"+word.Text).text, "\n")[1:]
	if len(found) == 0 || len(found) > maxDirectories {
		return nil
	}
	dirs := make([]string, 0, len(found))
	for _, dir := range found {
		name := strings.TrimPrefix(dir, st.dirs[0]+"/")
		if !printable(name, "") || name[0] == '-' || st.assigned(strings.TrimSuffix(name, "/")) {
			return nil
		}
		dirs = append(dirs, lexical.CleanPath(dir))
	}
	return dirs
}

// plainDirectory reports whether a word is the name of a directory to cd and
// pushd, and nothing else.
func (w *walker) plainDirectory(st *state, word Word) bool {
	return word.Kind == Literal && !word.isOption() && word.Text != "-" && word.Text != "" &&
		!strings.HasPrefix(word.Text, "+") && !st.assigned("CDPATH")
}

// push walks pushd with a directory.
func (w *walker) push(st, after *state, args []Word, redirs []Access) (ok, fail *state) {
	c := w.newCommand(st, "pushd", redirs)
	if len(args) != 1 || w.Posix || !w.plainDirectory(after, args[0]) || args[0].literal("--") {
		return w.lost(st, after, c, args)
	}
	c.Form.Put("<directory>", "dir")
	w.emit(c)
	ok, certain := w.entered(after, args[0].Text, false)
	if ok != nil {
		ok = ok.clone()
		ok.stack = append(slices.Clip(after.stack), after.dirs)
	}
	return found(ok, after, certain)
}

// pop walks popd without operands, as far as the line has filled the stack.
func (w *walker) pop(st, after *state, args []Word, redirs []Access) (ok, fail *state) {
	c := w.newCommand(st, "popd", redirs)
	top := len(after.stack) - 1
	if len(args) > 0 || top < 0 || len(after.stack[top]) == 0 || w.Posix {
		return w.lost(st, after, c, args)
	}
	w.emit(c)
	ok = after.in(after.stack[top])
	ok.stack = after.stack[:top:top]
	return found(ok, after, w.certain(after.stack[top]))
}

// entered is the state behind cd to a directory, nil when only the run can
// tell, and whether it certainly succeeds.
func (w *walker) entered(st *state, target string, physical bool) (ok *state, certain bool) {
	from := st.dirs
	if strings.HasPrefix(target, "/") {
		from = []string{""}
	} else if st.unknown {
		return nil, false
	}
	var dirs, passed []string
	for _, dir := range from {
		full := target
		if dir != "" {
			full = dir + "/" + target
		}
		next, left, known := w.enter(full, physical)
		if !known {
			return nil, false
		}
		if !slices.Contains(dirs, next) {
			dirs = append(dirs, next)
		}
		passed = append(passed, left...)
	}
	if len(dirs) == 0 || len(dirs) > maxDirectories {
		return nil, false
	}
	// What ".." leaves has to be there, too.
	certain = w.enterable(passed) && w.certain(dirs)
	if !certain && st.assigned(target) {
		return nil, false // cdable_vars: where no directory has the name, what the variable holds is meant
	}
	return st.in(dirs), certain
}

// certain reports whether cd to any of the directories succeeds: they are there
// for everyone, and nothing that the line has run so far can have changed that.
func (r *report) certain(dirs []string) bool {
	return r.enterable(dirs) && r.onlyRead()
}

// enterable reports whether directories are there for everyone.
func (h *host) enterable(dirs []string) bool {
	return !slices.ContainsFunc(dirs, func(dir string) bool { return !h.isEnterable(dir) })
}

// onlyRead reports whether the commands of the line so far change nothing on
// the disk.
func (r *report) onlyRead() bool {
	return r.onlyReadBeside(func(*Command) bool { return false })
}

// onlyReadBeside reports whether no command changes the disk but such as are known not to.
func (r *report) onlyReadBeside(harmless func(*Command) bool) bool {
	if r.changes || len(r.line.Messy) > 0 {
		return false
	}
	for i := range r.line.Commands {
		c := &r.line.Commands[i]
		if !slices.Contains(r.table.Words.Printing.ReadingVerbs, c.Verb) && !harmless(c) {
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

// enter cleans the path that cd goes to, and lists the directories that a ".."
// in it leaves. The shell takes ".." as it is written, unless told -P; where a
// link makes that differ from the disk, the directory counts as unknown.
func (h *host) enter(path string, physical bool) (clean string, passed []string, known bool) {
	clean, passed = lexical.CleanPath(path), lexical.LeftByDots(path)
	if len(passed) == 0 && !physical {
		return clean, nil, true
	}
	if physical && !h.isPlain(clean) {
		return "", nil, false
	}
	return clean, passed, !slices.ContainsFunc(passed, func(dir string) bool { return !h.isPlain(dir) })
}
