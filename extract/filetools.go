package extract

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/patch"
	"policyd/extract/scope"
	"policyd/extract/value"
)

// fileTools makes the items of tools that read and change files.
type fileTools struct {
	facts *builder
	view  *disk.View
	// fileTypes are the globs of ripgrep's types of files.
	fileTypes map[string][]string
	locator   *locator
	classes   *scope.Classifier
	placer    *placer
	trees     *disk.Walker
	globs     *disk.Globs
	repos     *scope.Repositories
	tools     *tools
}

// addressedPath adds the item of a path as otherReadings judges it.
func (f *fileTools) addressedPath(text, raw string, clear bool, op string) *v1.Path {
	index, item := len(f.facts.Paths), len(f.facts.Items)
	f.filePath(raw, op, &catalog.Tool{})
	p := &f.facts.Paths[index]
	f.locator.otherReadings(p, text, raw, clear)
	f.facts.Items[item].Touches = f.facts.room.set(touchName(p.Op, p.Space))
	return p
}

// patch makes an item of every file that a patch names.
func (f *fileTools) patch(text string) {
	changes, ok := patch.Parse(text)
	if !ok {
		f.facts.doubt("patch_unreadable")
	}
	none := &catalog.Tool{}
	for _, change := range changes {
		f.filePath(change.Path, change.Op, none)
		if before, _, ok := strings.Cut(change.Path, ":"); ok && before != "" {
			// Some readers end the path at a second colon.
			f.filePath(before, change.Op, none)
		}
	}
}

// alsoNamed makes the item of a path unless there is one.
func (f *fileTools) alsoNamed(path, operation string) {
	items, paths := len(f.facts.Items), len(f.facts.Paths)
	added := f.filePath(path, operation, &catalog.Tool{})
	same := func(p v1.Path) bool { return p.Op == added.Op && p.Real == added.Real && p.Space == added.Space }
	if slices.ContainsFunc(f.facts.Paths[:paths], same) {
		f.facts.Items, f.facts.Paths = f.facts.Items[:items], f.facts.Paths[:paths]
	}
}

// fileTool makes one item per path.
func (f *fileTools) fileTool(t *catalog.Tool) {
	named, base := 0, f.facts.Cwd
	var sources, targets []string
	for i := range f.tools.args {
		op, ok := t.Paths[f.tools.args[i].Name]
		if !ok {
			continue
		}
		texts, err := f.tools.args.Take(f.tools.args[i].Name)
		if err != nil {
			f.facts.doubt("argument_type")
		}
		for _, raw := range texts {
			named++
			p := f.filePath(raw, op, t)
			switch {
			case len(t.Paths) < 2: // nothing is put anywhere else
			case op == v1.OpWrite:
				targets = append(targets, raw)
			default:
				sources = append(sources, raw)
			}
			if p.Caveats.Has("directory") {
				base = p.Real
			}
		}
	}
	f.placer.copied(sources, targets)
	for _, argument := range t.Content {
		named += f.nestedPaths(argument)
	}
	for _, patch := range f.tools.texts(t.Patch) {
		named++
		f.patch(patch)
	}
	for _, pattern := range f.tools.texts(t.Patterns) {
		f.pattern(pattern, base)
	}
	if named > 0 {
		return
	}
	if t.Default == "" {
		f.facts.doubt("path_missing")
		return
	}
	f.filePath("", t.Default, t)
}

// filePath adds the item of one path of a file tool. The operation "tree"
// reads everything below.
func (f *fileTools) filePath(raw, op string, t *catalog.Tool) v1.Path {
	if globs := t.Globs && !f.view.Windows; op != "tree" || !globs && !strings.ContainsAny(raw, globMarks) {
		return f.namedPath(raw, op, t, false)
	} else if globs {
		return f.globbed(raw, t)
	}
	if name := f.meantAsName(raw, f.facts.Cwd); name != "" {
		f.namedPath(name, op, t, false)
	}
	return f.namedPath(f.patternRoot(raw), op, t, true)
}

// meantAsName is how far a pattern leads when it is read as a name, as some
// tools do with all of it and others with marks that they don't know. It is
// empty where that is no further than the root of the pattern.
func (f *fileTools) meantAsName(pattern, base string) string {
	if f.view.Windows {
		return "" // what is there can't be looked up, and what a tree reaches isn't known
	}
	mark := strings.IndexAny(pattern, globMarks)
	if mark < 0 {
		return ""
	}
	name := ""
	for end := mark; end < len(pattern); end++ {
		if next := strings.IndexByte(pattern[end:], '/'); next >= 0 {
			end += next
		} else {
			end = len(pattern)
		}
		full := f.view.Absolute(pattern[:end], base)
		if full == "" || !f.view.Exists(full) {
			break
		}
		name = pattern[:end]
	}
	return name
}

