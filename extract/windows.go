package extract

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
	"policyd/extract/shell"
	"policyd/extract/value"
)

// onWindows reads the session as one on Windows.
func (e *extraction) onWindows() {
	e.view.Windows, e.view.Resolver.Windows = true, true
	e.view.Home = e.call.Session.Home
	if e.view.Home == "" && path.IsAbs(e.x.options.Home) == (e.call.Session.ProjectDir != "" && e.call.Session.ProjectDir[0] == '/') {
		e.view.Home = e.x.options.Home // the sidecar's own, where that is of the same kind
	}
	if clean, err := paths.WindowsPath(e.view.Home); err == nil {
		e.view.Home = clean
	} else {
		e.view.Home = ""
	}
}

// windowsSensitive reports whether a directory is one that Windows itself, or
// every program of a user, keeps its own in.
func windowsSensitive(real string) bool {
	folded := strings.ToLower(real)
	if strings.HasPrefix(folded, "/") {
		return strings.HasPrefix(folded, "//") // a share
	}
	if paths.Depth(folded) == 0 {
		return true // a whole drive
	}
	below := folded[len("c:"):]
	for _, dir := range []string{"/windows", "/program files", "/program files (x86)", "/programdata", "/$recycle.bin"} {
		if paths.Within(below, dir) {
			return true
		}
	}
	return paths.Within(below, "/users") && paths.Depth(folded) <= 2
}

