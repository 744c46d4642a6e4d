package extract

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
)

// touched gathers what one item touches, for its Touches, Within and Caveats.
type touched struct {
	item  int
	set   v1.Set
	reals []string
	links []string
	vague bool // something it touches is not known
	// unseen is true when something lies on a disk that this machine doesn't have.
	unseen bool
	// abroad is true when it may run in a directory outside every space.
	abroad bool
	// linked is true when something that it touches may be a link that the line makes.
	linked bool
	// special is true when something that it opens is neither file nor directory.
	special bool
	// secret is true when a file that it reads holds a secret, whatever its name.
	secret bool
}

const devNull = "/dev/null"

// touch resolves one path and adds it to the facts. base is what a relative
// path counts from; empty when unknown.
func (e *extraction) touch(t *touched, raw, base, op string) *v1.Path {
	e.step()
	if len(e.aliases) > 0 {
		if full := e.view.Absolute(raw, base); full != "" {
			e.throughAliases(t, full, op)
		}
	}
	e.facts.Paths = append(e.facts.Paths, v1.Path{Raw: raw, Op: op, Space: v1.SpaceUnknown, Item: t.item})
	p := &e.facts.Paths[len(e.facts.Paths)-1]
	if e.foreign && raw == devNull {
		p.Real, p.Space = raw, v1.SpaceNone
		t.add(op, p.Space)
		return p
	}
	full := e.view.Absolute(raw, base)
	if raw == "." && !e.view.Windows {
		full = base // the same, without a string of its own
	}
	full = e.forked(full)
	if full == "" {
		p.Real = raw
		t.vague = true
		e.note(p, "invisible")
		e.classify(p, e.view.Spelling(raw))
		t.add(op, p.Space)
		return p
	}
	e.locate(t, p, full)
	t.add(op, p.Space)
	return p
}

// forked is the file whose fork a path names: macOS keeps several contents under
// one name, as Windows does behind a colon.
func (e *extraction) forked(full string) string {
	if e.view.Resolver.Names != paths.NamesDarwin {
		return full
	}
	if at := strings.Index(strings.ToLower(full), "/..namedfork/"); at > 0 {
		return full[:at]
	}
	return full
}

// locate says where an absolute path really lies.
func (e *extraction) locate(t *touched, p *v1.Path, full string) {
	if e.view.Windows && e.windowsDevice(t, p, full) {
		return
	}
	resolved, err := e.view.Resolve(full)
	if err != nil {
		p.Real = e.view.Spelling(full)
		e.note(p, "error")
		t.vague = true
		e.classify(p, p.Real)
		return
	}
	p.Real, p.Links = resolved.Real, resolved.Links
	if e.device(p, full, &resolved) {
		return
	}
	p.Space = e.spaceFor(p.Op, &resolved)
	switch {
	case e.view.Hidden(&resolved):
		t.vague = true
		e.note(p, "invisible")
	case resolved.Unseen:
		t.unseen = true
		e.note(p, "unseen")
	case !resolved.Exists:
		e.note(p, "missing")
	case resolved.Dir:
		e.note(p, "directory")
	case !resolved.Regular:
		t.special = t.special || p.Op != v1.OpList
		e.note(p, "special")
	case resolved.HardLinks && p.Op == v1.OpRead:
		e.otherNames(p)
	case resolved.HardLinks && p.Op != v1.OpList:
		e.note(p, "hard_link")
		e.otherNames(p)
	}
	t.secret = t.secret || p.Op == v1.OpRead && e.secretSettings(resolved.Real)
	e.classify(p, resolved.Real)
	if p.Op == v1.OpDelete && resolved.Dir {
		e.classifyBelow(p, resolved.Real)
	}
	if e.line { // an approval's directory is for commands alone
		t.reals = append(t.reals, resolved.Real)
		t.links = append(t.links, resolved.Links...)
	}
	if len(resolved.Links) > 0 || resolved.ViaProc {
		e.otherReading(t, p, full)
	}
}

// note adds a caveat of a path, in memory that is there for the first.
func (e *extraction) note(p *v1.Path, caveat string) {
	if p.Caveats == nil {
		p.Caveats = e.room.set(caveat)
		return
	}
	p.Caveats.Add(caveat)
}

