package extract

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/shell"
	"policyd/extract/value"
)

// catalogued makes the items of a tool that the catalog knows.
func (e *extraction) catalogued(t *catalog.Tool) {
	e.args.Ignore(t.Inert)
	e.args.Ignore(t.Content)
	e.operands(t.Operands)
	switch t.Kind {
	case v1.ToolInternal:
		e.facts.Items = append(e.facts.Items, v1.Item{Kind: v1.ItemTool, Verb: e.call.Tool, Path: -1})
		return
	case v1.ToolShell:
		e.shellTool(t)
	case v1.ToolFetch:
		e.fetchTool(t)
	case v1.ToolOther:
		item := v1.Item{Kind: v1.ItemTool, Verb: e.call.Tool, Path: -1}
		e.callee(t, &item)
		e.facts.Items = append(e.facts.Items, item)
	default:
		e.fileTool(t)
	}
	e.unknownArguments()
}

// callee notes which agent is asked, where a tool asks one.
func (e *extraction) callee(t *catalog.Tool, item *v1.Item) {
	if len(t.Callee) == 0 {
		return
	}
	names := e.texts(t.Callee)
	if len(names) != 1 || names[0] == "" {
		e.doubt("callee_missing")
		return
	}
	item.Verb += " " + names[0]
	item.Form.Put("callee", names[0])
}

// unknownArguments adds an uncovered item for every argument that the catalog
// doesn't explain (V12).
func (e *extraction) unknownArguments() {
	for _, name := range e.args.Rest() {
		e.unknownArgument(name)
	}
}

func (e *extraction) unknownArgument(name string) {
	e.step()
	item := v1.Item{Kind: v1.ItemTool, Verb: e.call.Tool, Path: -1}
	item.Form.Put(optionText(name), "unknown")
	item.Caveats.Add("unknown_argument")
	e.facts.Items = append(e.facts.Items, item)
}

// operands takes the arguments that a program gets as words: one that begins with a dash
// is an option to it, such as git grep's --open-files-in-pager.
func (e *extraction) operands(names []string) {
	for _, name := range names {
		if slices.ContainsFunc(e.texts([]string{name}), func(text string) bool { return strings.HasPrefix(text, "-") }) {
			e.unknownArgument(name)
		}
	}
}

func optionText(name string) string {
	if len(name) > 64 {
		return name[:64]
	}
	return name
}

// texts takes the texts of the named arguments. An argument of another type
// leaves the facts incomplete.
func (e *extraction) texts(names []string) []string {
	var out []string
	for _, name := range names {
		texts, err := e.args.Take(name)
		if err != nil {
			e.doubt("argument_type")
		}
		if out == nil {
			out = slices.Clip(texts)
		} else {
			out = append(out, texts...)
		}
	}
	return out
}

func (e *extraction) shellTool(t *catalog.Tool) {
	for _, dir := range e.texts(t.Cwd) {
		e.changeCwd(dir)
	}
	if t.Shell != "" {
		call := *e.call
		call.Session.Shell = t.Shell
		e.call = &call
	}
	lines := 0
	for _, name := range t.Command {
		texts, err := e.args.Take(name)
		if err != nil {
			e.doubt("argument_type")
			continue
		}
		if len(texts) == 0 {
			continue
		}
		lines++
		list := e.args.Raw(name)[0] == '['
		if list && !t.Words {
			e.doubt("argument_type")
		}
		e.commandLine(commandText(texts, list))
	}
	if lines != 1 {
		e.doubt("command_missing")
	}
	for _, line := range e.texts(t.Lines) {
		e.commandLine(line)
	}
}

// commandText is the command line of a list of words: `["bash", "-lc", "…"]`
// runs as if each word were quoted.
func commandText(texts []string, list bool) string {
	if !list {
		return texts[0]
	}
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quoteWord(text)
	}
	return strings.Join(quoted, " ")
}

func quoteWord(text string) string {
	special := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_./:=@%+,", r)
	}
	if text != "" && strings.IndexFunc(text, special) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// changeCwd makes the explicit argument the directory in force (V4).
