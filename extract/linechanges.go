package extract

import (
	"cmp"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
	"policyd/extract/value"
	"policyd/extract/which"
)

// linkUnknown is the caveat of an item that touches what an earlier command of the line may have
// collect a link.
const linkUnknown = "link_unknown"

// Bounds of following names that a line makes.
const (
	maxAliases    = 256
	maxAliasDepth = 8
	maxAliasWalks = 16
)

// lineChanges is what the commands of a line change before others of them read. The zero value is that of no line.
type lineChanges struct {
	view *disk.View
	line []command.Command
	// current is the index of the command whose item is made.
	current int
}

// mayPrecede reports whether another command may begin before the current one has ended: the one at an index, or any
// if that is negative.
func (l *lineChanges) mayPrecede(index int) bool {
	return index < 0 || index != l.current && l.line[index].MayPrecede(&l.line[l.current].Execution)
}

// before reports whether one of the commands that may begin before the current one has ended is so.
func (l *lineChanges) before(so func(other *command.Command) bool) bool {
	for i := range l.line {
		if l.mayPrecede(i) && so(&l.line[i]) {
			return true
		}
	}
	return false
}

// rulesChange reports whether a command could write, move or remove a file of ignore rules before or while the current
// one reads what these leave. No pattern matches a dot in front that it doesn't spell.
func (l *lineChanges) rulesChange() bool {
	changes := func(c *command.Command) bool {
		return l.changesFile(c, func(name string) bool { return strings.HasSuffix(name, "ignore") },
			func(pattern string) bool {
				return strings.HasPrefix(pattern, ".") || strings.ContainsAny(pattern, "{([")
			})
	}
	return changes(&l.line[l.current]) || l.before(changes)
}

// rewrites reports whether another command could write or move a file that chooses which program the current one runs.
// An entry is the name of such a file, and what of its content counts.
func (l *lineChanges) rewrites(entries []string) bool {
	chooses := func(name string) bool {
		return slices.ContainsFunc(entries, func(entry string) bool {
			file, _, _ := strings.Cut(entry, ":")
			file, _, _ = strings.Cut(file, "=")
			file, _, _ = strings.Cut(file, "|")
			return slices.Contains(strings.Split(strings.ToLower(file), "/"), name)
		})
	}
	return l.before(func(other *command.Command) bool {
		return l.changesFile(other, chooses, func(string) bool { return true })
	})
}

// replaces reports whether another command puts a file where the project keeps programs, of the name of a program.
func (l *lineChanges) replaces(program string) bool {
	return l.before(func(other *command.Command) bool {
		return slices.ContainsFunc(other.Accesses, func(a command.Access) bool {
			if a.Op != v1.OpWrite {
				return false
			}
			in := func(source command.Access) bool { return which.MayBecome(a.Text+"/"+path.Base(source.Text), program) }
			return which.MayBecome(a.Text, program) || a.Landing != nil && slices.ContainsFunc(a.Landing.Sources, in)
		})
	})
}

// changesFile reports whether a command could write, move or remove a file of some names, in lower case. A pattern
// could match one if it is so. What a directory holds that is moved, linked or copied could have any name.
func (l *lineChanges) changesFile(c *command.Command, named, matches func(text string) bool) bool {
	could := func(a command.Access) bool {
		name := strings.ToLower(path.Base(a.Text))
		switch a.Naming {
		case command.Unnamed:
			return true
		case command.ByGlob:
			return matches(name)
		case command.ByName, command.ByPathspec:
		}
		return named(name)
	}
	puts := func(a command.Access) bool {
		return a.Landing != nil && slices.ContainsFunc(a.Landing.Sources, func(source command.Access) bool {
			return could(source) || !l.isFile(&source, c) && l.runsBelow(&a, c)
		})
	}
	return l.changes(c) >= command.ChangesTracked || slices.ContainsFunc(c.Accesses, func(a command.Access) bool {
		return changes(a.Op) && a.Op != v1.OpExecute && (could(a) || puts(a))
	})
}

