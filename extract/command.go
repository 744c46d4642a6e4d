package extract

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/paths"
	"policyd/extract/shell"
	"policyd/extract/stat"
	"policyd/extract/windows"
)

// commandLine makes the items of one command line.
func (e *extraction) commandLine(line string) {
	e.line = true
	parsed := e.parse(line)
	e.crossed = parsed.Crossed
	if len(parsed.Messy) > 0 {
		e.facts.Messy = true
		for _, code := range parsed.Messy {
			e.facts.Doubts = appendNew(e.facts.Doubts, code)
		}
	}
	e.aliases = e.aliasesOf(parsed.Commands)
	for i := range parsed.Commands {
		e.commandIndex = i
		index := e.command(&parsed.Commands[i], line)
		e.exclude(index, &parsed.Commands[i], line)
	}
	e.aliases = nil
	if e.facts.Messy && len(e.facts.Items) == 0 {
		// Something runs, and nothing of it could be named.
		e.facts.Items = append(e.facts.Items, v1.Item{Kind: v1.ItemCommand, Path: -1, Directory: e.facts.Cwd})
	}
}

// parse reads a command line as the session's shell does.
func (e *extraction) parse(line string) *shell.Line {
	options := e.work.asks
	options.Shell, options.Platform = e.call.Session.Shell, e.facts.Session.Platform
	options.Home, options.Cwd = e.home, e.facts.Cwd
	if e.facts.Session.Platform == "windows" && options.Shell == "" {
		options.Shell = "cmd"
	}
	e.foreign = e.windows && !windows.Is(options.Shell)
	return e.x.lines.Parse(line, &options)
}

// Describe returns what is known of a command line of a session before its paths are resolved.
// Facts are made of it; it is for people who look for the reason of a decision.
func (x *Extractor) Describe(session *v1.Session, cwd, line string) shell.Description {
	e := x.begin(&v1.Call{Cwd: cwd, Session: *session})
	defer e.end()
	e.session()
	e.surroundings(nil)
	return e.parse(line).Describe()
}

// plain reports whether no segment of dir is a symbolic link.
func (e *extraction) plain(dir string) bool {
	resolved, err := e.resolve(dir)
	return err == nil && len(resolved.Links) == 0 && !e.hidden(&resolved)
}

// command makes the item of one simple command, and one for every path
// outside that it touches (V1). It returns the index of the first.
func (e *extraction) command(c *shell.Command, line string) (index int) {
	e.step()
	index = len(e.facts.Items)
	item, t := &e.work.item, &e.work.touched
	*item = v1.Item{
		Kind: v1.ItemCommand, Verb: c.Verb, Form: e.room.form(c.Form), Path: -1,
	}
	e.facts.Items = append(e.facts.Items, *item)
	item.Caveats = append(e.work.caveats[:0], c.Caveats...)
	item.Risks = slices.Clip(c.Risks)
	*t = touched{item: index, set: e.work.touches[:0], reals: e.work.reals[:0], links: e.work.links[:0]}
	e.workingDirectories(t, item, c)
	inReals, inLinks := len(t.reals), len(t.links)
	first := len(e.facts.Paths)
	for i := range c.Accesses {
		e.access(t, item, c, &c.Accesses[i])
	}
	for i := range c.Held {
		e.access(t, item, c, &c.Held[i])
	}
	e.patched(t, item, c, line)
	directory, named := e.effective(c)
	if named && c.WorksIn != argv.WorksInCwd {
		t.reals, t.links = t.reals[inReals:], t.links[inLinks:] // the paths say where it works
	}
	item.Within = e.within(t, directory)
	item.Directory = e.widened(directory, item.Within)
	if paths.Depth(item.Directory) < 2 {
		item.Caveats.Add("shallow")
	}
	if item.Directory != "" && (t.abroad || t.set.Has(v1.OpList+"."+v1.SpaceOutside)) && e.sensitiveRoot(item.Directory) {
		item.Caveats.Add("sensitive_directory")
	}
	e.aboutCommand(item, c, line)
	if t.unseen {
		item.Caveats.Add("unseen")
	}
	if t.linked {
		item.Caveats.Add(linkUnknown)
	}
	if t.special {
		item.Caveats.Add("special")
	}
	if t.secret {
		item.Caveats.Add(reachesSecret)
	}
	item.Touches, item.Caveats = e.room.set(t.set...), e.room.set(item.Caveats...)
	item.Risks, item.Values = e.room.set(item.Risks...), c.Values.Clone()
	e.facts.Items[index] = *item
	e.outside(first, index)
	return index
}

