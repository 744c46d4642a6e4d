package extract

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/patch"
	"policyd/extract/paths"
	"policyd/extract/spelling"
)

// other makes the item of a tool that nothing is known of (V12).
func (e *extraction) other(name string) {
	e.uncatalogued(v1.Item{Kind: v1.ItemTool, Verb: name, Path: -1}, name)
	if own := &e.facts.Items[0]; own.Caveats.Has("runs_anything") || e.x.catalog.Runs(name) {
		own.Caveats.Add("inline_code") // a tool of the client's own that runs what it is given: each is another
	}
}

// mcp makes the item of an MCP tool.
func (e *extraction) mcp(who catalog.Identity) {
	e.uncatalogued(v1.Item{Kind: v1.ItemTool, Verb: catalog.MCPVerb(who.Server, who.Name), Path: -1}, who.Name)
}

// uncatalogued adds the item of a tool whose arguments no catalog explains, and
// what they name: an argument that is known to be a path is an item, and any
// other that leads to a place is what the tool touches, or an item where an
// approval of the tool must not reach.
func (e *extraction) uncatalogued(item v1.Item, name string) {
	e.facts.Items = append(e.facts.Items, item)
	r := e.argumentReader(name)
	r.arguments()
	own := &e.facts.Items[0]
	if e.x.address.Pair(r.scalars) || slices.ContainsFunc(r.scalars, e.x.address.Mentioned) || slices.ContainsFunc(r.scalars, e.namesOwn) {
		own.Caveats.Add("own_address")
	}
	own.Touches = r.touched.set
	if r.touched.special {
		own.Caveats.Add("special")
	}
	if r.touched.unseen {
		own.Caveats.Add("unseen")
	}
	if r.touched.secret {
		own.Caveats.Add(disk.ReachesSecret)
	}
	for _, caveat := range r.carried.caveats {
		own.Caveats.Add(caveat)
	}
	for _, class := range r.carried.reaches {
		own.Reaches.Add(class)
	}
	own.Risks = r.risks.risks
}

// argumentReader is the reader of the arguments of a tool.
func (e *extraction) argumentReader(tool string) *argumentReader {
	return &argumentReader{
		facts: &e.facts, locator: &e.locator, files: &e.files, commands: &e.commands, globs: &e.globs, catalog: e.x.catalog,
		args: e.tools.args, tool: tool, names: namedPlaces{view: &e.view, cwd: &e.facts.Cwd},
		risks: directoryRisks{
			view: &e.view, cwd: &e.facts.Cwd, classes: &e.classes, trees: &e.trees, lists: e.x.Lists, catalog: e.x.catalog, tool: tool,
		},
	}
}

// argumentReader reads arguments that no catalog explains.
type argumentReader struct {
	facts    *builder
	locator  *locator
	files    *fileTools
	commands *commands
	globs    *disk.Globs
	catalog  *catalog.Catalog
	args     arguments.Arguments
	tool     string
	names    namedPlaces
	risks    directoryRisks
	touched  touched // by the tool's item, which is the first
	// scalars are all texts and numbers of the arguments.
	scalars []string
	carried carriedFacts
	// secretsOnly is true where nothing but secrets is looked for.
	secretsOnly bool
}

// carriedFacts are those of the commands that arguments hold.
type carriedFacts struct {
	caveats v1.Set
	// reaches are the classes of paths that the commands come by.
	reaches v1.Set
	// lines counts the command lines that were read.
	lines int
}

// namedPlaces says what a text of an argument may name.
type namedPlaces struct {
	view *disk.View
	cwd  *string
}

func (r *argumentReader) arguments() {
	for i := range r.args {
		if r.secretsOnly && r.args[i].Used {
			continue // it is an item, and judged as what it is
		}
		var value any
		if err := json.Unmarshal(r.args[i].Raw, &value); err != nil {
			r.facts.doubt("argument_type")
			continue
		}
		r.key("", r.args[i].Name)
		r.value(r.args[i].Name, value)
	}
}

