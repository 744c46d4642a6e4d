package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/scope"
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

// projectPrograms says whether a program is one of the project's own.
type projectPrograms struct {
	facts  *builder
	view   *disk.View
	x      *Extractor
	scope  *scope.Scope
	globs  *globs
	places projectPlaces
}

// projectProgram reports whether a program of this name lies where the project's own
// come first, and is the project's: a link there to one of the system is as good as
// that one, but for what it loads from beside the link.
func (p *projectPrograms) projectProgram(c *shell.Command) bool {
	if p.view.Windows || c.Program == "" || slices.Contains(builtins[:], c.Program) {
		return false
	}
	if !p.places.looked {
		p.places.looked, p.places.dirs = true, p.places.room[:0]
		p.findPlaces()
	}
	if p.places.unknown {
		return true
	}
	for _, dir := range p.places.dirs {
		if p.mayHold(dir, c.Program) && p.isProgram(dir+"/"+c.Program, len(c.Imports) > 0) {
			return true
		}
	}
	return false
}

// findPlaces looks in the session's own roots and in the call's working directory.
func (p *projectPrograms) findPlaces() {
	cwd := p.facts.Cwd
	for _, root := range p.scope.Roots {
		if scope.IsOwn(root.Space) {
			p.findPlacesIn(root.Real)
			if root.Real == cwd {
				cwd = ""
			}
		}
	}
	if cwd != "" {
		p.findPlacesIn(cwd)
	}
}

// findPlacesIn looks in one directory, which vouches from call to call for the names
// that are missing there.
func (p *projectPrograms) findPlacesIn(dir string) {
	missing, known := p.x.noPlaces.Recall(p.view, dir)
	if !known {
		if stamp := p.view.Before(dir); stamp.Present() {
			for i, place := range programPlaces {
				_, err := stat.Below(dir, place.name, false)
				missing[i] = stat.Missing(err)
			}
			p.x.noPlaces.Put(dir, stamp, missing)
		}
	}
	for i, place := range programPlaces {
		if missing[i] {
			continue
		}
		if strings.Contains(place.path, "*") {
			found := p.globs.expand(place.path, dir)
			p.places.dirs, p.places.unknown = append(p.places.dirs, found.matches...), p.places.unknown || found.unknown
			continue
		}
		if full := dir + "/" + place.path; p.view.Stamped(full) || p.view.IsThere(dir, place.path) {
			p.places.dirs = append(p.places.dirs, full)
		}
	}
}

// maxMissing bounds how many names of programs are remembered as missing in one directory.
const maxMissing = 64

// mayHold reports whether there is something of a name in a directory of programs, which
// vouches from call to call for names that were missing there.
func (p *projectPrograms) mayHold(dir, name string) bool {
	if missing, known := p.x.noPrograms.Recall(p.view, dir); known && slices.Contains(missing, name) {
		return false
	}
	if p.view.IsThere(dir, name) {
		return true
	}
	if p.view.Stamped(dir) {
		p.noteMissing(dir, name)
	}
	return false
}

// noteMissing remembers that a directory has nothing of a name: no link either, whose
// target can come to be there.
func (p *projectPrograms) noteMissing(dir, name string) {
	stamp := p.view.Before(dir)
	if !stamp.Present() {
		return
	}
	if _, err := stat.Below(dir, name, false); !stat.Missing(err) {
		return
	}
	missing, _ := p.x.noPrograms.Get(dir, stamp)
	if len(missing) >= maxMissing {
		missing = nil
	}
	p.x.noPrograms.Put(dir, stamp, append(slices.Clone(missing), strings.Clone(name)))
}

func (p *projectPrograms) isProgram(full string, loads bool) bool {
	resolved, err := p.view.Resolve(full)
	switch {
	case err != nil:
		return true
	case !resolved.Exists && !resolved.Unseen, resolved.Dir:
		return false
	case loads || resolved.Unseen:
		return true
	}
	if space := p.scope.SpaceFor(v1.OpExecute, &resolved); space == v1.SpaceOutside || space == v1.SpaceNone {
		return false
	}
	found, err := p.view.Stamp(resolved.Real)
	return err != nil || found.Permissions&0o111 != 0
}