func (e *extraction) changeCwd(dir string) {
	if dir == "" {
		return
	}
	base := e.facts.Cwd
	e.facts.Cwd = ""
	full := e.view.Absolute(dir, base)
	if full == "" {
		return
	}
	if resolved, err := e.view.Resolve(full); err == nil {
		e.facts.Cwd = resolved.Real
	}
}

// fileTool makes one item per path.
func (e *extraction) fileTool(t *catalog.Tool) {
	named, base := 0, e.facts.Cwd
	var sources, targets []string
	for i := range e.args {
		op, ok := t.Paths[e.args[i].Name]
		if !ok {
			continue
		}
		texts, err := e.args.Take(e.args[i].Name)
		if err != nil {
			e.doubt("argument_type")
		}
		for _, raw := range texts {
			named++
			p := e.filePath(raw, op, t)
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
	e.copied(sources, targets)
	for _, argument := range t.Content {
		named += e.nestedPaths(argument)
	}
	for _, patch := range e.texts(t.Patch) {
		named++
		e.patch(patch)
	}
	for _, pattern := range e.texts(t.Patterns) {
		e.pattern(pattern, base)
	}
	if named > 0 {
		return
	}
	if t.Default == "" {
		e.doubt("path_missing")
		return
	}
	e.filePath("", t.Default, t)
}

// filePath adds the item of one path of a file tool. The operation "tree"
// reads everything below.
func (e *extraction) filePath(raw, op string, t *catalog.Tool) v1.Path {
	if op != "tree" || !strings.ContainsAny(raw, globMarks) {
		return e.namedPath(raw, op, t, false)
	}
	if name := e.meantAsName(raw, e.facts.Cwd); name != "" {
		e.namedPath(name, op, t, false)
	}
	return e.namedPath(e.patternRoot(raw), op, t, true)
}

// globMarks are what makes a path a pattern to one tool or another.
const globMarks = `*?[]{}()!@+\`

// meantAsName is how far a pattern leads when it is read as a name, as some
// tools do with all of it and others with marks that they don't know. It is
// empty where that is no further than the root of the pattern.
func (e *extraction) meantAsName(pattern, base string) string {
	if e.view.Windows {
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
		full := e.view.Absolute(pattern[:end], base)
		if full == "" || !e.view.Exists(full) {
			break
		}
		name = pattern[:end]
	}
	return name
}

// namedPath adds the item of one path; pattern is true where it is only what a
// pattern starts from.
func (e *extraction) namedPath(raw, op string, t *catalog.Tool, pattern bool) v1.Path {
	access := op
	if op == "tree" {
		access = v1.OpRead
	}
	index := len(e.facts.Paths)
	touched := touched{item: len(e.facts.Items), set: e.work.touches[:0]}
	e.touch(&touched, raw, e.facts.Cwd, access)
	p := &e.facts.Paths[index]
	if !pattern {
		e.alteredPath(p, raw)
	}
	e.pathItem(index)
	if touched.secret {
		e.facts.Items[touched.item].Caveats.Add(reachesSecret)
	}
	if op == "tree" && p.Caveats.Has("unseen") {
		e.facts.Items[touched.item].Caveats.Add(reachesUnknown)
	}
	if op == "tree" && p.Caveats.Has("directory") {
		tree := treeWalk{root: p.Real, Walk: e.includes(t)}
		e.reach(&e.facts.Items[touched.item], func() string { return e.tree(tree, nil) })
	}
	return *p
}

// includes reads the include filters of a search tool. Tools differ in what
// they make of anything but a plain glob over base names: what is not plain
// leaves nothing out.
func (e *extraction) includes(t *catalog.Tool) value.Walk {
	walk, types := value.Walk{Ignoring: t.Ignoring && !e.readsIgnored(t), Across: t.Pathspecs}, e.texts(t.Types)
	for _, include := range e.texts(t.Include) {
		walk.Include = append(walk.Include, strings.TrimPrefix(include, "**/"))
	}
	for _, include := range walk.Include {
		if strings.ContainsAny(include, "/{}[]()!@+\\, \t\n") || !shell.RuleAsWritten(include) || t.Pathspecs && include[0] == ':' {
			return value.Walk{}
		}
	}
	if len(walk.Include) > 0 {
		return walk // what a glob includes is read whatever its type
	}
	for _, name := range types {
		globs, known := e.x.catalog.FileTypes[name]
		if !known {
			return value.Walk{Ignoring: walk.Ignoring}
		}
		walk.Include = append(walk.Include, globs...)
	}
	return walk
}

// readsIgnored reports whether an argument makes a search read what git's ignore
// rules leave out. Of a value that isn't known for the other it counts as yes.
func (e *extraction) readsIgnored(t *catalog.Tool) bool {
	for name, harmless := range t.ReadsIgnored {
		e.args.Ignore([]string{name})
		if raw := e.args.Raw(name); raw != nil && string(raw) != strconv.FormatBool(harmless) {
			return true
		}
	}
	return false
}

// patternRoot is the directory that a list of globs starts from. Where the
// rest of the pattern could lead elsewhere, the facts are incomplete.
func (e *extraction) patternRoot(pattern string) string {
	meta := strings.IndexAny(pattern, globMarks)
	if meta < 0 {
		return pattern
	}
	root := pattern[:strings.LastIndexByte(pattern[:meta], '/')+1]
	for segment := range strings.SplitSeq(pattern[len(root):], "/") {
		if disk.Climbs(segment) {
			e.doubt("pattern_leads_elsewhere")
		}
	}
	return root
}

// pattern adds an item for a glob that leads elsewhere than below the
// directory it counts from; others are covered by that directory.
func (e *extraction) pattern(pattern, base string) {
	root := e.patternRoot(pattern)
	for _, name := range []string{root, e.meantAsName(pattern, base)} {
		if name == "" {
			continue
		}
		t := touched{item: len(e.facts.Items), set: e.work.touches[:0]}
		e.touch(&t, name, base, v1.OpList)
		e.pathItem(len(e.facts.Paths) - 1)
	}
}

// nestedPaths makes an item of every path that stands inside an argument of
// contents: an edit of a list may name a file of its own.
func (e *extraction) nestedPaths(argument string) int {
	raw := e.args.Raw(argument)
	if len(raw) == 0 || raw[0] != '[' && raw[0] != '{' {
		return 0
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		e.doubt("argument_type")
		return 0
	}
	found := namedPaths(nil, value, func(name string) bool {
		folded := strings.ToLower(name)
		return strings.Contains(folded, "path") || strings.Contains(folded, "file")
	})
	slices.Sort(found)
	for _, text := range found {
		e.filePath(text, v1.OpWrite, &catalog.Tool{})
	}
	return len(found)
}

// namedPaths collects the texts under keys that name paths, at any depth.
func namedPaths(out []string, value any, names func(key string) bool) []string {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			out = namedPaths(out, element, names)
		}
	case map[string]any:
		for name, element := range value {
			if texts, ok := arguments.Texts(element); ok && names(name) {
				out = append(out, texts...)
				continue
			}
			out = namedPaths(out, element, names)
		}
	}
	return out
}

// fetchTool makes an item per host.
func (e *extraction) fetchTool(t *catalog.Tool) {
	found := 0
	for _, address := range e.texts(t.URLs) {
		found++
		e.fetch(address)
	}
	for _, text := range e.texts(t.Texts) {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'<>(),;", r) }) {
			if strings.Contains(word, "://") {
				found++
				e.fetch(word)
			}
		}
	}
	if found == 0 {
		e.facts.Items = append(e.facts.Items, v1.Item{Kind: v1.ItemTool, Verb: e.call.Tool, Path: -1})
	}
}

func (e *extraction) fetch(address string) {
	if raw, clear, found := fileURI(address, e.view.Windows); found {
		// One on another host is fetched from there, so where readers could differ about
		// the name it is not known.
		e.addressedPath(address, raw, clear, v1.OpRead)
		return
	}
	item := v1.Item{Kind: v1.ItemFetch, Verb: "fetch", Path: -1}
	item.Caveats.Add("network")
	if e.x.address.Fetched(address) {
		item.Caveats.Add("own_address")
	}
	parsed, err := url.Parse(strings.TrimSpace(address))
	switch {
	case err != nil || parsed.Host == "":
		item.Caveats.Add("unknown_argument")
	default:
		item.Verb = "fetch " + strings.ToLower(parsed.Hostname())
	}
	e.facts.Items = append(e.facts.Items, item)
}
