package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/disk"
	"policyd/extract/gitreach"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
	"policyd/extract/shell/memo"
	"policyd/extract/value"
)

// accesses adds what the accesses of a command reach.
type accesses struct {
	facts   *builder
	view    *disk.View
	lines   *memo.Memo
	scope   *scope.Scope
	classes *scope.Classifier
	locator *locator
	aliases *aliasTable
	placer  *placer
	globs   *disk.Globs
	trees   *disk.Walker
	tracked *gitreach.Tracked
	repos   *scope.Repositories
}

// access adds one path of a command, in every directory that it may run in.
func (s *accesses) access(t *touched, item *v1.Item, c *command.Command, a *command.Access) {
	if a.Naming == command.Unnamed {
		t.vague = true
		t.add(a.Op, v1.SpaceUnknown)
		s.locator.spelled(t, a)
		return
	}
	bases := c.Cwd.Known
	if a.Dirs != nil {
		bases = a.Dirs
	}
	if len(bases) == 0 || c.Cwd.Others {
		bases = append(slices.Clip(bases), "")
	}
	for _, base := range bases {
		s.accessFrom(t, item, a, base)
		if strings.HasPrefix(a.Text, "/") {
			break
		}
	}
}

func (s *accesses) accessFrom(t *touched, item *v1.Item, a *command.Access, base string) {
	switch {
	case a.Reading == value.AsAnything && a.Naming != command.ByGlob:
		s.anyReading(t, item, a, base)
	case s.view.Windows:
		s.windowsAccess(t, item, a, base)
	case a.Naming == command.ByPathspec:
		s.belowAll(t, item, s.aliases.touchMatching(t, a.Text, base, a.Op), a, base)
		s.locator.patternName(t, a.Text, a.Op)
	case a.Naming == command.ByGlob:
		s.belowAll(t, item, s.aliases.touchMatching(t, a.Text, base, a.Op), a, base)
		for _, match := range s.globbed(t, item, a, base) {
			if resolved, err := s.view.Resolve(match); err == nil && resolved.Dir {
				s.below(t, item, resolved.Real, a, base)
			}
			s.puts(t, item, a, match, base)
		}
	case !s.absent(a, base):
		s.literal(t, item, a, base)
	}
}

// absent reports whether a word that only counts if it names a path names none.
func (s *accesses) absent(a *command.Access, base string) bool {
	switch a.Presence {
	case command.IfPathLike:
		return !s.couldBePath(a.Text, base)
	case command.IfExists:
		return !s.view.Exists(s.view.Absolute(a.Text, base))
	default:
		return false
	}
}

// literal adds a path that a word names as it stands.
func (s *accesses) literal(t *touched, item *v1.Item, a *command.Access, base string) {
	text := shellExpanded(a.Text)
	p := s.locator.touch(t, text, base, a.Op)
	if a.Below.NamesRefs() && !s.repos.PlainRefs(p.Real, a.Below == command.TagRefs) {
		item.Caveats.Add(disk.ReachesUnknown)
	}
	if a.FromStream {
		if answer := s.trees.Handed(a.Text, base, &a.Names); answer != disk.ReachesNone {
			item.Caveats.Add(answer)
		}
	}
	switch {
	case !p.Caveats.Has("directory"):
	case a.Op == v1.OpWrite && a.Below == command.Tree && a.Landing == nil && !a.FromStream:
		s.classes.ClassifyBelow(p, p.Real)
	default:
		s.below(t, item, p.Real, a, base)
	}
	full := s.view.Absolute(text, base)
	s.belowAll(t, item, []string{full}, a, base)
	s.puts(t, item, a, full, base)
}

// unpacked adds what a command writes whose names are not known: all that the paths hold which it writes, the first of
// them at an index, and what the directories hold where it unpacks to without a word for it.
func (s *accesses) unpacked(t *touched, c *command.Command, first int) {
	if c.Implied.Changes != command.ChangesTree {
		return
	}
	for i := first; i < len(s.facts.Paths); i++ {
		if p := &s.facts.Paths[i]; p.Op == v1.OpWrite && p.Item == t.item {
			s.classes.ClassifyUnpacked(p, p.Real)
		}
	}
	if len(c.Implied.Unnamed) > 0 && !c.Cwd.Complete() {
		t.add(v1.OpWrite, v1.SpaceUnknown)
	}
	for _, base := range c.Cwd.Known {
		for _, dir := range c.Implied.Unnamed {
			p := s.locator.touch(t, dir, base, v1.OpWrite)
			s.classes.ClassifyUnpacked(p, p.Real)
		}
	}
}