// workingDirectories adds every directory that the command may run in. A
// directory alone is listed, not read: what is read there is an access.
func (e *extraction) workingDirectories(t *touched, item *v1.Item, c *shell.Command) {
	switch c.Verb {
	case "cd", "pushd", "popd", ":", "echo", "printf", "true", "false", "((", "let":
		return // they touch nothing but what they are given; cd carries its effect to what follows
	}
	list := func(space string) {
		t.abroad = t.abroad || space == v1.SpaceOutside
		if c.WorksIn != argv.UsesPaths {
			t.add(v1.OpList, space)
		}
	}
	if c.Unknown || len(c.Dirs) == 0 {
		item.Caveats.Add("cwd_unknown")
		list(v1.SpaceUnknown)
		t.vague = true
	}
	for _, dir := range c.Dirs {
		resolved, err := e.resolve(dir)
		if err != nil || e.hidden(&resolved) {
			item.Caveats.Add("cwd_unknown")
			list(v1.SpaceUnknown)
			t.vague = true
			continue
		}
		e.enters(t, dir)
		t.unseen = t.unseen || resolved.Unseen
		list(e.spaceOf(&resolved))
		t.reals = append(t.reals, resolved.Real)
		t.links = append(t.links, resolved.Links...)
	}
}

// access adds one path of a command, in every directory that it may run in.
func (e *extraction) access(t *touched, item *v1.Item, c *shell.Command, a *shell.Access) {
	if a.Dynamic {
		t.vague = true
		t.add(a.Op, v1.SpaceUnknown)
		e.spelled(t, a)
		return
	}
	bases := c.Dirs
	if a.Dirs != nil {
		bases = a.Dirs
	}
	if len(bases) == 0 || c.Unknown {
		bases = append(slices.Clip(bases), "")
	}
	for _, base := range bases {
		e.accessFrom(t, item, a, base)
		if strings.HasPrefix(a.Text, "/") {
			break
		}
	}
}

func (e *extraction) accessFrom(t *touched, item *v1.Item, a *shell.Access, base string) {
	switch {
	case a.Reading == shell.AsAnything && !a.Glob:
		e.anyReading(t, item, a, base)
		return
	case e.windows:
		e.windowsAccess(t, item, a, base)
		return
	case a.Glob, a.Spelled:
		e.belowAll(t, item, e.aliasesMatching(t, a.Text, base, a.Op), a, base)
		for _, match := range e.globbed(t, item, a, base) {
			if resolved, err := e.resolve(match); err == nil && resolved.Dir {
				e.below(t, item, resolved.Real, a, base)
			}
			e.puts(t, item, a, match, base)
		}
		return
	case a.Maybe && !e.couldBePath(a.Text, base), a.IfExists && !e.exists(e.absolute(a.Text, base)):
		return
	}
	text := shellExpanded(a.Text)
	p := e.touch(t, text, base, a.Op)
	if a.Refs && !e.plainRefs(p.Real, a.Said) {
		item.Caveats.Add(reachesUnknown)
	}
	if a.Fed {
		f := handingOf(a)
		if answer := e.handed(a.Text, base, &f); answer != reachesNone {
			item.Caveats.Add(answer)
		}
	}
	if p.Caveats.Has("directory") {
		e.below(t, item, p.Real, a, base)
	}
	full := e.absolute(text, base)
	e.belowAll(t, item, []string{full}, a, base)
	e.puts(t, item, a, full, base)
}

