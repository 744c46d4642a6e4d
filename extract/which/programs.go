package which

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
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

// MayBecome reports whether a file could become the program that a name stands for: one of the name in a directory that
// is called as one of programs is.
func MayBecome(file, program string) bool {
	dir := path.Base(path.Dir(file))
	return path.Base(file) == program && !slices.Contains(builtins[:], program) &&
		slices.ContainsFunc(programPlaces[:], func(place struct{ name, path string }) bool { return path.Base(place.path) == dir })
}

// projectPlaces are those that there are, looked for once in a call.
type projectPlaces struct {
	looked bool
	// unknown is true where there are more than are looked for.
	unknown bool
	dirs    []string
	room    [2]string // for dirs
}

// Memory is what is remembered from call to call. The zero value is ready to use, concurrently.
type Memory struct {
	// NoPlaces are of directories that programs could be in.
	NoPlaces disk.Memory[noPlaces]
	// NoPrograms are names of programs that are missing in a directory of them.
	NoPrograms disk.Memory[[]string]
}

// Project says whether a program is one of the project's own.
type Project struct {
	View   *disk.View
	Cwd    *string // that of the call
	Memory *Memory
	Scope  *scope.Scope
	Globs  *disk.Globs
	places projectPlaces
}

// Has reports whether a program of this name lies where the project's own
// come first, and is the project's: a link there to one of the system is as good as
// that one, but for what it loads from beside the link.
func (p *Project) Has(c *command.Command) bool {
	if p.View.Windows || c.Program == "" || slices.Contains(builtins[:], c.Program) {
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
		if p.mayHold(dir, c.Program) && p.isProgram(dir+"/"+c.Program, len(c.Selection.Imports) > 0) {
			return true
		}
	}
	return false
}

// findPlaces looks in the session's own roots and in the call's working directory.
func (p *Project) findPlaces() {
	cwd := *p.Cwd
	for _, root := range p.Scope.Roots {
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
func (p *Project) findPlacesIn(dir string) {
	missing, known := p.Memory.NoPlaces.Recall(p.View, dir)
	if !known {
		if stamp := p.View.Before(dir); stamp.Present() {
			for i, place := range programPlaces {
				_, err := stat.Below(dir, place.name, false)
				missing[i] = stat.Missing(err)
			}
			p.Memory.NoPlaces.Put(dir, stamp, missing)
		}
	}
	for i, place := range programPlaces {
		if missing[i] {
			continue
		}
		if strings.Contains(place.path, "*") {
			found := p.Globs.Expand(place.path, dir)
			p.places.dirs, p.places.unknown = append(p.places.dirs, found.Matches...), p.places.unknown || found.Unknown
			continue
		}
		if full := dir + "/" + place.path; p.View.Stamped(full) || p.View.IsThere(dir, place.path) {
			p.places.dirs = append(p.places.dirs, full)
		}
	}
}

// maxMissing bounds how many names of programs are remembered as missing in one directory.
const maxMissing = 64

// mayHold reports whether there is something of a name in a directory of programs, which
// vouches from call to call for names that were missing there.
func (p *Project) mayHold(dir, name string) bool {
	if missing, known := p.Memory.NoPrograms.Recall(p.View, dir); known && slices.Contains(missing, name) {
		return false
	}
	if p.View.IsThere(dir, name) {
		return true
	}
	if p.View.Stamped(dir) {
		p.noteMissing(dir, name)
	}
	return false
}

// noteMissing remembers that a directory has nothing of a name: no link either, whose
// target can come to be there.
func (p *Project) noteMissing(dir, name string) {
	stamp := p.View.Before(dir)
	if !stamp.Present() {
		return
	}
	if _, err := stat.Below(dir, name, false); !stat.Missing(err) {
		return
	}
	missing, _ := p.Memory.NoPrograms.Get(dir, stamp)
	if len(missing) >= maxMissing {
		missing = nil
	}
	p.Memory.NoPrograms.Put(dir, stamp, append(slices.Clone(missing), strings.Clone(name)))
}

func (p *Project) isProgram(full string, loads bool) bool {
	resolved, err := p.View.Resolve(full)
	switch {
	case err != nil:
		return true
	case !resolved.Exists && !resolved.Unseen, resolved.Dir:
		return false
	case loads || resolved.Unseen:
		return true
	}
	if space := p.Scope.SpaceFor(v1.OpExecute, &resolved); space == v1.SpaceOutside || space == v1.SpaceNone {
		return false
	}
	found, err := p.View.Stamp(resolved.Real)
	return err != nil || found.Permissions&0o111 != 0
}