// value reads an argument at any depth. The key that stands nearest says what
// a text is for.
func (r *argumentReader) value(name string, value any) {
	switch value := value.(type) {
	case float64:
		r.scalars = append(r.scalars, strconv.FormatFloat(value, 'f', -1, 64))
	case string:
		r.scalars = append(r.scalars, value)
		r.text(name, value)
	case []any:
		r.argv(name, value)
		for _, element := range value {
			r.value(name, element)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			r.key(name, key)
			r.value(key, value[key])
		}
	}
}

// key reads a name, which may be a path itself where a tool takes a map of
// files.
func (r *argumentReader) key(name, key string) {
	if !r.secretsOnly {
		r.risks.language(key)
	}
	if r.names.leadsOut(key) {
		r.text(name, key)
		return
	}
	r.locator.spelledSecret(key)
	r.protected(key)
}

func (r *argumentReader) text(name, text string) {
	role := r.catalog.Role(name)
	if !r.secretsOnly {
		r.patch(text)
	}
	if r.catalog.Names(name, role) && (role == catalog.RoleMention || !r.named(role, text)) {
		r.protected(text)
	}
	if role == catalog.RoleMention || role == catalog.RolePattern {
		r.mentioned(role, text)
		return
	}
	r.locator.spelledSecret(text)
	if r.secretsOnly {
		return
	}
	if role == catalog.RoleCommand {
		r.command(text)
	}
	r.words(role, text)
	if r.names.elsewhere(text) {
		return
	}
	r.matched(role, text)
	switch {
	case role == catalog.RolePath:
		r.declared(name, text)
	case r.named(role, text):
		r.place(text)
	}
}

// mentioned reads what is written or looked for. It may say ".env": only what names a secret that is there, from the
// root on, could be meant as the file itself.
func (r *argumentReader) mentioned(role, text string) {
	if role == catalog.RolePattern && !r.secretsOnly && r.names.leadsOut(text) {
		r.place(text)
	}
	if r.names.full(text) && r.names.there(text) {
		r.locator.spelledSecret(text)
	}
}

// named reports whether a text of an argument names a place by the argument's role, by how it is spelled, or because
// something is there.
func (r *argumentReader) named(role, text string) bool {
	return role == catalog.RolePath || role == catalog.RolePlace || r.names.leadsOut(text) || r.names.there(text)
}

// protected adds the path that a text names from the working directory on if no approval covers changes there (P11).
// It need not be there: the tool may make it.
func (r *argumentReader) protected(text string) {
	spelled := spelling.Unescaped(strings.TrimFunc(text, spelling.Blank))
	if r.secretsOnly || spelled == "" || len(spelled) > spelling.MaxName || strings.ContainsAny(spelled, "\n\x00") ||
		r.names.full(spelled) && spelled[0] != '/' || r.names.elsewhere(text) || r.catalog.MCPOperation(r.tool, "") != v1.OpWrite {
		return
	}
	p := v1.Path{Op: v1.OpWrite}
	r.locator.classes.Classify(&p, path.Clean("/"+r.names.view.Spelling(spelled)))
	if resolved, err := r.names.view.Resolve(r.names.view.Absolute(spelled, r.facts.Cwd)); err == nil && strings.Contains(spelled, "/") {
		r.locator.classes.Classify(&p, resolved.Real)
	}
	if _, always := p.Class.Get("protected_always"); always {
		r.place(text)
	}
}

// namesOwn reports whether an address holds the path of a directory of policyd's own, as those of sockets
// do in several notations.
func (e *extraction) namesOwn(text string) bool {
	if name, _ := spelling.Scheme(strings.TrimFunc(text, spelling.Blank)); name == "" {
		return false
	}
	return slices.ContainsFunc(e.x.Own, func(dir string) bool { return strings.Contains(spelling.Unescaped(text), dir+"/") })
}

// elsewhere reports whether a text is an address that no program takes for a
// path: one that does would have to go up, or find a name like that.
func (n *namedPlaces) elsewhere(text string) bool {
	_, ok := spelling.Address(text)
	return ok && !spelling.Climbing(text) && !n.view.Exists(n.view.Absolute(text, *n.cwd))
}