// belowAll does what below does for the directories that some paths lead to by the names that the line
// makes. What a walk there comes to by such names again isn't known.
func (e *extraction) belowAll(t *touched, item *v1.Item, paths []string, a *shell.Access, base string) {
	if len(e.aliases) == 0 || !a.Tree {
		return
	}
	var targets []string
	for _, path := range paths {
		targets = append(targets, e.aliasTargets(path)...)
	}
	switch {
	case len(targets) == 0:
		return
	case e.aliasDepth > 0 || len(targets) > maxAliasWalks:
		t.linked = true
		return
	}
	e.aliasDepth++
	defer func() { e.aliasDepth-- }()
	for _, target := range targets {
		if resolved, err := e.resolve(target); err == nil && resolved.Dir {
			e.below(t, item, resolved.Real, a, base)
		}
	}
}

// below adds the caveats for what a command does with a directory that it is given.
func (e *extraction) below(t *touched, item *v1.Item, dir string, a *shell.Access, base string) {
	if a.Module {
		item.Caveats.Add(reachesUnknown)
	}
	if answer := e.ignoreFilesAbove(dir, a.IgnoreFiles); answer != reachesNone {
		item.Caveats.Add(answer)
	}
	if a.Tree || len(a.IgnoreFiles) > 0 {
		e.walk(t, item, dir, a, base)
	}
}

// puts notes what a command puts at the path of an access.
func (e *extraction) puts(t *touched, item *v1.Item, a *shell.Access, target, base string) {
	switch {
	case a.Landing == nil || target == "":
	case a.Fed:
		item.Caveats.Add(landsUnknown) // names that another command finds
	default:
		e.lands(t, item, a.Landing, target, base)
	}
}

// walk adds the caveat for what reading a whole tree reaches.
func (e *extraction) walk(t *touched, item *v1.Item, root string, a *shell.Access, base string) {
	e.belowAll(t, item, e.aliasesBelow(t, root, a.Op, a.Fed || a.Follow), a, base)
	f := handingOf(a)
	var found foundName
	if a.Fed && changes(a.Op) {
		found = e.foundNames(t, item, a.Op, root)
	}
	f.include, f.exclude, f.excludeDir, f.skipHidden, f.follow, f.fed = a.Include, a.Exclude, a.ExcludeDir, a.SkipHidden, a.Follow, a.Fed
	f.namedLinks = a.NamedLinks
	e.unhide(&f, a.Types)
	f.ignoring, f.ignoreFiles, f.names = a.Ignoring, a.IgnoreFiles, a.Op == v1.OpList
	f.untracked, f.quoted = a.Untracked, a.Quoted
	if f.across = a.Across; f.across {
		f.spelled = spelledRoot(a, root)
	}
	e.reach(item, func() string {
		if e.sought != nil {
			found = nil // the first look has them
		}
		if a.Tracked != nil {
			if answer, known := e.trackedNames(root, a, base, found); known && (answer != reachesNone || !a.Untracked) {
				return answer
			}
		}
		return e.treeOf(root, a.Text, base, f, found)
	})
}

// spelledRoot is what the paths below a directory begin with, as a command names them
// that walks it. Of a directory that a pattern or another command finds every
// part counts.
func spelledRoot(a *shell.Access, root string) string {
	switch {
	case a.Glob || a.Fed:
		return "./" + root + "/"
	case a.Text == "":
		return "./"
	}
	return a.Text + "/"
}

// couldBePath reports whether a word of an unknown role has to count as a path.
func (e *extraction) couldBePath(text, base string) bool {
	if strings.ContainsAny(text, "/") || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "~") {
		return !strings.Contains(text, "://")
	}
	if e.listed(text) {
		return true
	}
	full := e.absolute(text, base)
	return full != "" && (e.exists(full) || len(e.aliasTargets(full)) > 0)
}

// spelled adds a word that only the run can tell, for what it spells: a secret
// named behind a variable is still a secret that is named.
func (e *extraction) spelled(t *touched, a *shell.Access) {
	if !strings.Contains(a.Text, "/") && !strings.Contains(a.Text, ".") {
		return
	}
	p := v1.Path{Raw: a.Text, Real: a.Text, Op: a.Op, Space: v1.SpaceUnknown, Item: t.item}
	p.Caveats.Add("invisible")
	e.classify(&p, a.Text)
	e.facts.Paths = append(e.facts.Paths, p)
}