// otherReading judges a path that leads over links by its text as well. Some
// programs remove ".." from the text before they open it, which then leads
// elsewhere: such a path lies nowhere that is known.
func (e *extraction) otherReading(t *touched, p *v1.Path, full string) {
	clean := path.Clean(full)
	e.classify(p, clean)
	if !strings.Contains(full, "..") {
		return
	}
	other, err := e.view.Resolve(clean)
	if err == nil && other.Real == p.Real {
		return
	}
	p.Space = v1.SpaceUnknown
	p.Caveats.Add("ambiguous")
	t.vague = true
	if err == nil {
		e.classify(p, other.Real)
	}
}

// device handles what lies below /dev. It reports false for paths that don't.
// The null device is no file. Neither are the standard streams and the endless
// zeros of a command, but a file tool would open those of its own process, and
// wait. bash's /dev/tcp is a connection; any other device is outside.
func (e *extraction) device(p *v1.Path, full string, resolved *paths.Resolved) bool {
	real := resolved.Real
	name := real
	if strings.HasPrefix(full, "/") && !strings.Contains(full, "..") {
		name = path.Clean(full) // /dev/stdin is a link whose end says nothing
	} else if resolved.ViaProc {
		return false
	}
	if !strings.HasPrefix(name, "/dev/") {
		return false
	}
	p.Real = name
	switch name {
	case "/dev/stdin", "/dev/fd/0":
		if !e.line || p.Op == v1.OpWrite { // a file that is read is opened for writing
			break
		}
		p.Space = v1.SpaceNone
		return true
	case "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2":
		if !e.line || p.Op == v1.OpWrite && e.crossed {
			break
		}
		fallthrough
	case "/dev/null":
		p.Space = v1.SpaceNone
		return true
	}
	p.Space = v1.SpaceOutside
	p.Caveats.Add("device")
	if strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/") {
		p.Caveats.Add("network")
	}
	e.classify(p, name)
	e.classify(p, real)
	return true
}

// classify notes the lists that a path is on, by the agent's name and by the
// sidecar's.
func (e *extraction) classify(p *v1.Path, real string) {
	e.classifyName(p, real)
	if disk, other := e.view.OtherName(real); other {
		e.classifyName(p, disk)
	}
	if p.Op == v1.OpDelete {
		e.classifyDelete(p, real)
	}
}

// classifyName matches one name. Looking at names and metadata alone gives no
// secret away, but looking into a secret directory does.
func (e *extraction) classifyName(p *v1.Path, real string) {
	if p.Op == v1.OpList {
		if entry := e.x.lists.Secrets.Directory(real); entry != "" {
			p.Class.Put("secret_directory", entry)
		}
	} else if class, entry := e.x.lists.Secrets.Class(real); class != "" {
		p.Class.Put(class, entry)
	}
	for i := range e.x.lists.Classes {
		if class := &e.x.lists.Classes[i]; !has(p.Class, class.Name) {
			if entry := e.inClass(class, real); entry != "" {
				p.Class.Put(class.Name, entry)
			}
		}
	}
	for _, own := range e.x.own {
		if paths.FoldedWithin(real, own) {
			p.Class.Put("own", own)
		}
	}
	for _, file := range e.x.protected {
		if paths.FoldedWithin(real, file) {
			p.Class.Put("protected_always", file)
		}
	}
	if p.Op == v1.OpWrite || p.Op == v1.OpDelete {
		e.x.lists.Protected.Class(e.belowScratch(real), &p.Class)
	}
}

// secretFile reports whether a path is secret by the agent's name or by the
// sidecar's.
func (e *extraction) secretFile(real string) bool {
	if e.sought != nil {
		return e.inClass(e.sought, real) != ""
	}
	if e.x.lists.Secrets.File(real) != "" {
		return true
	}
	disk, visible := e.view.OtherName(real)
	return visible && e.x.lists.Secrets.File(disk) != ""
}