// full reports whether a text names a place from the root of a disk or of a
// home on.
func (n *namedPlaces) full(text string) bool {
	if _, _, found := spelling.FileURI(text, n.view.Windows); found {
		return true
	}
	text = spelling.Unmarked(text)
	if n.view.Windows && (paths.DriveLetter(text) || strings.HasPrefix(text, `\`)) {
		return true
	}
	return strings.HasPrefix(text, "/") || text == "~" || strings.HasPrefix(text, "~") && strings.Contains(text, "/") ||
		spelling.VariablePath.MatchString(text)
}

// leadsOut reports whether a text could lead out of the working directory by
// how it is spelled. A name in the root whose first segment isn't there ("/api")
// is no file's.
func (n *namedPlaces) leadsOut(text string) bool {
	if !n.full(text) {
		return spelling.Climbing(text)
	}
	trimmed := spelling.Unmarked(text)
	if !strings.HasPrefix(trimmed, "/") || n.view.Windows {
		return true
	}
	clean := path.Clean(trimmed)
	first, _, _ := strings.Cut(clean[1:], "/")
	return spelling.Climbing(text) || disk.MetaIndex(first) < len(first) || strings.Contains(first, "%") || n.view.Exists("/"+first)
}

// there reports whether a text names something on disk.
func (n *namedPlaces) there(text string) bool {
	if reading, _, found := spelling.FileURI(text, n.view.Windows); found {
		text = reading
	}
	text = strings.TrimFunc(text, spelling.Blank)
	if text == "" || len(text) > spelling.MaxName || strings.ContainsAny(text, "\n\x00") {
		return false
	}
	return n.view.Exists(n.view.Absolute(text, *n.cwd))
}

// declared makes the item of an argument that is known to be a path.
func (r *argumentReader) declared(name, text string) {
	raw, clear := r.names.spelled(text)
	r.risks.below(r.files.addressedPath(text, raw, clear, r.catalog.MCPOperation(r.tool, name)))
}

// spelled is what a text names, and whether it certainly does.
func (n *namedPlaces) spelled(text string) (raw string, clear bool) {
	if raw, clear, found := spelling.FileURI(text, n.view.Windows); found {
		return raw, clear
	}
	return text, true
}

// place adds what an argument of no known role leads to. Of a pattern that is
// the directory that it starts from.
func (r *argumentReader) place(text string) {
	raw, clear := r.names.spelled(text)
	pattern := strings.ContainsAny(raw, "*?[{") && !r.names.view.Exists(r.names.view.Absolute(raw, r.facts.Cwd))
	if !pattern || !strings.ContainsAny(raw, "*?") {
		r.risks.below(r.reach(text, raw, clear))
	}
	if pattern {
		root := r.reach(text, r.files.patternRoot(raw), clear)
		if strings.Contains(raw, "**") {
			r.risks.below(root) // other patterns name what they match
		}
	}
}

// reach adds one path. Where it lies in a space that the tool may change it is
// covered with the tool; elsewhere it is an item of its own.
func (r *argumentReader) reach(text, raw string, clear bool) *v1.Path {
	op := r.catalog.MCPOperation(r.tool, "")
	p := r.locator.touch(&r.touched, raw, r.facts.Cwd, op)
	r.locator.alteredPath(p, raw)
	r.locator.otherReadings(p, text, raw, clear)
	r.touched.add(op, p.Space)
	switch p.Space {
	case v1.SpaceSession, v1.SpaceProject, v1.SpaceGrantRead, v1.SpaceGrantReadWrite, v1.SpaceNone:
		return p
	case v1.SpaceReadAlso, v1.SpaceRepository:
		if op != v1.OpWrite {
			return p
		}
	}
	r.facts.pathItem(len(r.facts.Paths) - 1)
	return p
}

// patch makes an item of every path of a patch. Which format the tool reads is
// not known: each counts.
func (r *argumentReader) patch(text string) {
	changes, ok := patch.Parse(text)
	if !ok && !strings.Contains(text, patch.Begin) && !strings.Contains(text, "+++ ") {
		return
	}
	for _, change := range changes {
		r.files.filePath(change.Path, change.Op, &catalog.Tool{})
	}
}