// namedPath adds the item of one path; pattern is true where it is only what a
// pattern starts from.
func (f *fileTools) namedPath(raw, op string, t *catalog.Tool, pattern bool) v1.Path {
	access := op
	if op == "tree" {
		access = v1.OpRead
	}
	index := len(f.facts.Paths)
	touched := touched{item: len(f.facts.Items), set: f.facts.spaces[:0]}
	f.locator.touch(&touched, raw, f.facts.Cwd, access)
	p := &f.facts.Paths[index]
	if !pattern {
		f.locator.alteredPath(p, raw)
	}
	f.corrected(p, raw, t)
	f.facts.pathItem(index)
	if touched.secret {
		f.facts.Items[touched.item].Caveats.Add(disk.ReachesSecret)
	}
	if op == "tree" {
		f.tree(&f.facts.Items[touched.item], p, t, pattern)
	}
	return *p
}

// corrected makes a relative path that isn't there one that isn't known, if the tool looks for another in its place.
func (f *fileTools) corrected(p *v1.Path, raw string, t *catalog.Tool) {
	if t.Corrects && f.view.Absolute(raw, "") == "" && (p.Caveats.Has("missing") || p.Caveats.Has("unseen")) {
		p.Space = v1.SpaceUnknown
		p.Caveats.Add("ambiguous")
	}
}

// tree adds what reading everything below a path reaches to its item.
func (f *fileTools) tree(item *v1.Item, p *v1.Path, t *catalog.Tool, pattern bool) {
	reads := t.Kind == v1.ToolRead
	if p.Caveats.Has("unseen") || pattern && reads && p.Caveats.Has("missing") {
		item.Caveats.Add(disk.ReachesUnknown) // another case of the name may be there
	}
	if !p.Caveats.Has("directory") {
		return
	}
	tree := disk.Tree{Root: p.Real, Walk: f.includes(t)}
	if reads {
		tree.Links = disk.LinkedDirectories
	}
	tree.Ignoring = tree.Ignoring && (len(t.Expressions) == 0 || f.repos.Toplevel(p.Real) != "")
	f.classes.Reach(item, func() string { return f.trees.Reach(tree, nil) })
}

// includes reads the include filters of a search tool. Tools differ in what they make of a list in one text, and in
// what the path of a glob counts from: all that any of them includes is read. What is excluded counts as read, too.
func (f *fileTools) includes(t *catalog.Tool) value.Walk {
	walk, types := value.Walk{Ignoring: t.Ignoring && !f.readsIgnored(t), Across: t.Pathspecs}, f.tools.texts(t.Types)
	for _, text := range f.tools.texts(t.Include) {
		names, known := included(text)
		if !known || !value.RuleAsWritten(text) || t.Pathspecs && text[0] == ':' {
			return value.Walk{}
		}
		walk.Include = append(walk.Include, names...)
	}
	if len(walk.Include) > 0 {
		return walk // what a glob includes is read whatever its type
	}
	for _, name := range types {
		globs, known := f.fileTypes[name]
		if !known {
			return value.Walk{Ignoring: walk.Ignoring}
		}
		walk.Include = append(walk.Include, globs...)
	}
	return walk
}

// readsIgnored reports whether an argument makes a search read what git's ignore
// rules leave out. Of a value that isn't known for the other it counts as yes, and null as none.
func (f *fileTools) readsIgnored(t *catalog.Tool) bool {
	for name, harmless := range t.ReadsIgnored {
		f.tools.args.Ignore([]string{name})
		if raw := f.tools.args.Raw(name); raw != nil && string(raw) != "null" && string(raw) != strconv.FormatBool(harmless) {
			return true
		}
	}
	return slices.ContainsFunc(f.tools.texts(t.Expressions), func(text string) bool { return !isGitExpression(text) })
}

// patternRoot is the directory that a list of globs starts from. Where the
// rest of the pattern could lead elsewhere, the facts are incomplete.
func (f *fileTools) patternRoot(pattern string) string {
	meta := strings.IndexAny(pattern, globMarks)
	if meta < 0 {
		return pattern
	}
	root := pattern[:strings.LastIndexByte(pattern[:meta], '/')+1]
	for segment := range strings.SplitSeq(pattern[len(root):], "/") {
		if disk.Climbs(segment) {
			f.facts.doubt("pattern_leads_elsewhere")
		}
	}
	return root
}

// pattern adds an item for a glob that leads elsewhere than below the
// directory it counts from; others are covered by that directory.
func (f *fileTools) pattern(pattern, base string) {
	root := f.patternRoot(pattern)
	for _, name := range []string{root, f.meantAsName(pattern, base)} {
		if name == "" {
			continue
		}
		t := touched{item: len(f.facts.Items), set: f.facts.spaces[:0]}
		f.locator.touch(&t, name, base, v1.OpList)
		f.facts.pathItem(len(f.facts.Paths) - 1)
	}
}

// nestedPaths makes an item of every path that stands inside an argument of
// contents: an edit of a list may name a file of its own.
func (f *fileTools) nestedPaths(argument string) int {
	raw := f.tools.args.Raw(argument)
	if len(raw) == 0 || raw[0] != '[' && raw[0] != '{' {
		return 0
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		f.facts.doubt("argument_type")
		return 0
	}
	found := namedPaths(nil, value, func(name string) bool {
		folded := strings.ToLower(name)
		return strings.Contains(folded, "path") || strings.Contains(folded, "file")
	})
	slices.Sort(found)
	for _, text := range found {
		f.filePath(text, v1.OpWrite, &catalog.Tool{})
	}
	return len(found)
}