// belowAll does what below does for the directories that some paths lead to by the names that the line
// makes. What a walk there comes to by such names again isn't known.
func (s *accesses) belowAll(t *touched, item *v1.Item, paths []string, a *command.Access, base string) {
	if len(s.aliases.all) == 0 || a.Below != command.Tree {
		return
	}
	var targets []string
	for _, path := range paths {
		targets = append(targets, s.aliases.targets(path)...)
	}
	switch {
	case len(targets) == 0:
		return
	case s.aliases.depth > 0 || len(targets) > maxAliasWalks:
		t.linked = true
		return
	}
	s.aliases.depth++
	defer func() { s.aliases.depth-- }()
	for _, target := range targets {
		if resolved, err := s.view.Resolve(target); err == nil && resolved.Dir {
			s.below(t, item, resolved.Real, a, base)
		}
	}
}

// below adds the caveats for what a command does with a directory that it is given.
func (s *accesses) below(t *touched, item *v1.Item, dir string, a *command.Access, base string) {
	if a.Below == command.Module {
		item.Caveats.Add(disk.ReachesUnknown)
	}
	if answer := s.trees.IgnoreFilesAbove(dir, a.IgnoreFiles); answer != disk.ReachesNone {
		item.Caveats.Add(answer)
	}
	if a.Below == command.Tree || len(a.IgnoreFiles) > 0 {
		s.walk(t, item, dir, a, base)
	}
}

// puts notes what a command puts at the path of an access.
func (s *accesses) puts(t *touched, item *v1.Item, a *command.Access, target, base string) {
	switch {
	case a.Landing == nil || target == "":
	case a.FromStream:
		item.Caveats.Add(landsUnknown) // names that another command finds
	default:
		s.placer.lands(t, item, a.Landing, target, base)
	}
}

// walk adds the caveat for what reading a whole tree reaches.
func (s *accesses) walk(t *touched, item *v1.Item, root string, a *command.Access, base string) {
	s.belowAll(t, item, s.aliases.touchBelow(t, root, a.Op, a.FromStream || a.Follow), a, base)
	var found disk.Found
	if a.FromStream && changes(a.Op) {
		found = s.foundNames(t, item, a.Op, root)
	}
	tree := disk.Tree{Root: root, Named: a.Text, Base: base, Walk: a.Walk, Names: a.Names, Listing: a.Op == v1.OpList}
	if a.Across {
		tree.Spelled = spelledRoot(a, root)
	}
	s.classes.Reach(item, func() string {
		if s.classes.Sought != nil {
			found = nil // the first look has them
		}
		if a.Tracked != nil {
			if answer, known := s.tracked.TrackedNames(root, a, base, found); known && (answer != disk.ReachesNone || !a.Untracked) {
				return answer
			}
		}
		return s.trees.Reach(tree, found)
	})
}

// couldBePath reports whether a word of an unknown role has to count as a path.
func (s *accesses) couldBePath(text, base string) bool {
	if strings.ContainsAny(text, "/") || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "~") {
		return !strings.Contains(text, "://")
	}
	if s.classes.Listed(text) {
		return true
	}
	full := s.view.Absolute(text, base)
	return full != "" && (s.view.Exists(full) || len(s.aliases.targets(full)) > 0)
}

