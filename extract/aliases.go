package extract

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
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

// aliasTable holds the names that the line makes.
type aliasTable struct {
	facts   *builder
	view    *disk.View
	locator *locator
	repos   *scope.Repositories
	placer  *placer
	all     []alias
	// current is the command whose paths are looked at, depth how many names led to the one that is.
	current, depth int
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
	// aliasPlace is a directory, no link itself, in which any name may be a link that isn't there yet.
	aliasPlace
	// aliasWorkTree is a place in which git may put links where directories are.
	aliasWorkTree
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

// collect returns the names that the commands of a line make. Loops, functions and the background run commands in
// another order than the line has them, so every name counts for every other command.
func (n *aliasTable) collect(commands []command.Command) []alias {
	if len(commands) < 2 || n.view.Windows {
		return nil
	}
	var out []alias
	for i := range commands {
		c := &commands[i]
		if c.Implied.Unpacks {
			out = n.unpacked(out, i, c)
		}
		for j := range c.Accesses {
			if a := &c.Accesses[j]; a.Landing != nil {
				out = n.landings(out, i, c, a)
			}
		}
	}
	if len(out) > maxAliases {
		return []alias{{command: -1, at: "/", kind: aliasPlace}}
	}
	return out
}

// unpacked adds the places where a command makes files that are not known.
func (n *aliasTable) unpacked(out []alias, index int, c *command.Command) []alias {
	if !c.Cwd.Complete() {
		return append(out, alias{command: index, at: "/", kind: aliasPlace})
	}
	for _, dir := range c.Cwd.Known {
		kind := aliasPlace
		if c.Implied.Tracked && !strings.HasSuffix(c.Verb, " clone") {
			if top := n.repos.Toplevel(dir); top != "" {
				dir, kind = top, aliasWorkTree
			}
		}
		out = append(out, alias{command: index, at: path.Clean(dir), kind: kind})
		for i := range c.Accesses {
			if a := &c.Accesses[i]; a.Op == v1.OpWrite && (a.Naming == command.ByName || a.Naming == command.ByPathspec) {
				if full := n.view.Absolute(a.Text, dir); full != "" {
					out = append(out, alias{command: index, at: path.Clean(full)})
				}
			}
		}
	}
	return out
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
		if rest, through := a.rest(full); through && a.command != n.current {
			n.touchTarget(t, a, full, rest, op)
		}
	}
}

// place reports whether the name is a directory, of which any name below may be a link.
func (a *alias) place() bool { return a.kind == aliasPlace || a.kind == aliasWorkTree }

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
			if !through || a.to == "" || a.kind == aliasCopy || a.command == n.current {
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

func (n *aliasTable) touchTarget(t *touched, a *alias, full, rest, op string) {
	switch {
	case a.place() && (rest == "" || rest == "/"):
	case a.to == "":
		t.linked = t.linked || n.mayBeLink(a, strings.TrimSuffix(full, "/...")) // what Go calls all packages below
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

// mayBeLink reports whether a path may lead over a link that is made below the name.
func (n *aliasTable) mayBeLink(a *alias, full string) bool {
	if a.kind == aliasWorkTree && path.Clean(full) != a.at {
		return true
	}
	resolved, err := n.view.Resolve(full)
	return err != nil || !resolved.Dir
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
		case a.command == n.current:
		case a.place():
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
	pattern := strings.Split(strings.Trim(path.Clean(full), "/"), "/")
	for i := range n.all {
		a := &n.all[i]
		at := strings.Split(strings.Trim(a.at, "/"), "/")
		if a.command == n.current || a.kind == aliasCopy || a.place() || len(at) > len(pattern) && !slices.Contains(pattern, "**") || !mayMatch(pattern, at) {
			continue
		}
		rest := strings.Join(pattern[min(len(at), len(pattern)):], "/")
		switch {
		case a.to == "", disk.HasMeta(rest):
			t.linked = true
		default:
			rest = strings.TrimSuffix("/"+disk.Unquote(rest), "/")
			n.locator.touch(t, a.to+rest, "", op)
			out = append(out, a.at+rest)
		}
	}
	return out
}

// mayMatch reports whether the segments of a pattern may match those of a path.
func mayMatch(pattern, at []string) bool {
	for i, segment := range at {
		if i >= len(pattern) || pattern[i] == "**" {
			return true
		}
		glob, plain := disk.AsMatched(pattern[i])
		if ok, err := disk.Match(glob, segment); plain && err == nil && !ok && disk.Unquote(pattern[i]) != segment {
			return false
		}
	}
	return true
}