// effective is the directory that an approval would name (V3), and whether it is that of
// a path that the command names and not the one that it runs in.
func (e *extraction) effective(c *shell.Command) (directory string, named bool) {
	base := ""
	if len(c.Dirs) == 1 && !c.Unknown {
		base = c.Dirs[0]
	}
	if c.WorksIn != argv.WorksInCwd {
		if full, file := e.firstPath(c, base); full != "" {
			return e.directoryOf(full, file), true
		}
	}
	if base == "" {
		return "", false
	}
	resolved, err := e.resolve(base)
	if err != nil {
		return "", false
	}
	return resolved.Real, false
}

// firstPath is the first path that a command names: the operand that is one, else the
// first path among its options, patterns and redirections. It is empty where there is none.
// file is true where the path is one that is written, and so no directory to come.
func (e *extraction) firstPath(c *shell.Command, base string) (full string, file bool) {
	operand := c.Operand
	if operand == "./..." {
		operand = "."
	}
	if operand == "." && base != "" && !e.windows {
		return base, false // the same, without a string of its own
	}
	if operand != "" {
		if full := e.absolute(operand, base); full != "" {
			return full, c.OperandFile
		}
	}
	for i := range c.Accesses {
		a := &c.Accesses[i]
		if a.Dynamic || a.Maybe || a.NoMatch || a.IfExists || a.Spelled || e.windows && a.Glob {
			continue
		}
		from := base
		if len(a.Dirs) == 1 {
			from = a.Dirs[0]
		}
		text := a.Text
		if a.Glob {
			literal := text[:metaIndex(text)]
			text = unquote(literal[:strings.LastIndexByte(literal, '/')+1])
		}
		if full := e.absolute(shellExpanded(text), from); full != "" && !strings.HasPrefix(full, "/dev/") && full != "/dev/" {
			return full, a.Op == v1.OpWrite && !a.Glob
		}
	}
	return "", false
}

// widened is the directory that an approval of a command would name: the effective one,
// or the nearest above it in the session's own directories that holds all that the
// command touches.
func (e *extraction) widened(directory string, within v1.Set) string {
	if len(within) == 0 || within.Has(directory) {
		return directory
	}
	switch e.space(within[0]) {
	case v1.SpaceSession, v1.SpaceProject, v1.SpaceGrantRead, v1.SpaceGrantReadWrite:
		return within[0]
	}
	return directory
}

// directoryOf is an existing directory itself, the parent of an existing file,
// and of what is missing the parent if it has an extension or is a file to come.
func (e *extraction) directoryOf(full string, file bool) string {
	resolved, err := e.resolve(full)
	if err != nil {
		return ""
	}
	base := paths.Base(resolved.Real)
	if resolved.Dir || !resolved.Exists && !file && !strings.Contains(strings.TrimLeft(base, "."), ".") {
		return resolved.Real
	}
	return paths.Parent(resolved.Real)
}

// aboutCommand adds the caveats that need the disk, the lists or the whole line.
func (e *extraction) aboutCommand(item *v1.Item, c *shell.Command, line string) {
	for _, name := range c.Variables {
		if e.x.lists.variables.Match(name) != "" {
			item.Caveats.Add("secret_variable")
		}
	}
	if c.SearchesCwd && e.shadowed(c) {
		item.Caveats.Add("project_chooses_program")
	}
	if c.Program == "git" {
		e.gitTrust(item, c)
		e.gitPush(item, c)
		e.gitPaths(item, c)
	}
	if len(c.Imports) > 0 && e.imports(c) {
		item.Caveats.Add("project_chooses_program")
	}
	if len(c.ChosenBy) > 0 && e.chosen(c) || e.projectProgram(c) {
		item.Caveats.Add("project_chooses_program")
	}
	if answer := e.readAbove(c); answer != reachesNone {
		item.Caveats.Add(answer)
	}
	e.addressed(item, c, line)
}

// readAbove says what the files are that a program reads in its working directories
// and above without being told to, or above those that it was told to read: a link
// in their place may lead anywhere.
func (e *extraction) readAbove(c *shell.Command) string {
	if len(c.ReadsAbove) == 0 {
		return reachesNone
	}
	for _, dir := range e.choosing(c) {
		resolved, err := e.resolve(dir)
		if err != nil {
			return reachesUnknown
		}
		for at := resolved.Real; ; at = paths.Parent(at) {
			for _, name := range c.ReadsAbove {
				if answer := e.settingsFile(strings.TrimSuffix(at, "/") + "/" + name); answer != reachesNone {
					return answer
				}
			}
			if at == paths.Parent(at) {
				break
			}
		}
	}
	return reachesNone
}