func (e *extraction) secretDirectory(real string) bool {
	if e.sought != nil {
		return e.inClass(e.sought, real) != ""
	}
	if e.x.lists.Secrets.Directory(real) != "" {
		return true
	}
	disk, visible := e.view.OtherName(real)
	return visible && e.x.lists.Secrets.Directory(disk) != ""
}

// classifyBelow notes what goes with a directory that is deleted or moved: a
// root of the session, policyd's own files wherever below, and what stands
// directly in it and is protected.
func (e *extraction) classifyBelow(p *v1.Path, dir string) {
	for i := range e.roots {
		if isOwn(e.roots[i].Space) && paths.Within(e.roots[i].Real, dir) {
			p.Caveats.Add("root")
		}
	}
	names := []string{dir}
	if disk, other := e.view.OtherName(dir); other {
		names = append(names, disk)
	}
	for _, name := range names {
		for _, own := range e.x.own {
			if paths.FoldedWithin(own, name) {
				p.Class.Put("own", own)
			}
		}
		for _, file := range e.x.protected {
			if paths.FoldedWithin(file, name) {
				p.Class.Put("protected_always", file)
			}
		}
	}
	for _, place := range e.classPlaces() {
		if paths.Within(place, dir) && e.view.Exists(place) {
			e.classifyName(p, place)
		}
	}
	e.x.lists.Protected.Below(dir, func(class, entry, path string) {
		if _, known := p.Class.Get(class); !known && e.view.Exists(path) {
			p.Class.Put(class, entry)
		}
	})
}

// classifyDelete notes an entry of delete_allow, which counts from the project.
func (e *extraction) classifyDelete(p *v1.Path, real string) {
	for _, root := range e.roots {
		if root.Space != v1.SpaceProject {
			continue
		}
		for _, entry := range e.x.lists.DeleteAllow {
			if real == root.Real+"/"+entry {
				p.Class.Put("delete_allow", entry)
			}
		}
	}
}

// within lists the directories that an approval could name for all that was
// touched (V6): every ancestor of dir that holds it all and that no symbolic
// link below it leads out of or into.
func (e *extraction) within(t *touched, dir string) v1.Set {
	if t.vague || dir == "" {
		return nil
	}
	out := e.work.within[:0]
	if len(t.reals) == 1 && t.reals[0] != dir && paths.Within(t.reals[0], dir) && t.allWithin(t.reals[0]) && t.changes() {
		// An approval was given for it when it was not there, or still was a directory.
		out = append(out, t.reals[0])
	}
	for at := dir; paths.Depth(at) >= 2; at = paths.Parent(at) {
		if t.allWithin(at) {
			out = append(out, at)
		}
	}
	return e.room.set(out...)
}

// changes reports whether something is written or deleted.
func (t *touched) changes() bool {
	return slices.ContainsFunc(t.set, func(name string) bool {
		return strings.HasPrefix(name, v1.OpWrite) || strings.HasPrefix(name, v1.OpDelete)
	})
}

func (t *touched) allWithin(root string) bool {
	for _, real := range t.reals {
		if !paths.Within(real, root) {
			return false
		}
	}
	for _, link := range t.links {
		if paths.Within(link, root) {
			return false
		}
	}
	return true
}

// touchNames are the strings of Item.Touches, made once.
var touchNames = func() map[[2]string]string {
	names := make(map[[2]string]string, 64)
	for _, op := range []string{v1.OpRead, v1.OpWrite, v1.OpDelete, v1.OpExecute, v1.OpList} {
		for _, space := range []string{
			v1.SpaceSession, v1.SpaceProject, v1.SpaceGrantRead, v1.SpaceGrantReadWrite, v1.SpaceReadAlso,
			v1.SpaceRepository, v1.SpaceNone, v1.SpaceOutside, v1.SpaceUnknown,
		} {
			names[[2]string{op, space}] = op + "." + space
		}
	}
	return names
}()

// add notes one more thing that is touched.
func (t *touched) add(op, space string) { t.set.Add(touchName(op, space)) }

func touchName(op, space string) string { return touchNames[[2]string{op, space}] }

func has(class v1.Form, name string) bool { _, ok := class.Get(name); return ok }