// globbed adds what a pattern reaches to an item: every match is looked at,
// and the caveat names the gravest.
func (s *accesses) globbed(t *touched, item *v1.Item, a *command.Access, base string) []string {
	text, op := a.Text, a.Op
	found := s.globs.ExpandAs(text, base, a.Named && !a.FromStream && op == v1.OpList)
	none := !found.Unknown && len(found.Matches) == 0
	if a.Matches == command.NoMatch && !none || a.Matches == command.SingleMatch && len(found.Matches) > 1 {
		item.Caveats.Add("dynamic_option")
	}
	if a.Matches == command.NoMatch || a.Presence == command.IfExists && none {
		return nil
	}
	if found.Unknown {
		item.Caveats.Add(disk.ReachesUnknown)
	}
	s.cutNames(item, a, &found)
	// The directory whose names the pattern lists, or the pattern itself
	// where nothing matches, is touched as well.
	literal := text[:disk.MetaIndex(text)]
	literal = literal[:strings.LastIndexByte(literal, '/')+1]
	near := s.locator.touch(t, value.Unescape(literal), base, v1.OpList).Space
	if changes(op) && !found.Sure(text) {
		s.locator.touch(t, shellExpanded(value.Unescape(text)), base, op) // what is made is called like the pattern
	}
	for i, match := range found.Matches {
		s.matchedWord(item, a, match, found.Words[i], base)
		s.locator.matched(t, item, match, found.Words[i], op, near)
	}
	s.locator.patternName(t, text, op)
	return found.Matches
}

// cutNames judges the names that a pattern matches where the shell cuts them once more.
func (s *accesses) cutNames(item *v1.Item, a *command.Access, found *disk.Expansion) {
	if !a.Split {
		return
	}
	cut := func(word string) bool {
		return strings.ContainsAny(word, " \t\n*?[\\") || value.HasGroup(word) || a.Braces && strings.Contains(word, "{")
	}
	// Without a match the pattern itself is handed on, and split: as long as that leaves one
	// word, nothing has its name.
	if len(found.Matches) == 0 && (a.Inner || cut(strings.NewReplacer("*", "", "?", "").Replace(a.Text))) || slices.ContainsFunc(found.Words, cut) {
		item.Caveats.Add("dynamic_word")
	}
}

// matchedWord judges the word that a match of a pattern becomes, and those that it is cut into if another command
// is given it.
func (s *accesses) matchedWord(item *v1.Item, a *command.Access, match, word, base string) {
	if strings.HasPrefix(word, "-") && !a.Rooted || strings.HasPrefix(word, ":") && strings.HasPrefix(item.Verb, "git ") {
		item.Caveats.Add("dynamic_option") // git reads magic behind a colon
	}
	if a.Reading.Misread(word) {
		item.Caveats.Add(disk.ReachesUnknown)
	}
	if !a.FromStream {
		return
	}
	if answer := s.trees.Handed(word, base, &a.Names); answer != disk.ReachesNone {
		item.Caveats.Add(answer)
	}
	if info, err := s.view.Stat(match); (a.FilesOnly || a.Below == command.Module) && (err != nil || info.IsDir()) {
		item.Caveats.Add(disk.ReachesUnknown)
	}
}

// foundNames adds the names below a directory that another command finds, with the
// operation that is done to each.
func (s *accesses) foundNames(t *touched, item *v1.Item, op, root string) disk.Found {
	left, near := disk.MaxMatches, s.scope.Space(root)
	return func(named, full string) bool {
		if left--; left < 0 {
			return false
		}
		s.locator.matched(t, item, full, named, op, near)
		return true
	}
}

// anyReading adds every path that a word of an unknown role may hold. A word with more marks
// than are looked at, or with prose that mentions a restricted path, makes it unknown what the
// command touches.
func (s *accesses) anyReading(t *touched, item *v1.Item, a *command.Access, base string) {
	readings, known := s.lines.Operands().PathReadings(a.Text)
	for i := range readings {
		text := readings[i].Text
		switch {
		case !s.counts(&readings[i], base):
		case readings[i].Certainty == argv.IfMentioned:
			known = known && !s.restricted(t, text, a.Op, base)
		default:
			s.reading(t, item, a, text, base)
		}
	}
	if !known {
		item.Caveats.Add("opaque_word")
	}
}