// settingsFile says what reading a file reaches that need not be there.
func (e *extraction) settingsFile(full string) string {
	resolved, err := e.resolve(full)
	switch {
	case err != nil:
		return reachesUnknown
	case !resolved.Exists:
		return reachesNone
	case e.readsSecret(&resolved):
		return reachesSecret
	case len(resolved.Links) > 0 && e.spaceOf(&resolved) == v1.SpaceOutside:
		return reachesOutside
	}
	return reachesNone
}

// chosen reports whether a file that chooses the program lies in a directory
// that the command may run in, or above.
func (e *extraction) chosen(c *shell.Command) bool {
	if c.Unknown || len(c.Dirs) == 0 {
		return true
	}
	installed := e.installed(c.VersionFiles)
	for _, dir := range e.choosing(c) {
		if !filepath.IsAbs(dir) {
			return true // what lies there can't be seen
		}
		for at := dir; ; at = paths.Parent(at) {
			if e.choosesAt(strings.TrimSuffix(at, "/"), c.ChosenBy, installed) {
				return true
			}
			if at == "/" {
				break
			}
		}
	}
	return false
}

// choosesAt reports whether one of the files that choose a program lies at a directory.
func (e *extraction) choosesAt(dir string, entries []string, installed string) bool {
	absent := ""
	for _, entry := range entries {
		if end := strings.IndexAny(entry, "/:|="); end > 0 && entry[end] == '/' {
			inside := entry[:end]
			if inside == absent || inside == ".config" && e.personal(dir) {
				continue
			}
			if !e.exists(dir + "/" + inside) {
				absent = inside
				continue
			}
		}
		if e.chooses(dir, entry, installed) {
			return true
		}
	}
	return false
}

// personal reports whether a directory is the home, where the agent has no say in what the
// person's programs are told.
func (e *extraction) personal(dir string) bool {
	outside := func(name string) bool { return e.space(dir+name) == v1.SpaceOutside }
	return dir == e.home && outside("/.config") && outside("/.config/mise")
}

// choosing are the directories that such a file counts in, and in those above:
// the working directories, and for some programs those of the files that they read.
func (e *extraction) choosing(c *shell.Command) []string {
	if !c.Beside {
		return c.Dirs
	}
	dirs := slices.Clone(c.Dirs)
	for i := range c.Accesses {
		a := &c.Accesses[i]
		for _, base := range c.Dirs {
			names := []string{e.absolute(a.Text, base)}
			if a.Glob {
				names = e.expand(a.Text, base).matches
			}
			for _, name := range names {
				dir := paths.Parent(name)
				if a.Tree {
					dir = name
				}
				if name != "" && !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			}
		}
	}
	return dirs
}

// imports reports whether a working directory holds a module of one of the names
// that a program imports: a file that Python runs or loads, or a package.
func (e *extraction) imports(c *shell.Command) bool {
	if c.Unknown || len(c.Dirs) == 0 {
		return true
	}
	for _, dir := range c.Dirs {
		entries, err := e.readDir(dir)
		if err != nil {
			return true
		}
		for _, entry := range entries {
			name, _, _ := strings.Cut(entry.Name(), ".")
			if _, known := slices.BinarySearch(c.Imports, name); known && e.module(dir+"/"+entry.Name()) {
				return true
			}
		}
	}
	return false
}

// module reports whether a file or a directory may be a module of Python's.
func (e *extraction) module(name string) bool {
	switch filepath.Ext(name) {
	case ".py", ".pyw", ".pyc", ".so", ".pyd", ".dll", ".dylib":
		return true
	}
	info, err := e.stat(name)
	if err != nil || !info.IsDir() {
		return err != nil && !stat.Missing(err)
	}
	entries, err := e.readDir(name)
	return err != nil || slices.ContainsFunc(entries, func(entry os.DirEntry) bool { return strings.HasPrefix(entry.Name(), "__init__.") })
}