// windowsDevice notes a name that is a device wherever it stands. It reports
// whether full is one; NUL alone is no file.
func (e *extraction) windowsDevice(t *touched, p *v1.Path, full string) bool {
	spelled := strings.TrimRight(strings.ReplaceAll(full, `\`, "/"), "/")
	name := paths.Base(spelled)
	switch device := paths.WindowsDevice(name); {
	case device == "":
		return false
	case device == "NUL" && e.foreign && p.Op != v1.OpRead && p.Op != v1.OpList:
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

// windowsAccess adds one path of a command of a session on Windows. Patterns
// reach the program there, whichever shell runs it.
func (e *extraction) windowsAccess(t *touched, item *v1.Item, a *shell.Access, base string) {
	if a.Maybe && !e.windowsCouldBePath(a.Text) {
		return
	}
	if (a.Glob || strings.ContainsAny(a.Text, "*?[")) && !strings.Contains(a.Text, "`") {
		e.windowsGlob(t, item, a, base)
		return
	}
	p := e.touch(t, a.Text, base, a.Op)
	defer e.puts(t, item, a, e.view.Absolute(a.Text, base), base)
	if !a.Tree || p.Space == v1.SpaceUnknown {
		return
	}
	if p.Caveats.Has("unseen") {
		if !paths.PlainText(p.Real) && !e.harmless(a.Include) {
			item.Caveats.Add(reachesUnknown)
		}
		return
	}
	if p.Caveats.Has("directory") && !e.harmless(a.Include) {
		// Filters there fold case, which the walk does not: it takes none.
		tree := treeWalk{root: p.Real, Walk: value.Walk{Follow: a.Follow}, Names: value.Names{FromStream: a.FromStream}}
		e.reach(item, func() string { return e.tree(tree, nil) })
	}
}

// windowsGlob adds a pattern. What it matches is not looked up: it matches no
// secret when no name on the lists fits it.
func (e *extraction) windowsGlob(t *touched, item *v1.Item, a *shell.Access, base string) {
	text := strings.ReplaceAll(a.Text, `\`, "/")
	dir, name := "", text
	if slash := strings.LastIndexByte(text, '/'); slash >= 0 {
		dir, name = text[:slash+1], text[slash+1:]
	}
	if strings.ContainsAny(dir, "*?[") {
		item.Caveats.Add(reachesUnknown)
		e.patternName(t, text, a.Op)
		dir = dir[:strings.LastIndexByte(dir[:strings.IndexAny(dir, "*?[")], '/')+1]
	}
	p := e.touch(t, dir, base, v1.OpList)
	space := p.Space
	t.add(a.Op, space)
	if a.Op == v1.OpList {
		return
	}
	e.patternName(t, text, a.Op)
	if a.Op != v1.OpRead || !e.harmless([]string{name}) {
		item.Caveats.Add(reachesUnknown)
	}
}

// harmless reports whether files chosen by globs over their names can't be
// secrets by the lists. No glob at all chooses every file.
func (e *extraction) harmless(globs []string) bool {
	if len(e.x.lists.Classes) > 0 {
		return false // what a path class holds has any name
	}
	for _, glob := range globs {
		if e.x.lists.Secrets.Names.Overlaps(glob) || !anyOfExtension(glob) {
			return false
		}
	}
	return len(globs) > 0
}

// anyOfExtension reports whether a glob is a star and an extension of one, two
// or at least four letters. Windows matches a glob with the short name of a
// file as well, CREDEN~1.JSO for credentials.json, in which a name and an
// extension are cut to eight and three.
func anyOfExtension(glob string) bool {
	extension, ok := strings.CutPrefix(glob, "*.")
	if !ok || strings.ContainsAny(extension, "*?.") || extension == "" {
		return false
	}
	return len(extension) != 3 || plainExtensions[strings.ToLower(extension)]
}

// plainExtensions are those of three letters that no cut name of a secret has.
var plainExtensions = map[string]bool{
	"cpp": true, "css": true, "csv": true, "cxx": true, "hpp": true, "jsx": true, "log": true, "lua": true, "mjs": true,
	"php": true, "ps1": true, "sql": true, "svg": true, "tsx": true, "txt": true, "vue": true, "xml": true, "yml": true,
}

// windowsCouldBePath is couldBePath where existence can't be asked for.
func (e *extraction) windowsCouldBePath(text string) bool {
	if strings.Contains(text, "://") {
		return false
	}
	return strings.ContainsAny(text, `\/`) || strings.HasPrefix(text, ".") || strings.HasPrefix(text, "~") ||
		len(text) > 1 && text[1] == ':' || e.x.lists.Secrets.File(paths.WindowsSpelling(text)) != ""
}

// shadowed reports whether cmd, which looks into the working directory first,
// finds a program there before the one that is meant.
func (e *extraction) shadowed(c *shell.Command) bool {
	if c.Unknown {
		return true
	}
	for _, dir := range c.Dirs {
		for _, extension := range []string{".com", ".exe", ".bat", ".cmd"} {
			if e.view.Exists(dir + "/" + c.Program + extension) {
				return true
			}
		}
	}
	return false
}

// gitUnseen judges a git command in a repository that can't be looked at. The
// item has the caveat for that; what it would print of files is not known, but
// where its words name each of them.
func (e *extraction) gitUnseen(item *v1.Item, c *shell.Command) {
	if reader, ok := e.x.gitReaders[c.Verb]; ok && reader.printsContents(c.Form) && !e.gitNamed(c, reader.Lists) {
		item.Caveats.Add(reachesUnknown)
	}
}

// gitNamed reports whether the words of a git command that prints contents select
// files that can't be secrets by their names, and nothing else: revision:path, or
// pathspecs. A log may go on to what a file began as a copy of, by a setting. Of a
// directory that revision:path names the names alone are printed where lists is true.
func (e *extraction) gitNamed(c *shell.Command, lists bool) bool {
	wider := slices.ContainsFunc([]string{"--follow", "--full-diff", "--no-index"}, func(option string) bool { _, has := c.Form.Get(option); return has })
	if wider || c.Verb == "git log" || len(c.Git.Patterns) > 0 || c.Git.Blobs != len(c.Git.Objects) {
		return false
	}
	for _, object := range c.Git.Objects {
		if e.secretByName(object) || !lists && !e.textByName(object) {
			return false
		}
	}
	for _, spec := range c.Git.Pathspecs {
		if strings.HasPrefix(spec, ":") || !e.textByName(spec) {
			return false
		}
	}
	for _, word := range c.Git.Revisions {
		if !c.Git.Dashes || len(c.Git.Pathspecs) == 0 || !countsFromHead(word) {
			return false
		}
	}
	return len(c.Git.Objects)+len(c.Git.Pathspecs) > 0
}

// countsFromHead reports whether a word names commits for sure, be it a range: any other
// may be the hash of a file, or a tag of one, which is printed whatever the pathspecs.
func countsFromHead(word string) bool {
	from, to, ranged := strings.Cut(word, "..")
	for i, end := range []string{from, strings.TrimPrefix(to, ".")} {
		back, ok := strings.CutPrefix(end, "HEAD")
		if (i == 0 || ranged) && (!ok || strings.Trim(back, "~^0123456789") != "") {
			return false
		}
	}
	return true
}

// textByName reports whether a path, or a pattern in the manner of git, whose stars match
// slashes, is of source texts and of no secret, as far as names tell.
func (e *extraction) textByName(text string) bool {
	if strings.ContainsAny(text, "*?[") {
		return !strings.Contains(text, `\`) && e.harmless([]string{text[strings.LastIndexByte(text, '/')+1:]})
	}
	return paths.PlainText(text) && !e.secretByName(text)
}

func (e *extraction) secretByName(text string) bool {
	return e.x.lists.Secrets.File(paths.WindowsSpelling(text)) != ""
}
