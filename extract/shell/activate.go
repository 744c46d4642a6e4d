package shell

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// activate walks a command that reads the script which activates a virtual environment of
// Python's: one of the name activate in the directory of the environment's programs. Such a script puts that
// directory in front of PATH, and names the environment in variables.
//
// What the file really holds isn't looked at. It is code that is run, and no cover allows that but
// one for code of the place that it lies in, which may do all that it could do to the line.
func (i simpleCommand) activate() (ok, fail *state, explained bool) {
	if len(i.argv) != 2 || i.argv[1].Kind != Literal || i.st.cwd.Others {
		return nil, nil, false
	}
	script := i.argv[1].Text
	dir := path.Dir(script)
	if path.Base(script) != "activate" || path.Base(dir) != "bin" || path.Base(path.Dir(dir)) == "." || path.Clean(script) != strings.TrimPrefix(script, "./") ||
		strings.HasPrefix(script, "~") {
		return nil, nil, false
	}
	c := i.w.newCommand(i.st, "source", i.redirs)
	c.Form.Put("<script>", "execute")
	c.Caveats.Add("executes")
	c.Accesses = append(slices.Clip(c.Accesses), named(v1.OpExecute, script))
	i.w.emit(c)
	next := i.after.clone()
	for _, variable := range []string{"PATH", "VIRTUAL_ENV", "VIRTUAL_ENV_PROMPT", "PS1"} {
		next = next.with(variable, Word{})
	}
	if path.IsAbs(script) || strings.HasPrefix(script, "..") {
		next = next.withCaveat("project_chooses_program")
		return next, next, true
	}
	next.environments = append(slices.Clip(next.environments), strings.TrimPrefix(dir, "./"))
	return next, next, true
}