// runsBelow reports whether the current command may run in the place of an access of another one, or below.
func (l *lineChanges) runsBelow(a *command.Access, other *command.Command) bool {
	if !other.Cwd.Single() || a.Naming != command.ByName {
		return true
	}
	place := l.view.Absolute(shellExpanded(a.Text), baseOf(a, other.Cwd.Known[0]))
	current := &l.line[l.current].Cwd
	return place == "" || !current.Complete() || slices.ContainsFunc(current.Known, func(dir string) bool { return paths.Within(dir, path.Clean(place)) })
}

// changes is what a command changes without a word that names it. What lies below a directory, or is to come to lie
// there, isn't named by it.
func (l *lineChanges) changes(c *command.Command) command.Change {
	writes := func(a command.Access) bool { return a.Op == v1.OpWrite && !l.isFile(&a, c) }
	if c.Implied.Changes == command.ChangesNamed && slices.ContainsFunc(c.Accesses, writes) {
		return command.ChangesTracked
	}
	return c.Implied.Changes
}

// isFile reports whether an access of a command names a file that is there.
func (l *lineChanges) isFile(a *command.Access, c *command.Command) bool {
	magic := a.Naming == command.ByPathspec && (strings.HasPrefix(a.Text, ":") || disk.HasMeta(a.Text) || strings.Contains(a.Text, `\`))
	if a.Naming != command.ByName && a.Naming != command.ByPathspec || magic || !c.Cwd.Single() {
		return false
	}
	full := l.view.Absolute(shellExpanded(a.Text), baseOf(a, c.Cwd.Known[0]))
	resolved, err := l.view.Resolve(full)
	return full != "" && err == nil && resolved.Exists && !resolved.Dir
}

// aliasTable holds the names that the line makes.
type aliasTable struct {
	lineChanges
	facts   *builder
	locator *locator
	repos   *scope.Repositories
	placer  *placer
	all     []alias
	// depth is how many names led to the path that is looked at.
	depth int
}

// alias is a name that a command of the line makes: the disk doesn't have it yet.
type alias struct {
	// command is the index of the one that makes it.
	command int
	// at is where it lies, absolute, and to the path that it is another name of. If to is empty, it is not
	// known what lies at the path or below.
	at, to string
	kind   aliasKind
}

// aliasKind is what a command makes.
type aliasKind uint8

const (
	// aliasLink is another name of a file, or a file that may be a link.
	aliasLink aliasKind = iota
	// aliasSymbolic is a symbolic link, which walks of trees don't follow by themselves.
	aliasSymbolic
	// aliasCopy is a copy, so that only links in it lead elsewhere.
	aliasCopy
	// aliasPlace is a directory, no link itself, in which any name may become a link, also one that a directory has now.
	aliasPlace
)

// aliasOf is the kind of name that a landing makes.
func aliasOf(made command.Making) aliasKind {
	switch made {
	case command.HardLinks:
		return aliasLink
	case command.SymbolicLinks:
		return aliasSymbolic
	default:
		return aliasCopy
	}
}

// begin begins with the commands of a line, and collects the names that they make.
func (n *aliasTable) begin(commands []command.Command) {
	n.line = commands
	if len(commands) < 2 || n.view.Windows {
		return
	}
	for i := range commands {
		c := &commands[i]
		n.all = n.unpacked(n.all, i, c)
		for j := range c.Accesses {
			if a := &c.Accesses[j]; a.Landing != nil {
				n.all = n.landings(n.all, i, c, a)
			}
		}
	}
	if len(n.all) > maxAliases {
		n.all = []alias{{command: -1, at: "/", kind: aliasPlace}}
	}
}

// end forgets the line.
func (n *aliasTable) end() { n.all, n.line = nil, nil }

// unpacked adds the places where a command makes files that are not known.
func (n *aliasTable) unpacked(out []alias, index int, c *command.Command) []alias {
	changes := n.changes(c)
	switch {
	case changes < command.ChangesNamed:
		return out
	case !c.Cwd.Complete():
		return append(out, alias{command: index, at: "/", kind: aliasPlace})
	}
	for _, dir := range c.Cwd.Known {
		for _, unnamed := range c.Implied.Unnamed {
			out = append(out, alias{command: index, at: path.Clean(n.view.Absolute(unnamed, dir)), kind: aliasPlace})
		}
		if changes == command.ChangesTracked {
			top := dir
			if !strings.HasSuffix(c.Verb, " clone") {
				top = cmp.Or(n.repos.Toplevel(dir), "/") // other programs' repositories begin anywhere
			}
			out = append(out, alias{command: index, at: path.Clean(top), kind: aliasPlace})
		}
		for i := range c.Accesses {
			if a := &c.Accesses[i]; a.Op == v1.OpWrite && (a.Naming == command.ByName || a.Naming == command.ByPathspec) {
				if full := n.view.Absolute(a.Text, baseOf(a, dir)); full != "" {
					out = append(out, alias{command: index, at: path.Clean(full)})
				}
			}
		}
	}
	return out
}

// baseOf is the directory that an access counts from, in a command that runs in another one.
func baseOf(a *command.Access, cwd string) string {
	if len(a.Dirs) == 1 {
		return a.Dirs[0]
	}
	return cwd
}

// landings adds the names that a command puts at the path of an access.
func (n *aliasTable) landings(out []alias, index int, c *command.Command, a *command.Access) []alias {
	dirs := c.Cwd.Known
	if a.Dirs != nil {
		dirs = a.Dirs
	}
	for _, base := range dirs {
		target := n.view.Absolute(shellExpanded(a.Text), base)
		if target == "" || a.Naming == command.Unnamed || a.Naming == command.ByGlob {
			if a.Landing.Makes != command.Copies {
				out = append(out, alias{command: index, at: path.Clean(base), kind: aliasPlace})
			}
			continue
		}
		target = path.Clean(target)
		for i := range a.Landing.Sources {
			out = n.landing(out, alias{command: index, at: target, kind: aliasOf(a.Landing.Makes)}, &a.Landing.Sources[i], base, a.Landing)
		}
	}
	return out
}

// landing adds the names that one source gets at a path, or in the directory that may be there.
func (n *aliasTable) landing(out []alias, name alias, source *command.Access, base string, what *command.Landing) []alias {
	target := name.at
	l := landing{placer: n.placer, t: &touched{}, item: &v1.Item{}, what: what}
	words := l.named(source, base)
	if len(words) == 0 || l.unknown {
		if name.kind != aliasCopy {
			name.to = ""
			out = append(out, name)
		}
		return out
	}
	for _, word := range words {
		entry, _ := entryName(word, what.Parents)
		for _, at := range []string{target, path.Join(target, entry)} {
			if name.at = at; what.Exact && at != target {
				continue
			}
			if name.to = n.view.Absolute(word, base); name.to != "" && name.to != at {
				out = append(out, name)
			}
			if what.Makes == command.SymbolicLinks && !strings.HasPrefix(word, "/") {
				name.to = paths.Parent(at) + "/" + word // its text counts from where it lies
				out = append(out, name)
			}
		}
	}
	return out
}

// touchTargets touches what a path leads to by the names that the line makes.
func (n *aliasTable) touchTargets(t *touched, full, op string) {
	if len(n.all) == 0 || n.depth > maxAliasDepth {
		return
	}
	n.depth++
	defer func() { n.depth-- }()
	for i := range n.all {
		a := &n.all[i]
		if rest, through := a.rest(full); through && n.mayPrecede(a.command) {
			n.touchTarget(t, a, rest, op)
		}
	}
}

// rest is what a path has behind the name, and whether it leads over it.
func (a *alias) rest(full string) (string, bool) {
	if a.at == "/" {
		return path.Clean(full), true
	}
	for _, spelling := range [...]string{strings.TrimSuffix(full, "/"), path.Clean(full)} {
		if rest, below := strings.CutPrefix(spelling, a.at); below && (rest == "" || rest[0] == '/') {
			return rest, true
		}
	}
	return "", false
}

// targets are the paths that a path leads to by the names that the line makes, and by names of names,
// where a walk of a tree begins: one more than are walked at most. Copies aren't among them, since what they
// hold is read where they are made.
func (n *aliasTable) targets(full string) []string {
	var out []string
	for next := 0; ; next++ {
		for i := range n.all {
			a := &n.all[i]
			rest, through := a.rest(full)
			if !through || a.to == "" || a.kind == aliasCopy || !n.mayPrecede(a.command) {
				continue
			}
			if to := a.to + rest; len(out) <= maxAliasWalks && !slices.Contains(out, to) {
				out = append(out, to)
			}
		}
		if next == len(out) {
			return out
		}
		full = out[next]
	}
}

func (n *aliasTable) touchTarget(t *touched, a *alias, rest, op string) {
	switch {
	case a.kind == aliasPlace && strings.Trim(rest, "/.") == "": // no name below; "..." is what Go calls all packages
	case a.to == "":
		t.linked = true
	case n.facts.touches(t, a.to+rest, op):
	case a.kind == aliasCopy:
		resolved, err := n.view.Resolve(a.to + rest)
		if rest == "" || err == nil && len(resolved.Links) == 0 {
			return
		}
		n.locator.touch(t, a.to+rest, "", op)
	case n.depth == maxAliasDepth:
		t.linked = true
	default:
		n.locator.touch(t, a.to+rest, "", op)
	}
}

// touchDirectory touches what a working directory is another name of. What an archive made there is looked at
// where it is named.
func (n *aliasTable) touchDirectory(t *touched, dir string) {
	linked := t.linked
	n.touchTargets(t, dir, v1.OpList)
	t.linked = linked
}

// touchBelow touches the targets of the names that the line makes below a directory, since a walk of the
// directory meets these names. follow is true if the walk goes through symbolic links.
func (n *aliasTable) touchBelow(t *touched, dir, op string, follow bool) []string {
	var out []string
	for i := range n.all {
		a := &n.all[i]
		switch {
		case !n.mayPrecede(a.command):
		case a.kind == aliasPlace:
			t.linked = t.linked || follow && (paths.Within(a.at, dir) || paths.Within(dir, a.at))
		case a.kind == aliasCopy, a.at == dir, !paths.Within(a.at, dir), a.kind == aliasSymbolic && !follow:
		case a.to == "":
			t.linked = true
		default:
			n.locator.touch(t, a.to, "", op)
			out = append(out, a.at)
		}
	}
	return out
}

// touchMatching touches the targets of the names that the line makes and a pattern matches. It returns
// these names.
func (n *aliasTable) touchMatching(t *touched, text, base, op string) []string {
	if len(n.all) == 0 {
		return nil
	}
	full := n.view.Absolute(text, base)
	if full == "" {
		return nil
	}
	var out []string
	pattern := segments(full)
	for i := range n.all {
		a := &n.all[i]
		at := segments(a.at)
		if !n.mayPrecede(a.command) || a.kind == aliasCopy || len(at) > len(pattern) && !slices.Contains(pattern, "**") || !mayMatch(pattern, at) {
			continue
		}
		rest := strings.Join(pattern[min(len(at), len(pattern)):], "/")
		switch {
		case a.kind == aliasPlace && rest == "":
		case a.to == "", disk.HasMeta(rest):
			t.linked = true
		default:
			rest = strings.TrimSuffix("/"+value.Unescape(rest), "/")
			n.locator.touch(t, a.to+rest, "", op)
			out = append(out, a.at+rest)
		}
	}
	return out
}

// segments are those of an absolute path, none for the root.
func segments(full string) []string {
	return strings.FieldsFunc(path.Clean(full), func(r rune) bool { return r == '/' })
}

// mayMatch reports whether the segments of a pattern may match those of a path.
func mayMatch(pattern, at []string) bool {
	for i, segment := range at {
		if i >= len(pattern) || pattern[i] == "**" {
			return true
		}
		glob, plain := disk.AsMatched(pattern[i])
		if ok, err := disk.Match(glob, segment); plain && err == nil && !ok && value.Unescape(pattern[i]) != segment {
			return false
		}
	}
	return true
}
