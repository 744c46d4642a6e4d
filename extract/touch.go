package extract

import (
	"path"
	"slices"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
	"policyd/extract/spelling"
	"policyd/extract/value"
)

// locator adds the paths that items touch to the facts.
type locator struct {
	facts   *builder
	view    *disk.View
	scope   *scope.Scope
	classes *scope.Classifier
	links   *scope.HardLinks
	kept    *scope.GitKept
	aliases *aliasTable

	line    bool // a command line is being read
	foreign bool // on Windows, by a shell of Unix
	crossed bool // where it prints to may be a file that it reads
	// ancestors is scratch memory.
	ancestors [32]string
}

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
func (l *locator) touch(t *touched, raw, base, op string) *v1.Path {
	l.facts.step()
	if len(l.aliases.all) > 0 {
		if full := l.view.Absolute(raw, base); full != "" {
			l.aliases.touchTargets(t, full, op)
		}
	}
	l.facts.Paths = append(l.facts.Paths, v1.Path{Raw: raw, Op: op, Space: v1.SpaceUnknown, Item: t.item})
	p := &l.facts.Paths[len(l.facts.Paths)-1]
	if l.foreign && raw == devNull {
		p.Real, p.Space = raw, v1.SpaceNone
		t.add(op, p.Space)
		return p
	}
	full := l.view.Absolute(raw, base)
	if raw == "." && !l.view.Windows {
		full = base // the same, without a string of its own
	}
	full = l.forked(full)
	if full == "" {
		p.Real = raw
		t.vague = true
		l.facts.note(p, "invisible")
		l.classes.Classify(p, l.view.Spelling(raw))
		t.add(op, p.Space)
		return p
	}
	l.locate(t, p, full)
	t.add(op, p.Space)
	return p
}

// forked is the file whose fork a path names: macOS keeps several contents under
// one name, as Windows does behind a colon.
func (l *locator) forked(full string) string {
	if l.view.Resolver.Names != paths.NamesDarwin {
		return full
	}
	if at := strings.Index(strings.ToLower(full), "/..namedfork/"); at > 0 {
		return full[:at]
	}
	return full
}

// locate says where an absolute path really lies.
func (l *locator) locate(t *touched, p *v1.Path, full string) {
	if l.view.Windows && l.windowsDevice(t, p, full) {
		return
	}
	resolved, err := l.view.Resolve(full)
	if err != nil {
		p.Real = l.view.Spelling(full)
		l.facts.note(p, "error")
		t.vague = true
		l.classes.Classify(p, p.Real)
		return
	}
	p.Real, p.Links = resolved.Real, resolved.Links
	if l.device(p, full, &resolved) {
		return
	}
	p.Space = l.scope.SpaceFor(p.Op, &resolved)
	if p.Op == v1.OpWrite && p.Space == v1.SpaceGrantReadWrite && l.scope.Grants.Apart(resolved.Real, l.facts.Cwd, l.scope.Roots) {
		p.Caveats.Add("apart")
	}
	l.noteKind(t, p, &resolved)
	t.secret = t.secret || p.Op == v1.OpRead && l.kept.SecretSettings(resolved.Real)
	l.classes.Classify(p, resolved.Real)
	if p.Op == v1.OpDelete && resolved.Dir {
		l.classes.NoteRoots(p, resolved.Real)
		l.classes.ClassifyBelow(p, resolved.Real)
	}
	if l.line { // an approval's directory is for commands alone
		t.reals = append(t.reals, resolved.Real)
		t.links = append(t.links, resolved.Links...)
	}
	if len(resolved.Links) > 0 || resolved.ViaProc {
		l.otherReading(t, p, full)
	}
}

// noteKind notes what lies at a path, if it is no plain file.
func (l *locator) noteKind(t *touched, p *v1.Path, resolved *paths.Resolved) {
	switch {
	case l.view.Hidden(resolved):
		t.vague = true
		l.facts.note(p, "invisible")
	case resolved.Unseen:
		t.unseen = true
		l.facts.note(p, "unseen")
	case !resolved.Exists:
		l.facts.note(p, "missing")
	case resolved.Dir:
		l.facts.note(p, "directory")
	case !resolved.Regular:
		t.special = t.special || p.Op != v1.OpList
		l.facts.note(p, "special")
	case resolved.HardLinks && p.Op == v1.OpRead:
		l.links.OtherNames(p)
	case resolved.HardLinks && p.Op != v1.OpList:
		l.facts.note(p, "hard_link")
		l.links.OtherNames(p)
	}
}

// otherReading judges a path that leads over links by its text as well. Some
// programs remove ".." from the text before they open it, which then leads
// elsewhere: such a path lies nowhere that is known.
func (l *locator) otherReading(t *touched, p *v1.Path, full string) {
	clean := path.Clean(full)
	l.classes.Classify(p, clean)
	if !strings.Contains(full, "..") {
		return
	}
	other, err := l.view.Resolve(clean)
	if err == nil && other.Real == p.Real {
		return
	}
	p.Space = v1.SpaceUnknown
	p.Caveats.Add("ambiguous")
	t.vague = true
	if err == nil {
		l.classes.Classify(p, other.Real)
	}
}