// installed is the lowest version that files in the usual places name, empty
// when none does. What is installed elsewhere is not seen.
func (e *extraction) installed(files []string) string {
	lowest := ""
	for _, file := range files {
		if strings.HasPrefix(file, "~/") {
			if file = e.expandHome(file); file == "" {
				continue
			}
		}
		for _, match := range e.expand(file, "/").matches {
			content, err := e.readFile(match)
			if err != nil {
				continue
			}
			first, _, _ := strings.Cut(string(content), "\n")
			version := strings.TrimPrefix(strings.TrimSpace(first), "go")
			if above(version, version) {
				continue // no plain version
			}
			if lowest == "" || above(lowest, version) {
				lowest = version
			}
		}
	}
	return lowest
}

// chooses reports whether a directory holds a file that chooses a program. An
// entry "name:text" counts only when the file holds the text, "name|word" when a
// line of it begins with the word, and "name|word>version" when the version
// behind that word is above it, and above the one that is installed. "name=versions",
// "name=tools" and "name=protos" count unless the file is a plain list of tools and their versions.
func (e *extraction) chooses(dir, entry, installed string) bool {
	if name, kind, listed := strings.Cut(entry, "="); listed {
		plain := versionLists[kind]
		return e.holds(dir+"/"+name, func(content string) bool { return plain == nil || !plain(content) })
	}
	if name, directive, ok := strings.Cut(entry, "|"); ok {
		word, bound, _ := strings.Cut(directive, ">")
		if bound != "" && installed != "" && above(installed, bound) {
			bound = installed
		}
		return e.holds(dir+"/"+name, func(content string) bool { return directs(content, word, bound) })
	}
	name, text, conditional := strings.Cut(entry, ":")
	if !conditional {
		return e.exists(dir + "/" + name)
	}
	return e.holds(dir+"/"+name, func(content string) bool { return strings.Contains(content, text) })
}

// holds reports whether a file is there and what it holds is so, or can't be read.
func (e *extraction) holds(path string, so func(content string) bool) bool {
	content, err := e.readFile(path)
	if err != nil {
		return !stat.Missing(err)
	}
	return so(string(content))
}

// directs reports whether a line of a go.mod or a go.work begins with a word, and
// names a version above the bound if there is one. Lines are read as the go
// command reads them when it chooses a toolchain.
func directs(content, word, bound string) bool {
	for line := range strings.SplitSeq(content, "\n") {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), word)
		if !ok || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		version, _, _ := strings.Cut(rest, "//")
		if bound == "" || above(strings.TrimPrefix(strings.TrimSpace(version), "go"), bound) {
			return true
		}
	}
	return false
}

// above reports whether a version is not known to be at most the bound. More
// segments are more.
func above(version, bound string) bool {
	segments, limits := strings.Split(version, "."), strings.Split(bound, ".")
	for i, segment := range segments {
		number, err := strconv.Atoi(segment)
		if err != nil || i >= len(limits) {
			return true
		}
		limit, err := strconv.Atoi(limits[i])
		if err != nil || number != limit {
			return err != nil || number > limit
		}
	}
	return false
}

// outside makes an item of every path of a command that lies in no space, so
// that it is asked for whatever covers the command (V1).
func (e *extraction) outside(first, command int) {
	var seen []string
	for i := first; i < len(e.facts.Paths); i++ {
		p := &e.facts.Paths[i]
		if p.Item != command || p.Space != v1.SpaceOutside || slices.Contains(seen, p.Op+p.Real) {
			continue
		}
		seen = append(seen, p.Op+p.Real)
		e.pathItem(i)
	}
}

// pathItem makes the item of one path.
func (e *extraction) pathItem(index int) {
	p := &e.facts.Paths[index]
	item := v1.Item{
		Kind: v1.ItemPath, Verb: p.Op, Directory: paths.Parent(p.Real), Path: index,
		Touches: e.room.set(touchName(p.Op, p.Space)),
	}
	if p.Caveats.Has("directory") {
		item.Directory = p.Real
	}
	e.facts.Items = append(e.facts.Items, item)
}
