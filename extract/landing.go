package extract

import (
	"io/fs"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
	"policyd/extract/value"
)

// landsUnknown is the caveat of an item that puts something into a directory
// under a name that isn't known.
const landsUnknown = "lands_unknown"

// maxLandings bounds how many remarkable paths of one landing are listed.
const maxLandings = 64

// placer notes the paths that come to be where something is put.
type placer struct {
	facts   *builder
	view    *disk.View
	locator *locator
	classes *scope.Classifier
	globs   *disk.Globs
}

// landing follows what is put at a path: into the directory that is there, or
// under the path's own name.
type landing struct {
	placer *placer
	t      *touched
	item   *v1.Item // the command; nil for a file tool, whose paths are items
	what   *command.Landing
	// left bounds the names that are looked at, listed those that are noted.
	left, listed int
	unknown      bool
}

// lands notes the paths that come to be where a command puts its sources. base
// is what they count from.
func (p *placer) lands(t *touched, item *v1.Item, what *command.Landing, target, base string) {
	l := landing{placer: p, t: t, item: item, what: what, left: disk.MaxReached, listed: maxLandings, unknown: what.Vague}
	l.at(target, base)
	if l.unknown {
		item.Caveats.Add(landsUnknown)
	}
}

// copied notes the paths that come to be where a file tool puts its sources.
// Tools differ in whether a directory takes its place in another or is merged
// with it, so both count.
func (p *placer) copied(sources, targets []string) {
	if len(sources) == 0 || len(targets) == 0 {
		return
	}
	what := &command.Landing{Tree: true, Follow: true}
	for _, source := range sources {
		what.Sources = append(what.Sources, command.Access{Text: source, Op: v1.OpList, Naming: command.ByName})
	}
	for _, target := range targets {
		full := p.view.Absolute(target, p.facts.Cwd)
		if full == "" {
			continue
		}
		l := landing{placer: p, t: &touched{}, what: what, left: disk.MaxReached, listed: maxLandings}
		l.at(full, p.facts.Cwd)
		if l.unknown {
			p.facts.Items[len(p.facts.Items)-1].Caveats.Add(landsUnknown)
		}
	}
}

// at looks at every source for one target.
func (l *landing) at(target, base string) {
	resolved, err := l.placer.view.Resolve(target)
	if err != nil || l.placer.view.Hidden(&resolved) {
		return // the target's own path says that it isn't known
	}
	into := l.into(target, &resolved)
	for i := range l.what.Sources {
		for _, source := range l.named(&l.what.Sources[i], base) {
			if into {
				l.source(source, base, resolved.Real)
			} else {
				l.linked(source, resolved.Real)
			}
			if l.what.Tree && (!into || !resolved.Dir || l.item == nil) {
				l.tree(source, base, resolved.Real)
			}
		}
	}
}

// into reports whether what is put at a target may come to be in a directory there. What a line does before may
// make a directory of what is missing.
func (l *landing) into(target string, resolved *paths.Resolved) bool {
	maybe := resolved.Unseen || !resolved.Exists && (len(l.what.Sources) > 1 || strings.HasSuffix(target, "/") || l.t.item > 0)
	return !l.what.Exact && (resolved.Dir || maybe)
}

// named are the words that a source stands for.
func (l *landing) named(a *command.Access, base string) []string {
	switch {
	case a.Naming == command.Unnamed, l.placer.view.Windows && strings.ContainsAny(a.Text, "*?["):
		l.unknown = true
		return nil
	case a.Naming == command.ByGlob:
		found := l.placer.globs.Expand(a.Text, base)
		l.unknown = l.unknown || found.Unknown
		if len(found.Words) == 0 {
			return []string{value.Unescape(a.Text)} // a link may lead to what isn't there
		}
		return found.Words
	case l.item != nil:
		return []string{shellExpanded(a.Text)}
	}
	return []string{a.Text}
}