// counts reports whether a part of a word has to count as a path.
func (s *accesses) counts(reading *argv.PathReading, base string) bool {
	text := reading.Text
	if s.view.Windows {
		return s.classes.WindowsCouldBePath(text)
	}
	if reading.Certainty != argv.IfThere {
		return s.couldBePath(text, base)
	}
	if s.classes.Listed(text) {
		return true
	}
	first := text
	if slash := strings.IndexByte(text[1:], '/'); slash >= 0 {
		first = text[:slash+1]
	}
	full := s.view.Absolute(first, base)
	return full != "" && (s.view.Exists(full) || len(s.aliases.targets(full)) > 0)
}

// reading adds one path, and what a directory holds.
func (s *accesses) reading(t *touched, item *v1.Item, a *command.Access, text, base string) {
	one := *a
	one.Text = text
	if s.view.Windows {
		one.Reading, one.Presence = value.AsPath, command.Always
		s.windowsAccess(t, item, &one, base)
		return
	}
	p := s.locator.touch(t, text, base, a.Op)
	if p.Caveats.Has("directory") {
		s.below(t, item, p.Real, &one, base)
	}
	s.belowAll(t, item, []string{s.view.Absolute(text, base)}, &one, base)
}

// restricted reports whether a path leads out, to what is on a list, or to a directory above such. It leaves no facts.
func (s *accesses) restricted(t *touched, text, op, base string) bool {
	index := len(s.facts.Paths)
	scratch := touched{item: t.item}
	p := s.locator.touch(&scratch, text, base, op)
	restricted := len(p.Class) > 0 || !scope.IsOwn(p.Space) && p.Space != v1.SpaceNone
	if !restricted && p.Caveats.Has("directory") {
		restricted = s.trees.Reach(disk.Tree{Root: p.Real}, nil) != disk.ReachesNone
	}
	s.facts.Paths = s.facts.Paths[:index]
	return restricted
}

// windowsAccess adds one path of a command of a session on Windows. Patterns
// reach the program there, whichever shell runs it.
func (s *accesses) windowsAccess(t *touched, item *v1.Item, a *command.Access, base string) {
	if a.Presence == command.IfPathLike && !s.classes.WindowsCouldBePath(a.Text) {
		return
	}
	if (a.Naming == command.ByGlob || strings.ContainsAny(a.Text, "*?[")) && !strings.Contains(a.Text, "`") {
		s.windowsGlob(t, item, a, base)
		return
	}
	p := s.locator.touch(t, a.Text, base, a.Op)
	defer s.puts(t, item, a, s.view.Absolute(a.Text, base), base)
	if a.Below != command.Tree || p.Space == v1.SpaceUnknown {
		return
	}
	if p.Caveats.Has("unseen") {
		if !paths.PlainText(p.Real) && !s.classes.Harmless(a.Include) {
			item.Caveats.Add(disk.ReachesUnknown)
		}
		return
	}
	if p.Caveats.Has("directory") && !s.classes.Harmless(a.Include) {
		// Filters there fold case, which the walk does not: it takes none.
		tree := disk.Tree{Root: p.Real, Walk: value.Walk{Follow: a.Follow}, Names: value.Names{FromStream: a.FromStream}}
		s.classes.Reach(item, func() string { return s.trees.Reach(tree, nil) })
	}
}

// windowsGlob adds a pattern. What it matches is not looked up: it matches no
// secret when no name on the lists fits it.
func (s *accesses) windowsGlob(t *touched, item *v1.Item, a *command.Access, base string) {
	text := strings.ReplaceAll(a.Text, `\`, "/")
	dir, name := "", text
	if slash := strings.LastIndexByte(text, '/'); slash >= 0 {
		dir, name = text[:slash+1], text[slash+1:]
	}
	if strings.ContainsAny(dir, "*?[") {
		item.Caveats.Add(disk.ReachesUnknown)
		s.locator.patternName(t, text, a.Op)
		dir = dir[:strings.LastIndexByte(dir[:strings.IndexAny(dir, "*?[")], '/')+1]
	}
	p := s.locator.touch(t, dir, base, v1.OpList)
	space := p.Space
	t.add(a.Op, space)
	if a.Op == v1.OpList {
		return
	}
	s.locator.patternName(t, text, a.Op)
	if a.Op != v1.OpRead || !s.classes.Harmless([]string{name}) {
		item.Caveats.Add(disk.ReachesUnknown)
	}
}
