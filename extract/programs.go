package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell"
	"policyd/extract/stat"
)

// programPlaces are directories of a project that are searched for programs before
// those of the system, once somebody has activated its environment. name is what
// stands in the project itself; a path with a star stands for all that match it.
var programPlaces = [...]struct{ name, path string }{
	{".venv", ".venv/bin"},
	{"venv", "venv/bin"},
	{"env", "env/bin"},
	{"node_modules", "node_modules/.bin"},
	{"bin", "bin"},
	{"vendor", "vendor/bin"},
	{".direnv", ".direnv/*/bin"}, // layout python
	{".pixi", ".pixi/envs/*/bin"},
	{".conda", ".conda/bin"},
}

// noPlaces says of each place whether its name is missing.
type noPlaces [len(programPlaces)]bool

// builtins are what every shell does itself, whatever programs there are of the name.
var builtins = [...]string{
	"((", ":", "[", "[[", "cd", "command", "dirs", "echo", "exit", "export", "false", "kill", "let", "local", "popd", "printf",
	"pushd", "pwd", "read", "return", "set", "test", "true", "type", "umask", "wait",
}

// projectPlaces are those that there are, looked for once in a call.
type projectPlaces struct {
	looked bool
	// unknown is true where there are more than are looked for.
	unknown bool
	dirs    []string
	room    [2]string // for dirs
}

// projectProgram reports whether a program of this name lies where the project's own
// come first, and is the project's: a link there to one of the system is as good as
// that one, but for what it loads from beside the link.
func (e *extraction) projectProgram(c *shell.Command) bool {
	if e.view.Windows || c.Program == "" || slices.Contains(builtins[:], c.Program) {
		return false
	}
	if !e.projectBins.looked {
		e.projectBins.looked, e.projectBins.dirs = true, e.projectBins.room[:0]
		e.findPlaces()
	}
	if e.projectBins.unknown {
		return true
	}
	for _, dir := range e.projectBins.dirs {
		if e.mayHold(dir, c.Program) && e.isProgram(dir+"/"+c.Program, len(c.Imports) > 0) {
			return true
		}
	}
	return false
}

// findPlaces looks in the session's own roots and in the call's working directory.
func (e *extraction) findPlaces() {
	cwd := e.facts.Cwd
	for _, root := range e.roots {
		if isOwn(root.Space) {
			e.findPlacesIn(root.Real)
			if root.Real == cwd {
				cwd = ""
			}
		}
	}
	if cwd != "" {
		e.findPlacesIn(cwd)
	}
}

// findPlacesIn looks in one directory, which vouches from call to call for the names
// that are missing there.
func (e *extraction) findPlacesIn(dir string) {
	missing, known := e.x.noPlaces.Recall(&e.view, dir)
	if !known {
		if stamp := e.view.Before(dir); stamp.Present() {
			for i, place := range programPlaces {
				_, err := stat.Below(dir, place.name, false)
				missing[i] = stat.Missing(err)
			}
			e.x.noPlaces.Put(dir, stamp, missing)
		}
	}
	for i, place := range programPlaces {
		if missing[i] {
			continue
		}
		if strings.Contains(place.path, "*") {
			found := e.expand(place.path, dir)
			e.projectBins.dirs, e.projectBins.unknown = append(e.projectBins.dirs, found.matches...), e.projectBins.unknown || found.unknown
			continue
		}
		if full := dir + "/" + place.path; e.view.Stamped(full) || e.view.IsThere(dir, place.path) {
			e.projectBins.dirs = append(e.projectBins.dirs, full)
		}
	}
}

// maxMissing bounds how many names of programs are remembered as missing in one directory.
const maxMissing = 64

// mayHold reports whether there is something of a name in a directory of programs, which
// vouches from call to call for names that were missing there.
func (e *extraction) mayHold(dir, name string) bool {
	if missing, known := e.x.noPrograms.Recall(&e.view, dir); known && slices.Contains(missing, name) {
		return false
	}
	if e.view.IsThere(dir, name) {
		return true
	}
	if e.view.Stamped(dir) {
		e.noteMissing(dir, name)
	}
	return false
}

// noteMissing remembers that a directory has nothing of a name: no link either, whose
// target can come to be there.
func (e *extraction) noteMissing(dir, name string) {
	stamp := e.view.Before(dir)
	if !stamp.Present() {
		return
	}
	if _, err := stat.Below(dir, name, false); !stat.Missing(err) {
		return
	}
	missing, _ := e.x.noPrograms.Get(dir, stamp)
	if len(missing) >= maxMissing {
		missing = nil
	}
	e.x.noPrograms.Put(dir, stamp, append(slices.Clone(missing), strings.Clone(name)))
}

func (e *extraction) isProgram(full string, loads bool) bool {
	resolved, err := e.view.Resolve(full)
	switch {
	case err != nil:
		return true
	case !resolved.Exists && !resolved.Unseen, resolved.Dir:
		return false
	case loads || resolved.Unseen:
		return true
	}
	if space := e.spaceFor(v1.OpExecute, &resolved); space == v1.SpaceOutside || space == v1.SpaceNone {
		return false
	}
	found, err := e.view.Stamp(resolved.Real)
	return err != nil || found.Permissions&0o111 != 0
}