// source follows one source into a directory.
func (l *landing) source(source, base, dir string) {
	if l.placer.view.Windows {
		source = strings.ReplaceAll(source, `\`, "/")
	}
	name, contents := entryName(source, l.what.Parents)
	remote := l.item != nil && l.item.Caveats.Has("network") && strings.Contains(source, ":")
	if remote || l.what.Parents && strings.Contains(source, "/./") {
		l.unknown = true // what is left of the name is for the other side to say, or begins at a mark
		return
	}
	if name == "" {
		l.tree(source, base, dir)
		return
	}
	full := strings.TrimSuffix(dir, "/") + "/" + name
	l.landed(source, full, true)
	l.linked(source, full)
	if l.what.Tree {
		l.tree(source, base, full)
		if contents {
			l.tree(source, base, dir) // programs differ about a slash at the end
		}
	}
}

// linked notes what a relative link leads to: its text counts from where it lies.
func (l *landing) linked(source, full string) {
	if l.what.Makes == command.SymbolicLinks && !strings.HasPrefix(source, "/") {
		l.placer.locator.touch(l.t, source, paths.Parent(full), v1.OpList)
	}
}

// entryName is the name that a source gets in a directory, "" when only what
// lies below it lands there. contents is true when that may be so.
func entryName(source string, parents bool) (name string, contents bool) {
	contents = strings.HasSuffix(source, "/")
	trimmed := strings.TrimRight(source, "/")
	if parents {
		return strings.TrimLeft(trimmed, "/"), contents
	}
	name = paths.Base(trimmed)
	if name == "." || name == ".." {
		return "", true
	}
	return name, contents
}

// tree follows what lies below a source to where it lands.
func (l *landing) tree(source, base, dir string) {
	full := l.placer.view.Absolute(source, base)
	resolved, err := l.placer.view.Resolve(full)
	switch {
	case full == "", err != nil, resolved.Unseen, resolved.ViaProc, l.placer.view.Resolver.Map.Crosses(resolved.Real):
		l.unknown = true
	case !resolved.Exists:
		l.unknown = l.unknown || !l.made(resolved.Real)
	case resolved.Dir:
		l.unknown = l.unknown || l.filled(resolved.Real)
		l.walk(resolved.Real, dir, l.placer.view.Exists(dir))
	}
}

// made reports whether an earlier command of the line writes exactly this path,
// as a file.
func (l *landing) made(real string) bool {
	return slices.ContainsFunc(l.placer.facts.Paths, func(p v1.Path) bool {
		return p.Item < l.t.item && p.Op == v1.OpWrite && p.Real == real
	}) && !l.filled(real)
}

// filled reports whether an earlier command of the line puts something below a
// directory, which then holds more than can be seen.
func (l *landing) filled(real string) bool {
	return slices.ContainsFunc(l.placer.facts.Paths, func(p v1.Path) bool {
		return p.Item < l.t.item && p.Op == v1.OpWrite && p.Real != real && paths.Within(p.Real, real)
	})
}

// walk follows a directory to the one that it becomes or is merged with.
func (l *landing) walk(from, to string, merged bool) {
	entries, err := l.placer.view.ReadDir(from)
	if err != nil {
		l.unknown = true
		return
	}
	for _, entry := range entries {
		if l.left--; l.left < 0 {
			l.unknown = true
			return
		}
		name := entry.Name()
		full := strings.TrimSuffix(to, "/") + "/" + name
		there := merged && l.placer.view.Exists(full)
		if (there || l.remarkable(full)) && l.landed(name, full, false) {
			continue
		}
		switch {
		case entry.IsDir():
			l.walk(from+"/"+name, full, there)
		case entry.Type()&fs.ModeSymlink != 0 && l.what.Follow:
			resolved, err := l.placer.view.Resolve(from + "/" + name)
			l.unknown = l.unknown || err != nil || resolved.Dir
		}
	}
}

// remarkable reports whether a name is on a list by itself.
func (l *landing) remarkable(full string) bool {
	p := v1.Path{Op: v1.OpWrite}
	l.placer.classes.Classify(&p, full)
	return len(p.Class) > 0
}

// landed notes one path that is written, unless it is an ordinary one that
// nobody named. It reports whether what lies below needs no look: the path asks
// by itself.
func (l *landing) landed(raw, full string, named bool) bool {
	t := l.t
	if l.item == nil {
		t = &touched{item: len(l.placer.facts.Items)}
	}
	p := l.placer.locator.touch(t, full, "", v1.OpWrite)
	index := len(l.placer.facts.Paths) - 1
	plain := len(p.Class) == 0 && len(p.Links) == 0 && !p.Caveats.Has("hard_link") && !p.Caveats.Has("special") &&
		!p.Caveats.Has("error")
	_, always := p.Class.Get("protected_always")
	if plain && !named {
		l.placer.facts.Paths = l.placer.facts.Paths[:index]
		return false
	}
	if l.listed--; l.listed < 0 {
		l.placer.facts.Paths = l.placer.facts.Paths[:index]
		l.unknown = true
		return true
	}
	p.Raw = raw
	if l.item == nil {
		l.placer.facts.pathItem(index)
	}
	return always
}