// device handles what lies below /dev. It reports false for paths that don't.
// The null device is no file. Neither are the standard streams and the endless
// zeros of a command, but a file tool would open those of its own process, and
// wait. bash's /dev/tcp is a connection; any other device is outside.
func (l *locator) device(p *v1.Path, full string, resolved *paths.Resolved) bool {
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
		if !l.line || p.Op == v1.OpWrite { // a file that is read is opened for writing
			break
		}
		p.Space = v1.SpaceNone
		return true
	case "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2":
		if !l.line || p.Op == v1.OpWrite && l.crossed {
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
	l.classes.Classify(p, name)
	l.classes.Classify(p, real)
	return true
}

// within lists the directories that an approval could name for all that was
// touched (V6): every ancestor of dir that holds it all and that no symbolic
// link below it leads out of or into.
func (l *locator) within(t *touched, dir string) v1.Set {
	if t.vague || dir == "" {
		return nil
	}
	out := l.ancestors[:0]
	if len(t.reals) == 1 && t.reals[0] != dir && paths.Within(t.reals[0], dir) && t.allWithin(t.reals[0]) && t.changes() {
		// An approval was given for it when it was not there, or still was a directory.
		out = append(out, t.reals[0])
	}
	for at := dir; paths.Depth(at) >= 2; at = paths.Parent(at) {
		if t.allWithin(at) {
			out = append(out, at)
		}
	}
	return l.facts.room.set(out...)
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

// alteredPath makes a path that a client might alter one that lies nowhere that
// is known, and looks at what it would be without what a client might remove.
// A file that is there under the very name is that file, where nothing else
// that its name could lead to is worse.
func (l *locator) alteredPath(p *v1.Path, raw string) {
	raw = l.view.Resolver.Names.Compose(raw)
	if !spelling.Altered(raw) {
		return
	}
	plain := strings.TrimFunc(strings.Map(func(r rune) rune {
		if spelling.InvisibleRune(r) {
			return -1
		}
		return r
	}, raw), unicode.IsSpace)
	plain = strings.Trim(strings.TrimPrefix(strings.TrimPrefix(plain, "file://"), "@"), "\"'`")
	if there := !p.Caveats.Has("missing") && !p.Caveats.Has("unseen") && p.Space != v1.SpaceUnknown; there &&
		l.noWorse(p, plain) && l.noWorse(p, paths.NamesDarwin.Compose(raw)) && l.meant(p, raw) {
		return
	}
	p.Space = v1.SpaceUnknown
	p.Caveats.Add("ambiguous")
	if full := l.view.Absolute(plain, l.facts.Cwd); full != "" {
		if resolved, err := l.view.Resolve(full); err == nil {
			l.classes.Classify(p, resolved.Real)
		}
		l.classes.Classify(p, path.Clean(full))
	}
}

// meant reports whether nothing is odd about a name but what names do have: an @
// or a $ in front, and marks on letters, as systems that decompose write them. A
// $ may begin a variable, by custom in capitals, that is empty.
func (l *locator) meant(p *v1.Path, raw string) bool {
	var bare strings.Builder
	previous := ' '
	for _, r := range raw {
		if !unicode.Is(unicode.Mn, r) || !unicode.IsLetter(previous) && !unicode.Is(unicode.Mn, previous) {
			bare.WriteRune(r)
		}
		previous = r
	}
	name := strings.TrimPrefix(bare.String(), "@")
	if variable, ok := strings.CutPrefix(name, "$"); ok {
		end := strings.IndexFunc(variable, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if end <= 0 || strings.ToUpper(variable[:end]) == variable[:end] || spelling.Climbing(raw) || !l.noWorse(p, variable[end:]) {
			return false
		}
		name = variable
	}
	return !spelling.Altered(name)
}

// noWorse reports whether another reading of a path lies in the same space and
// is on no list.
func (l *locator) noWorse(p *v1.Path, reading string) bool {
	full := l.view.Absolute(reading, l.facts.Cwd)
	if full == "" {
		return false
	}
	resolved, err := l.view.Resolve(full)
	if err != nil || l.scope.SpaceFor(p.Op, &resolved) != p.Space {
		return false
	}
	other := v1.Path{Op: p.Op}
	l.classes.Classify(&other, resolved.Real)
	l.classes.Classify(&other, path.Clean(full))
	return len(other.Class) == 0
}

// spelled adds a word that only the run can tell, for what it spells: a secret
// named behind a variable is still a secret that is named.
func (l *locator) spelled(t *touched, a *command.Access) {
	if !strings.Contains(a.Text, "/") && !strings.Contains(a.Text, ".") {
		return
	}
	p := v1.Path{Raw: a.Text, Real: a.Text, Op: a.Op, Space: v1.SpaceUnknown, Item: t.item}
	p.Caveats.Add("invisible")
	l.classes.Classify(&p, a.Text)
	l.facts.Paths = append(l.facts.Paths, p)
}

// otherReadings judges a path by what else its argument could name: raw is what
// was resolved, and clear is false where that is only what it spells. A program
// may decode percent signs, and then open another file.
func (l *locator) otherReadings(p *v1.Path, text, raw string, clear bool) {
	p.Raw = text
	decoded := spelling.Unescaped(raw)
	if clear && decoded == raw {
		return
	}
	full := l.view.Absolute(decoded, l.facts.Cwd)
	resolved, err := l.view.Resolve(full)
	if clear && full != "" && err == nil && l.scope.SpaceFor(p.Op, &resolved) == p.Space {
		l.classes.Classify(p, resolved.Real)
		return
	}
	p.Space = v1.SpaceUnknown
	p.Caveats.Add("ambiguous")
	l.classes.Classify(p, l.view.Spelling(decoded))
	if full != "" && err == nil {
		l.classes.Classify(p, resolved.Real)
	}
}

// spelledSecret adds a path where a text spells a secret file or leads to one,
// so that no unknown argument carries one past the rules.
func (l *locator) spelledSecret(text string) {
	l.facts.step()
	if remotely, _ := spelling.Address(text); remotely {
		return // what it names lies on no disk here
	}
	spelled, _, found := spelling.FileURI(text, l.view.Windows)
	if !found {
		spelled = spelling.Unescaped(strings.TrimFunc(text, spelling.Blank))
	}
	spelled = strings.TrimRight(spelled, "/")
	if spelled == "" || len(spelled) > spelling.MaxName || strings.ContainsAny(spelled, "\n\x00") {
		return
	}
	p := v1.Path{Raw: text, Real: spelled, Op: v1.OpRead, Space: v1.SpaceUnknown, Item: 0}
	p.Caveats.Add("invisible")
	l.classes.Classify(&p, "/"+strings.TrimLeft(spelled, "/"))
	if full := l.view.Absolute(spelled, l.facts.Cwd); full != "" && strings.ContainsAny(spelled, "/.") {
		if resolved, err := l.view.Resolve(full); err == nil {
			l.classes.Classify(&p, resolved.Real)
		}
	}
	if len(p.Class) > 0 {
		l.facts.Paths = append(l.facts.Paths, p)
	}
}

// patternName denies a pattern that itself spells a secret: `.env*`, `id_rsa*`.
func (l *locator) patternName(t *touched, text, op string) {
	spelled := strings.TrimRight(value.Unescape(text), "*?")
	if op == v1.OpList || spelled == "" || strings.HasSuffix(spelled, "/") {
		return
	}
	if entry := l.facts.lists.Secrets.File(spelled); entry != "" {
		l.facts.Paths = append(l.facts.Paths, v1.Path{
			Raw: text, Real: spelled, Op: op, Space: v1.SpaceUnknown, Item: t.item,
			Class: v1.Form{{Name: "secret", Kind: entry}},
		})
	}
}

// matched adds a path that only the disk knows, as if the line named it: a match of a
// pattern, or a name that another command finds. One that is only looked at is kept if
// it is on a list, or lies in another space than near, where it was looked for.
func (l *locator) matched(t *touched, item *v1.Item, match, word, op, near string) {
	p := l.touch(t, match, "", op)
	p.Raw = word
	switch space := p.Space; {
	case p.Caveats.Has("error"):
		item.Caveats.Add(disk.ReachesUnknown)
	case op != v1.OpList && (l.classes.SecretFile(match) || slices.ContainsFunc(p.Class, givesAway)):
		item.Caveats.Add(disk.ReachesSecret)
	case space == v1.SpaceOutside && len(p.Links) > 0:
		item.Caveats.Add(disk.ReachesOutside)
	}
	if !changes(op) && len(p.Class) == 0 && p.Space == near && !p.Caveats.Has("ambiguous") {
		l.facts.Paths = l.facts.Paths[:len(l.facts.Paths)-1]
	}
}

// windowsDevice notes a name that is a device wherever it stands. It reports
// whether full is one; NUL alone is no file.
func (l *locator) windowsDevice(t *touched, p *v1.Path, full string) bool {
	spelled := strings.TrimRight(strings.ReplaceAll(full, `\`, "/"), "/")
	name := paths.Base(spelled)
	switch device := paths.WindowsDevice(name); {
	case device == "":
		return false
	case device == "NUL" && l.foreign && p.Op != v1.OpRead && p.Op != v1.OpList:
		return false // what came with the shell makes a file of that name
	case strings.EqualFold(name, "NUL"):
		p.Space = v1.SpaceNone
	default:
		p.Space = v1.SpaceOutside
		p.Caveats.Add("device")
		t.vague = true
	}
	p.Real = spelled
	return true
}

// shellExpanded is a path in which the shell has expanded what it expands.
func shellExpanded(text string) string {
	if strings.HasPrefix(text, "~") {
		return "./" + text
	}
	return text
}

// changes reports whether an operation does more to a file than to look at it.
func changes(op string) bool { return op != v1.OpList && op != v1.OpRead }

// givesAway reports whether a class is one of what no file may be read of.
func givesAway(class v1.Entry) bool {
	return class.Name == "secret" || class.Name == "secret_directory" || class.Name == "own"
}
